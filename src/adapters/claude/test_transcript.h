// Lines as Claude Code writes them into a transcript, shortened, with our own texts in them.

#ifndef BELAY_ADAPTERS_CLAUDE_TEST_TRANSCRIPT_H_
#define BELAY_ADAPTERS_CLAUDE_TEST_TRANSCRIPT_H_

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace belay {

constexpr std::string_view kSessionId = "3f2b8c1e-5d47-4a90-9e61-0c7d2a4b8e15";

inline std::string UserLine(std::string_view words = "go on", bool sidechain = false,
                            std::string_view session = kSessionId) {
  return fmt::format(
      R"({{"parentUuid":null,"isSidechain":{},"type":"user","message":{{"role":"user","content":"{}"}},)"
      R"("uuid":"u","sessionId":"{}","version":"2.1.325"}})",
      sidechain, words, session);
}

struct Answer {
  std::uint64_t input = 12;
  std::uint64_t made = 3400;
  std::uint64_t read = 56000;
  std::string id = "msg_1";
  std::string model = "claude-opus-5-5";
  bool sidechain = false;
  std::string words = "done";
  std::string_view session = kSessionId;
};

inline std::string Usage(const Answer& answer) {
  return fmt::format(
      R"({{"input_tokens":{},"cache_creation_input_tokens":{},"cache_read_input_tokens":{},)"
      R"("output_tokens":7}})",
      answer.input, answer.made, answer.read);
}

// The format of 2.1.325: the type comes first.
inline std::string AnswerLine(const Answer& answer = {}) {
  return fmt::format(
      R"({{"parentUuid":"u","isSidechain":{},"type":"assistant","uuid":"a","message":{{"id":"{}",)"
      R"("type":"message","role":"assistant","model":"{}","content":[{{"type":"text","text":"{}"}}],)"
      R"("stop_reason":"end_turn","usage":{}}},"sessionId":"{}"}})",
      answer.sidechain, answer.id, answer.model, answer.words, Usage(answer), answer.session);
}

// The format of 2.0.77: the type follows the message.
inline std::string OldAnswerLine(const Answer& answer = {}) {
  return fmt::format(
      R"({{"parentUuid":"u","isSidechain":{},"sessionId":"{}","version":"2.0.77","message":{{)"
      R"("id":"{}","type":"message","role":"assistant","model":"{}","content":[{{"type":"text",)"
      R"("text":"{}"}}],"usage":{}}},"type":"assistant","uuid":"a"}})",
      answer.sidechain, answer.session, answer.id, answer.model, answer.words, Usage(answer));
}

// `members` follow the message and name the kind of the error.
inline std::string ErrorLine(std::string_view words, std::string_view members,
                             bool sidechain = false) {
  return fmt::format(
      R"({{"parentUuid":"u","isSidechain":{},"type":"assistant","message":{{"id":"e","model":)"
      R"("<synthetic>","role":"assistant","type":"message","usage":{{"input_tokens":0,)"
      R"("cache_creation_input_tokens":0,"cache_read_input_tokens":0}},"content":[{{"type":"text",)"
      R"("text":"{}"}}]}},{},"isApiErrorMessage":true,"sessionId":"{}"}})",
      sidechain, words, members, kSessionId);
}

inline std::string BoundaryLine(std::string_view subtype = "compact_boundary") {
  return fmt::format(
      R"({{"parentUuid":null,"isSidechain":false,"type":"system","subtype":"{}","content":)"
      R"("Conversation compacted","compactMetadata":{{"trigger":"auto","preTokens":170000}}}})",
      subtype);
}

// What follows the last message of a session that has ended.
inline std::string ClosingLines() {
  return R"({"type":"last-prompt","lastPrompt":"go on","sessionId":"s"})"
         "\n"
         R"({"type":"cost-state","sessionId":"s","totalCostUSD":0.02,"modelUsage":{}})"
         "\n";
}

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_TEST_TRANSCRIPT_H_
