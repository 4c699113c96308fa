// What the scripted model was asked, as far as its log goes (agents/model/scripted_model.h). Read
// on from where the last look ended, since each request carries all that was said before.

#ifndef BELAY_TESTS_AGENTS_MODEL_LOG_H_
#define BELAY_TESTS_AGENTS_MODEL_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"

namespace belay {

class ModelLog {
 public:
  explicit ModelLog(std::string path) : path_(std::move(path)) {}

  // Calls of the Messages API, without those that only count tokens.
  const std::vector<Json>& Requests();
  // Those that this step answered.
  std::vector<Json> AnsweredBy(std::string_view step);
  // Whether what was to be sent for a request was sent, and ended so: "whole", "cut", "stalled".
  bool Answered(std::int64_t request, std::string_view end);
  // Whether the step's answer was sent.
  bool Answered(std::string_view step, std::string_view end);

  // Whether any message that the model was ever sent holds the text, system prompts aside.
  bool WasSent(std::string_view text);
  // The same for one request.
  static bool Tells(const Json& request, std::string_view text);

  // One line a request, for messages of a test that failed.
  std::string Summary();

  static std::string Text(const Json& record, std::string_view key);

 private:
  void CatchUp();

  std::string path_;
  std::size_t read_ = 0;
  std::vector<Json> requests_, answered_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_LOG_H_
