#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/claude/test_transcript.h"
#include "adapters/claude/transcript.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ClaudeLastWordsTest : public testing::Test {
 protected:
  std::vector<std::string> Words(const std::vector<std::string>& lines, std::size_t most = 5) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    folder_.Write("t.jsonl", text);
    return LastWordsInClaudeTranscript(files_, folder_ / "t.jsonl", most);
  }
  static std::string Said(std::string_view words) {
    return AnswerLine({.words = std::string(words)});
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(ClaudeLastWordsTest, AreThoseOfTheModelLatestFirstEachOnOneLine) {
  EXPECT_THAT(Words({Said("one"), UserLine("go"), Said("two\\nlines"), Said("three")}),
              ElementsAre("three", "two lines", "one"));
  EXPECT_THAT(Words({Said("one"), Said("two"), Said("three")}, 2), ElementsAre("three", "two"));
}

TEST_F(ClaudeLastWordsTest, OthersWordsAndWhatWasBeforeACompactionAreLeftOut) {
  EXPECT_THAT(Words({Said("before"), BoundaryLine(), Said("after"),
                     AnswerLine({.sidechain = true, .words = "of a sub-agent"}),
                     ErrorLine("API Error", R"("error":"server_error")"), UserLine("a person")}),
              ElementsAre("after"));
}

TEST_F(ClaudeLastWordsTest, AreCutAndATornLineOrNoFileIsNoTrouble) {
  EXPECT_EQ(Words({Said(std::string(2000, 'x'))}).front().size(), 500U);
  const std::string line = Said("whole");
  EXPECT_THAT(Words({line, line.substr(0, line.size() / 2)}), ElementsAre("whole"));
  EXPECT_THAT(LastWordsInClaudeTranscript(files_, folder_ / "missing", 5), IsEmpty());
  EXPECT_THAT(LastWordsInClaudeTranscript(files_, "", 5), IsEmpty());
}

}  // namespace
}  // namespace belay
