#include <gtest/gtest.h>

#include "adapters/claude/test_transcript.h"
#include "adapters/claude/transcript.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

constexpr const char* kWord = "4669011c";

class ClaudeTextTraceTest : public testing::Test {
 protected:
  TextTrace Find(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    folder_.Write("t.jsonl", text);
    return FindInClaudeTranscript(files_, folder_ / "t.jsonl", kWord);
  }
  static std::string Attachment(const std::string& type) {
    return R"({"type":"attachment","attachment":{"type":")" + type +
           R"x(","content":["Message 1 of 1 (4669011c)"]}})x";
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(ClaudeTextTraceTest, AnAnswerBehindItShowsThatItWasRead) {
  const std::string given = UserLine("Message 1 of 1 (4669011c)");
  EXPECT_EQ(Find({UserLine(), AnswerLine()}), TextTrace::kAbsent);
  EXPECT_EQ(Find({UserLine(), AnswerLine(), given}), TextTrace::kWritten);
  EXPECT_EQ(Find({given, AnswerLine(), UserLine()}), TextTrace::kAnswered);
  EXPECT_EQ(Find({Attachment("hook_additional_context"), AnswerLine()}), TextTrace::kAnswered);
  EXPECT_EQ(Find({Attachment("hook_additional_context")}), TextTrace::kWritten);
}

TEST_F(ClaudeTextTraceTest, WhatIsNoAnswerShowsNothing) {
  const std::string given = UserLine("Message 1 of 1 (4669011c)");
  for (const std::string& line :
       {AnswerLine({.sidechain = true}), AnswerLine({.model = "<synthetic>"}),
        ErrorLine("API Error: 500", R"("error":"unknown")"),
        std::string(R"({"type":"assistant")")}) {
    EXPECT_EQ(Find({given, line}), TextTrace::kWritten) << line;
  }
}

TEST_F(ClaudeTextTraceTest, WhatOnlyAHookPrintedIsNotInTheConversation) {
  EXPECT_EQ(Find({Attachment("hook_success"), AnswerLine()}), TextTrace::kAbsent);
  EXPECT_EQ(Find({R"x({"type":"system","hookErrors":["(4669011c)"]})x", AnswerLine()}),
            TextTrace::kAbsent);
  EXPECT_EQ(Find({UserLine("(4669011c)", true), AnswerLine()}), TextTrace::kAbsent);
}

TEST_F(ClaudeTextTraceTest, WithoutATranscriptThereIsNothingToSay) {
  EXPECT_EQ(FindInClaudeTranscript(files_, folder_ / "none", kWord), TextTrace::kUnreadable);
  EXPECT_EQ(FindInClaudeTranscript(files_, "", kWord), TextTrace::kUnreadable);
}

TEST_F(ClaudeTextTraceTest, AVersionThatKeepsNoContextsLeavesNoTrace) {
  const std::string answer = AnswerLine();
  folder_.Write("t.jsonl", R"({"version":"2.0.77",)" + answer.substr(1) + "\n");
  EXPECT_EQ(FindInClaudeTranscript(files_, folder_ / "t.jsonl", kWord), TextTrace::kUnreadable);
  folder_.Write("t.jsonl", R"({"version":"2.1.325",)" + answer.substr(1) + "\n");
  EXPECT_EQ(FindInClaudeTranscript(files_, folder_ / "t.jsonl", kWord), TextTrace::kAbsent);
}

TEST_F(ClaudeTextTraceTest, WhatIsTooFarBackWasReadLongAgo) {
  folder_.Write("t.jsonl", UserLine("(4669011c)") + "\n" + std::string(4'000, ' ') + "\n" +
                               AnswerLine() + "\n");
  EXPECT_EQ(FindInClaudeTranscript(files_, folder_ / "t.jsonl", kWord, 2'000),
            TextTrace::kAnswered);
}

}  // namespace
}  // namespace belay
