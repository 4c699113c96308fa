// The script that a scripted model plays: a list of steps, each with what a request must look like
// and what is answered then. The first step that matches and isn't used up answers; when none does,
// the built-in default says "Done.".
//
//   [{"name": "writes a file",
//     "match": {"last_user_has": ["write a file"], "tools": true, "times": 1},
//     "reply": {"content": [{"text": "I write."},
//                           {"tool": "Bash", "input": {"command": "echo 1 > one"}}]}},
//    {"name": "busy", "match": {"body_has": ["now"], "times": 2},
//     "reply": {"status": 429, "headers": {"retry-after": "1"}}},
//    {"name": "anything else", "reply": {"content": [{"text": "I am done."}]}}]
//
// match, all of which must hold (nothing: every request):
//   last_user_has, last_user_lacks, system_has, system_lacks, body_has, body_lacks: lists of texts
//   tools: whether any are offered;  times: how often this step may answer at most
// reply:
//   content: blocks, {"text"} or {"tool", "input"};  stop_reason: else end_turn or tool_use
//   usage: input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens
//   delay_ms: before it answers;  stall: true, never answers
//   cut_after, stall_after: so many events of the stream are sent; then the connection is closed,
//     or nothing more comes. A plain answer counts as one event
//   status: of HTTP, an error if it isn't 200;  error_type, message: else what fits the status
//   headers: more of them
//
// A key that isn't known is an error: a typing mistake must not make a test pass.

#ifndef BELAY_TESTS_AGENTS_MODEL_SCRIPT_H_
#define BELAY_TESTS_AGENTS_MODEL_SCRIPT_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/model/model_request.h"
#include "base/result.h"
#include "codec/json.h"

namespace belay {

struct TextCondition {
  std::vector<std::string> has = {};
  std::vector<std::string> lacks = {};

  bool Holds(std::string_view text) const;
};

struct Match {
  TextCondition last_user = {}, system = {}, body = {};
  std::optional<bool> tools = {};
  std::optional<std::int64_t> times = {};
};

struct ReplyBlock {
  std::string text = {};
  std::string tool = {};  // empty: it is a text
  Json input = {};
};

struct TokenUsage {
  std::int64_t input = 100, output = 10, cache_creation = 0, cache_read = 0;
};

struct Reply {
  std::vector<ReplyBlock> content = {};
  std::string stop_reason = {};
  TokenUsage usage = {};
  std::chrono::milliseconds delay = {};
  bool stall = false;
  std::optional<std::size_t> cut_after = {}, stall_after = {};
  int status = 200;
  std::string error_type = {}, message = {};
  std::map<std::string, std::string> headers = {};
};

struct Step {
  std::string name = {};  // else its number in the list, from 1
  Match match = {};
  Reply reply = {};
};

Result<std::vector<Step>> ParseScript(std::string_view text);

class ScriptPlayer {
 public:
  explicit ScriptPlayer(std::vector<Step> steps);

  // The step that answers, which is used once more by this.
  const Step& Choose(const ModelRequest& request);

 private:
  bool Matches(std::size_t index, const ModelRequest& request) const;

  std::vector<Step> steps_;  // the last one is the default
  std::vector<std::int64_t> used_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_SCRIPT_H_
