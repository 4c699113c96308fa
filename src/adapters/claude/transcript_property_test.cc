// Reading a transcript backwards in pieces of any size gives the same as reading it forwards.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "adapters/claude/test_transcript.h"
#include "adapters/claude/transcript.h"
#include "base/text.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

std::string AnyWords() { return std::string(*rc::gen::inRange<std::size_t>(0, 300), 'w'); }

std::string AnyWholeLine() {
  Answer answer{.input = *rc::gen::inRange<std::uint64_t>(0, 200'000),
                .id = fmt::format("msg_{}", *rc::gen::inRange(0, 3)),
                .sidechain = *rc::gen::inRange(0, 3) == 0,
                .words = AnyWords(),
                .session = *rc::gen::element("one", "other")};
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return AnswerLine(answer);
    case 1:
      return OldAnswerLine(answer);
    case 2:
      answer.model = "<synthetic>";
      return AnswerLine(answer);
    case 3:
      return ErrorLine(AnyWords(), R"("error":"rate_limit")", answer.sidechain);
    case 4:
      return BoundaryLine();
    case 5:
      return R"({"type":"attachment","isSidechain":false,"attachment":{"of":"assistant"}})";
    default:
      return UserLine(AnyWords(), answer.sidechain, answer.session);
  }
}

// Lines are mostly whole, sometimes torn and joined with the next one.
std::string AnyTranscript() {
  std::string text;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const std::string line = AnyWholeLine();
    const bool torn = *rc::gen::inRange(0, 6) == 0;
    text += torn ? line.substr(0, *rc::gen::inRange<std::size_t>(0, line.size())) : line;
    if (!torn || *rc::gen::inRange(0, 2) == 0) text += *rc::gen::element("\n", "\r\n", "\n\n");
  }
  return text;
}

const Json* Member(const Json* object, std::string_view key) {
  return object == nullptr ? nullptr : object->Find(key);
}

bool Is(const Json* value, const Json& other) { return value != nullptr && *value == other; }

// The state after a line; unchanged if the line doesn't affect it.
ConversationState StateAfter(const Json& line, ConversationState before) {
  using enum ConversationState;
  if (Is(line.Find("type"), "user")) return kWithinTurn;
  if (Is(line.Find("isApiErrorMessage"), true)) return kTurnEnded;
  const Json* message = line.Find("message");
  if (Is(Member(message, "model"), "<synthetic>")) return before;
  return Is(Member(message, "stop_reason"), "end_turn") ? kTurnEnded : kWithinTurn;
}

// Reads all of it, forwards.
ConversationEnd ReadPlainly(const std::string& text) {
  ConversationEnd end;
  for (const std::string_view bytes : Split(text, '\n')) {
    const Result<Json> line = ParseJson(bytes);
    if (!line || Is(line->Find("isSidechain"), true)) continue;
    if (Is(line->Find("subtype"), "compact_boundary")) end = {};
    const bool answer = Is(line->Find("type"), "assistant");
    if (!answer && !Is(line->Find("type"), "user")) continue;
    end.has_messages = true;
    end.session = *line->Find("sessionId")->AsString();
    end.failure = ApiFailure::kNone;
    end.state = StateAfter(*line, end.state);
    if (Is(line->Find("isApiErrorMessage"), true)) {
      end.failure = ApiFailure::kRateLimit;
      continue;
    }
    const Json* message = line->Find("message");
    const Json* usage = Member(message, "usage");
    if (!answer || usage == nullptr || Is(message->Find("model"), "<synthetic>")) continue;
    std::int64_t tokens = 0;
    for (const char* key :
         {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}) {
      tokens += *usage->Find(key)->AsInteger();
    }
    end.context = ContextUse{static_cast<std::uint64_t>(tokens),
                             *message->Find("model")->AsString(), *message->Find("id")->AsString()};
  }
  return end;
}

TEST(ClaudeTranscriptProperty, ReadingBackwardsGivesTheSameAsForwards) {
  const TempFolder folder;
  RealFileCalls calls;
  const FileSystem files(calls);
  EXPECT_TRUE(rc::check([&] {
    const std::string text = AnyTranscript();
    BackwardLimits limits;
    limits.first_piece = *rc::gen::inRange<std::size_t>(1, 600);
    limits.largest_piece = limits.first_piece * *rc::gen::inRange<std::size_t>(1, 5);
    folder.Write("t.jsonl", text);
    const Result<ConversationEnd> end = ReadClaudeTranscript(files, folder / "t.jsonl", limits);
    RC_ASSERT(end.ok());
    RC_ASSERT(*end == ReadPlainly(text));
  }));
}

TEST(ClaudeTranscriptProperty, AnyBytesAreHarmless) {
  const TempFolder folder;
  RealFileCalls calls;
  const FileSystem files(calls);
  EXPECT_TRUE(rc::check([&] {
    std::string text = AnyTranscript();
    for (int i = *rc::gen::inRange(1, 8); i > 0 && !text.empty(); --i) {
      text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    }
    folder.Write("t.jsonl", text + "\n" + AnswerLine({.input = 5, .made = 0, .read = 0}));
    const Result<ConversationEnd> end = ReadClaudeTranscript(files, folder / "t.jsonl");
    RC_ASSERT(end.ok() && end->context && end->context->tokens == 5U);
  }));
}

}  // namespace
}  // namespace belay
