// What is known of the target when work is red, and who may land work on which one.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MergeTargetTest : public MergeSandbox {
 protected:
  void TwoGates(const std::string& one, const std::string& two) {
    Settings("  gates:\n    - {name: one, run: " + WriteJson(Json(one)) +
             "}\n    - {name: two, run: " + WriteJson(Json(two)) + "}\n");
  }
  std::size_t LinesIn(const std::string& path) {
    const std::string text = repo_.outside().Read(path);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::int64_t Attempts(const std::string& id) { return *Entry(id).Find("attempts")->AsInteger(); }
};

TEST_F(MergeTargetTest, ThatIsRedAtOneGateIsNotBlamedForAnother) {
  TwoGates("! test -e broken", "! test -e two");
  AddBranch("a", {{"a", "1\n"}});
  Land();
  MoreOn("main", {{"broken", "1\n"}});
  Script(
      "git checkout -qb b; git rm -q broken; echo > two; git add two; git commit -qm b; "
      "git checkout -q main");
  Add("b");
  const RunOutcome outcome = ProcessAll();
  EXPECT_THAT(outcome.err, HasSubstr("main is red at"));
  EXPECT_EQ(ErrorOf("m2"), "gate two: exit code 1; main passes it");
  EXPECT_EQ(Attempts("m2"), 1);
}

TEST_F(MergeTargetTest, IsAskedAgainWhenTheGatesAreOthers) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  Gate("false");
  AddBranch("b", {{"b", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_THAT(ErrorOf("m2"), HasSubstr("main is red, too"));
  EXPECT_EQ(Attempts("m2"), 0);
}

TEST_F(MergeTargetTest, IsAskedOnceHoweverManyAreRed) {
  Gate("echo run >> " + (repo_.outside() / "runs") + "; false");
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(LinesIn("runs"), 3U) << "a, main, b";
  EXPECT_THAT(ErrorOf("m2"), HasSubstr("main is red, too"));
  // What made it red may be over.
  EXPECT_EQ(Queue({"retry", "m1"}).exit_code, 0);
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(LinesIn("runs"), 5U);
}

TEST_F(MergeTargetTest, AnotherOneIsForPeopleUntilAPersonHasUsedIt) {
  repo_.Git({"branch", "release"});
  Branch("a", {{{"a", "1\n"}}});
  Branch("b", {{{"b", "1\n"}}});
  const RunOptions agent = AsAgent();
  const RunOutcome refused = Queue({"add", "a", "--target", "release"}, agent);
  EXPECT_EQ(refused.exit_code, 4) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("only a person may land it on release"));
  EXPECT_EQ(Queue({"add", "a"}, agent).exit_code, 0);
  EXPECT_EQ(Queue({"add", "b", "--target", "release"}).exit_code, 0);
  const RunOutcome accepted = Queue({"add", "a", "--target", "release"}, agent);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
}

}  // namespace
}  // namespace belay
