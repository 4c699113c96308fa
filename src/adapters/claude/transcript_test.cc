#include "adapters/claude/transcript.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "adapters/claude/test_transcript.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class ClaudeTranscriptTest : public testing::Test {
 protected:
  ConversationEnd Read(const std::string& bytes) {
    folder_.Write("t.jsonl", bytes);
    Result<ConversationEnd> end = ReadClaudeTranscript(files_, folder_ / "t.jsonl");
    EXPECT_TRUE(end);
    return end ? *end : ConversationEnd{};
  }
  std::uint64_t Tokens(const std::string& bytes) {
    const ConversationEnd end = Read(bytes);
    return end.context ? end.context->tokens : 0;
  }
  ApiFailure Failure(std::string_view words, std::string_view members) {
    return Read(UserLine() + "\n" + ErrorLine(words, members) + "\n" + ClosingLines()).failure;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(ClaudeTranscriptTest, TheUseIsThatOfTheLastAnswer) {
  const std::string text = UserLine() + "\n" + AnswerLine({.input = 1, .id = "old"}) + "\n" +
                           UserLine() + "\n" + AnswerLine({.id = "new"}) + "\n" + ClosingLines();
  const ConversationEnd end = Read(text);
  EXPECT_EQ(end.context, (ContextUse{59412, "claude-opus-5-5", "new"}));
  EXPECT_TRUE(end.has_messages);
  EXPECT_EQ(end.failure, ApiFailure::kNone);
  EXPECT_EQ(Tokens(UserLine() + "\n" + OldAnswerLine() + "\n"), 59412U);
}

TEST_F(ClaudeTranscriptTest, TheSessionIsThatOfTheLastMessage) {
  const std::string before =
      UserLine("go on", false, "older") + "\n" + AnswerLine({.session = "older"}) + "\n";
  EXPECT_EQ(Read(before + ClosingLines()).session, "older");
  EXPECT_EQ(Read(before + AnswerLine({.session = "newer"}) + "\n").session, "newer");
  EXPECT_EQ(Read(before + OldAnswerLine({.session = "newer"}) + "\n").session, "newer");
  EXPECT_EQ(Read(before + UserLine("go on", false, "newer") + "\n").session, "newer");
  EXPECT_EQ(Read(before + UserLine("an assistant", false, "newer") + "\n").session, "newer");
  EXPECT_EQ(Read(before + UserLine("sub", true, "newer") + "\n").session, "older");
  EXPECT_EQ(Read(before + R"({"type":"user","message":{}})" + "\n").session, "older");
}

TEST_F(ClaudeTranscriptTest, SubAgentsAndOwnWordsDoNotCount) {
  const std::string answer = AnswerLine() + "\n";
  EXPECT_EQ(Tokens(answer + AnswerLine({.input = 9, .sidechain = true}) + "\n"), 59412U);
  EXPECT_EQ(Tokens(answer + AnswerLine({.input = 9, .model = "<synthetic>"}) + "\n"), 59412U);
  EXPECT_EQ(Tokens(answer + ErrorLine("API Error: 500", R"("error":"unknown")") + "\n"), 59412U);
  const std::string no_use = R"({"type":"assistant","message":{"id":"m","model":"claude-x"}})";
  EXPECT_EQ(Tokens(answer + no_use + "\n"), 59412U);
}

TEST_F(ClaudeTranscriptTest, NoUseIsKnownRightAfterACompaction) {
  const std::string before = AnswerLine() + "\n" + BoundaryLine() + "\n";
  EXPECT_FALSE(Read(before).context);
  EXPECT_FALSE(Read(before).has_messages);
  const ConversationEnd end = Read(before + UserLine("a summary") + "\n");
  EXPECT_FALSE(end.context);
  EXPECT_TRUE(end.has_messages);
  EXPECT_EQ(Tokens(before + AnswerLine({.input = 5, .made = 0, .read = 0}) + "\n"), 5U);
  EXPECT_EQ(Tokens(AnswerLine() + "\n" + BoundaryLine("microcompact_boundary") + "\n"), 59412U);
}

TEST_F(ClaudeTranscriptTest, ATornLastLineIsIgnoredWhereverItWasCut) {
  const std::string last = AnswerLine({.input = 777});
  for (std::size_t size = 0; size < last.size(); ++size) {
    ASSERT_EQ(Tokens(AnswerLine() + "\n" + last.substr(0, size)), 59412U) << size;
  }
  EXPECT_EQ(Tokens(AnswerLine() + "\n" + last), 60177U);
}

TEST_F(ClaudeTranscriptTest, IgnoresLinesThatAreNotRecords) {
  const std::string answer = AnswerLine() + "\n";
  const std::string wrong[] = {
      "\"assistant\"",
      "{\"type\":\"assistant\"",
      "[\"assistant\"]",
      R"({"type":"assistant","message":"assistant"})",
      R"({"type":"assistant","message":{"usage":[]}})",
      R"({"type":"assistant","message":{"usage":{"input_tokens":-1}}})",
      R"({"type":"assistant","message":{"usage":{"input_tokens":1.5}}})",
      R"({"type":"assistant","message":{"usage":{"input_tokens":9000000000000000000}}})",
      R"({"type":"assistant","type":"assistant","message":{"usage":{"input_tokens":1}}})",
      AnswerLine() + AnswerLine(),
      "\xff\xfe" + AnswerLine(),
      std::string(8, '\0'),
      std::string(8, '\0') + AnswerLine(),
      "\r",
  };
  for (const std::string& line : wrong) {
    EXPECT_EQ(Tokens(answer + line + "\n"), 59412U) << line;
    EXPECT_EQ(Tokens(answer + line), 59412U) << line;
  }
  EXPECT_EQ(Tokens(AnswerLine() + "\r\n" + UserLine() + "\r\n"), 59412U);
}

TEST_F(ClaudeTranscriptTest, AnAnswerBehindMegabytesOfToolOutputIsFound) {
  EXPECT_EQ(Tokens(AnswerLine() + "\n" + UserLine(std::string(3'000'000, 'x')) + "\n"), 59412U);
}

// Each as the programs write it: first 2.1.325, then 2.0.77.
TEST_F(ClaudeTranscriptTest, KnowsTheFailuresOfTheApi) {
  EXPECT_EQ(Failure("API Error: Request rejected (429) · over the limit",
                    R"("error":"rate_limit","apiErrorStatus":429)"),
            ApiFailure::kRateLimit);
  EXPECT_EQ(Failure(R"(API Error: 429 {\"type\":\"error\"})", R"("error":"unknown")"),
            ApiFailure::kRateLimit);
  EXPECT_EQ(Failure("Invalid API key · Fix external API key",
                    R"("error":"authentication_failed","apiErrorStatus":401)"),
            ApiFailure::kAuth);
  EXPECT_EQ(
      Failure("OAuth token revoked · Please run /login", R"("error":"authentication_failed")"),
      ApiFailure::kAuth);
  EXPECT_EQ(Failure("Credit balance is too low", R"("error":"billing_error","apiErrorStatus":400)"),
            ApiFailure::kAuth);
  EXPECT_EQ(Failure("API Error: 529 Overloaded.", R"("error":"server_error","apiErrorStatus":529)"),
            ApiFailure::kServer);
  EXPECT_EQ(Failure(R"(API Error: 500 {\"type\":\"error\"})", R"("error":"unknown")"),
            ApiFailure::kServer);
  EXPECT_EQ(Failure("API Error: Connection error.", R"("error":"unknown")"), ApiFailure::kServer);
  EXPECT_EQ(Failure("Prompt is too long · the request is ~210000 tokens (limit 200000)",
                    R"("error":"invalid_request","apiErrorStatus":400)"),
            ApiFailure::kPromptTooLong);
  EXPECT_EQ(Failure("Prompt is too long", R"("error":"invalid_request")"),
            ApiFailure::kPromptTooLong);
  EXPECT_EQ(Failure(R"(API Error: 413 {\"type\":\"error\"})", R"("error":"unknown")"),
            ApiFailure::kPromptTooLong);
  EXPECT_EQ(Failure("API Error: 400 something odd", R"("error":"unknown","apiErrorStatus":400)"),
            ApiFailure::kOther);
  EXPECT_EQ(Failure("It may not exist", R"("error":"model_not_found","apiErrorStatus":404)"),
            ApiFailure::kOther);
}

TEST_F(ClaudeTranscriptTest, OnlyTheLastMessageIsAFailureTheConversationEndedWith) {
  const std::string error = ErrorLine("API Error: 500", R"("error":"server_error")") + "\n";
  EXPECT_EQ(Read(error).failure, ApiFailure::kServer);
  EXPECT_EQ(Read(error + UserLine() + "\n").failure, ApiFailure::kNone);
  EXPECT_EQ(Read(error + UserLine("half an emoji: \\ud83d") + "\n").failure, ApiFailure::kNone);
  EXPECT_EQ(Read(error + AnswerLine() + "\n").failure, ApiFailure::kNone);
  EXPECT_EQ(Read(error + UserLine("of a sub-agent", true) + "\n").failure, ApiFailure::kServer);
  EXPECT_EQ(Read(error + UserLine().substr(0, 90)).failure, ApiFailure::kServer);
  const std::string other = ErrorLine("API Error: 429", R"("error":"rate_limit")", true) + "\n";
  EXPECT_EQ(Read(AnswerLine() + "\n" + other).failure, ApiFailure::kNone);
}

TEST_F(ClaudeTranscriptTest, OnlyARegularFileIsRead) {
  folder_.Write("t.jsonl", AnswerLine() + "\n");
  ASSERT_EQ(symlink("t.jsonl", (folder_ / "link").c_str()), 0);
  folder_.MakeFolder("folder");
  EXPECT_EQ(ReadClaudeTranscript(files_, folder_ / "link").error().code, ErrorCode::kRefused);
  EXPECT_EQ(ReadClaudeTranscript(files_, folder_ / "folder").error().code, ErrorCode::kRefused);
  EXPECT_EQ(ReadClaudeTranscript(files_, folder_ / "no").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Read(""), ConversationEnd{});
}

TEST_F(ClaudeTranscriptTest, TheLastMessageShowsWhetherATurnHasEnded) {
  using enum ConversationState;
  const std::string asked = UserLine() + "\n";
  const auto answer = [](std::string_view reason) {
    return fmt::format(R"({{"type":"assistant","timestamp":"2026-11-16T10:00:05.250Z","message":)"
                       R"({{"id":"m","model":"claude-x","content":[],"stop_reason":{}}}}})"
                       "\n",
                       reason);
  };
  EXPECT_EQ(Read("").state, kEmpty);
  EXPECT_EQ(Read(asked).state, kWithinTurn);
  EXPECT_EQ(Read(asked + AnswerLine() + "\n" + ClosingLines()).state, kTurnEnded);
  EXPECT_EQ(Read(asked + AnswerLine() + "\n" + asked).state, kWithinTurn);
  EXPECT_EQ(Read(asked + answer(R"("tool_use")")).state, kWithinTurn);
  EXPECT_EQ(Read(asked + answer("null")).state, kWithinTurn);
  EXPECT_EQ(Read(asked + answer(R"("max_tokens")")).state, kTurnEnded);
  // it never contains the reason
  EXPECT_EQ(Read(asked + OldAnswerLine() + "\n").state, kWithinTurn);
  EXPECT_EQ(Read(asked + ErrorLine("API Error: 500", R"("error":"unknown")") + "\n").state,
            kTurnEnded);
  EXPECT_EQ(Read(asked + answer(R"("end_turn")")).state_at, *ParseUtc("2026-11-16T10:00:05.250Z"));
  EXPECT_EQ(Read(asked + AnswerLine() + "\n" + answer(R"("tool_use")") +
                 UserLine("[Request interrupted by user for tool use]") + "\n")
                .state,
            kInterrupted);
}

TEST_F(ClaudeTranscriptTest, CommandsOwnWordsAndSubAgentsLeaveTheTurnAsItWas) {
  using enum ConversationState;
  const std::string ended = UserLine() + "\n" + AnswerLine() + "\n";
  const std::string meta =
      R"({"type":"user","isMeta":true,"message":{"content":"<local-command-caveat>"}})"
      "\n";
  const std::string local = R"({"type":"system","subtype":"local_command","content":"x"})"
                            "\n";
  EXPECT_EQ(Read(ended + meta).state, kTurnEnded);
  EXPECT_EQ(
      Read(ended + meta + UserLine("<command-name>/cost</command-name>") + "\n" + local).state,
      kTurnEnded);
  EXPECT_EQ(Read(ended + UserLine("<local-command-stdout>") + "\n").state, kTurnEnded);
  EXPECT_EQ(Read(ended + UserLine("look", true) + "\n").state, kTurnEnded);
  EXPECT_EQ(Read(UserLine() + "\n" + AnswerLine({.sidechain = true}) + "\n").state, kWithinTurn);
  EXPECT_EQ(Read(UserLine() + "\n" + AnswerLine({.model = "<synthetic>"}) + "\n").state,
            kWithinTurn);
}

}  // namespace
}  // namespace belay
