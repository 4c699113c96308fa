// The bytes with which the Messages API would answer: a stream of events, a plain message, or an
// error. Pure: ids come from the number of the request, so that they never repeat in one run.

#ifndef BELAY_TESTS_AGENTS_MODEL_ANSWER_H_
#define BELAY_TESTS_AGENTS_MODEL_ANSWER_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "agents/model/model_request.h"
#include "agents/model/script.h"
#include "codec/json.h"

namespace belay {

enum class AnswerEnd {
  kWhole,  // the connection can be used again
  kCut,    // it is closed
  kStall,  // nothing more comes
};
std::string_view AnswerEndName(AnswerEnd end);

struct Answer {
  std::string bytes = {};
  AnswerEnd end = AnswerEnd::kWhole;
  std::chrono::milliseconds delay = {};  // before the first byte
  int status = 200;
};

Answer MakeAnswer(const Reply& reply, const ModelRequest& request, std::int64_t number);
Answer JsonAnswer(int status, const Json& body);
// {"type": "error", ...}; without a type, the one that goes with the status.
Answer ErrorAnswer(int status, std::string_view message, std::string_view type = {});

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_ANSWER_H_
