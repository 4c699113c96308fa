// Work that changes the settings by which work is judged: only a person lets it through.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MergeSettingsTest : public MergeSandbox {
 protected:
  static constexpr const char* kEasy = "merge: {gates: [{name: test, run: 'true'}]}\n";

  // The settings are part of the repository, and the gate looks for what is forbidden.
  MergeSettingsTest() {
    Gate("! test -e forbidden");
    repo_.Write(".git/info/exclude", ".claude/state/\n");
    repo_.CommitAll("settings");
    Branch("sly", {{{".claude/belay.yml", kEasy}}});
    Branch("bad", {{{"forbidden", "1\n"}}});
  }
  std::string Next(const std::string& id) {
    return TextOf(*ParseJson(Belay({"why", id, "--json"}).out)->Find("now"), "next");
  }
  void ExpectNothingLanded() {
    EXPECT_EQ(Status("m1"), "gate_unrunnable");
    EXPECT_EQ(History(), "first\nsettings\n");
  }
};

TEST_F(MergeSettingsTest, WaitForAPersonAndDoNotJudgeWhatComesBehind) {
  EXPECT_THAT(Queue({"add", "sly"}).err, HasSubstr("sly changes .claude/belay.yml: a person"));
  Add("bad");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  ExpectNothingLanded();
  EXPECT_THAT(ErrorOf("m1"), AllOf(HasSubstr("it changes .claude/belay.yml"),
                                   HasSubstr("retry m1 --gates-change")));
  EXPECT_EQ(*Entry("m1").Find("attempts")->AsInteger(), 0);
  EXPECT_EQ(Status("m2"), "gate_failed");
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("ESCALATE"));
  // What why and the message to the person name is a command that lands it.
  EXPECT_THAT(Next("m1"),
              HasSubstr("until a person approves it: belay merge-queue retry m1 --gates-change"));
  EXPECT_THAT(Belay({"signal", "list", "person", "--json"}).out,
              HasSubstr("To approve it: belay merge-queue retry m1 --gates-change."));
  EXPECT_THAT(Next("m2"),
              AllOf(HasSubstr("belay merge-queue retry m2"), Not(HasSubstr("--gates-change"))));
  // Also when nothing is tested.
  EXPECT_EQ(Queue({"retry", "m1"}).exit_code, 0);
  EXPECT_EQ(Queue({"process", "--no-gates"}).exit_code, 1);
  ExpectNothingLanded();
  ExpectTidy();
}

TEST_F(MergeSettingsTest, LandWhenAPersonApproves) {
  Add("sly");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  const RunOptions agent = AsAgent();
  const RunOutcome refused = Queue({"add", "sly", "--gates-change"}, agent);
  EXPECT_EQ(refused.exit_code, 4) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("may not approve work that changes the gates"));
  EXPECT_EQ(Queue({"retry", "m1", "--gates-change"}).exit_code, 0);
  Land();
  EXPECT_EQ(FileOf(".claude/belay.yml"), kEasy);
}

TEST_F(MergeSettingsTest, APersonCanApproveWorkBeforeItsTurn) {
  Add("sly");
  EXPECT_EQ(Queue({"retry", "m1"}).exit_code, 4);
  EXPECT_EQ(Queue({"retry", "m1", "--gates-change"}).exit_code, 0);
  Land();
  EXPECT_EQ(FileOf(".claude/belay.yml"), kEasy);
}

TEST_F(MergeSettingsTest, CommitsAfterTheApprovalNeedANewOne) {
  EXPECT_THAT(Queue({"add", "sly", "--gates-change"}).err, Not(HasSubstr("a person")));
  MoreOn("sly", {{".claude/belay.yml", "merge: {gates: [{name: test, run: 'exit 0'}]}\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  ExpectNothingLanded();
}

TEST_F(MergeSettingsTest, AFolderThatBecomesALinkIsAChangeToo) {
  repo_.Git({"checkout", "-q", "-b", "link", "main"});
  Script(
      "cp -r .claude ../kept; git rm -rq --cached .claude; rm -r .claude; ln -s other .claude; "
      "git add .claude; git commit -qm link; rm .claude; git checkout -q main; "
      "cp -r ../kept/state .claude/");
  Add("link");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  ExpectNothingLanded();
}

TEST_F(MergeSettingsTest, WhatTheFileIsALinkToIsAChangeToo) {
  Script(
      "mkdir conf; git mv .claude/belay.yml conf/belay.yml; "
      "ln -s ../conf/belay.yml .claude/belay.yml; git add -A; git commit -qm moved");
  Branch("sly2", {{{"conf/belay.yml", kEasy}}});
  Add("sly2");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "gate_unrunnable");
}

}  // namespace
}  // namespace belay
