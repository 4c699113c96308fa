// What the guardian does for the resumption document of an agent: T1 and T7, and the brief in the
// resume text of a successor.

#include "hook_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardResumptionTest : public HookSandbox {
 protected:
  GuardResumptionTest() { folder_.Write("repo/ORCHESTRATION.yaml", "# mine\nflow: 1\n"); }

  std::vector<std::string> AlsoWatched() override { return {folder_ / "repo"}; }
  std::string Document() { return folder_.Read("repo/ORCHESTRATION.yaml"); }
  bool AwaitDocument(const std::string& part) {
    return Await([&] { return Document().find(part) != std::string::npos; });
  }
  void TellFill(int percent) {
    Tell("statusline", fmt::format(R"({{"context_window":{{"context_window_size":1000,)"
                                   R"("used_percentage":{}}}}})",
                                   percent));
  }
};

TEST_F(GuardResumptionTest, AWorkPhaseThatChangesIsAPhaseStart) {
  StartGuardian();
  StartTelling("login");
  TellEdit("src/login.cc");
  EXPECT_TRUE(AwaitDocument("current_activity: \"orchestrator-login#1: implementation\""))
      << Document();
  EXPECT_THAT(Document(), HasSubstr("# mine\nflow: 1\nresumption:\n"));
  EXPECT_THAT(folder_.Read("repo/.git/belay/journals/resumption.jsonl"),
              HasSubstr("\"trigger\":\"T1\""));
}

TEST_F(GuardResumptionTest, AContextThatReachesAnotherTierIsNoted) {
  StartGuardian();
  StartTelling("login");
  TellFill(71);
  EXPECT_TRUE(AwaitDocument("context_fill_at_update: 0.71")) << Document();
  TellFill(72);  // the same tier
  TellFill(85);
  EXPECT_TRUE(AwaitDocument("context_fill_at_update: 0.85")) << Document();
  EXPECT_THAT(folder_.Read("repo/.git/belay/journals/resumption.jsonl"),
              AllOf(HasSubstr("tier WARNING"), HasSubstr("tier CRITICAL"),
                    HasSubstr("\"trigger\":\"T7\"")));
}

TEST_F(GuardResumptionTest, ATranscriptShowsHowFullTheContextIs) {
  folder_.Write("t.jsonl",
                R"({"type":"assistant","message":{"role":"assistant","model":"m","usage":)"
                R"({"input_tokens":120000,"cache_creation_input_tokens":0,)"
                R"("cache_read_input_tokens":0,"output_tokens":0}}})"
                "\n");
  StartGuardian();
  StartTelling("login");
  Tell("PreToolUse", R"({"session_id":"s1","transcript_path":")" + (folder_ / "t.jsonl") +
                         R"(","tool_name":"Edit","tool_input":{"file_path":"a"}})");
  EXPECT_TRUE(AwaitDocument("context_fill_at_update: 0.6")) << Document();
}

TEST_F(GuardResumptionTest, WithoutADocumentNothingIsWritten) {
  Git({"-C", "repo", "clean", "-fdqx", "ORCHESTRATION.yaml"});
  StartGuardian();
  StartTelling("login");
  TellFill(85);
  TellEdit("a");
  ASSERT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
  EXPECT_EQ(Document(), "(missing)");
  EXPECT_EQ(folder_.Read("repo/.git/belay/journals/resumption.jsonl"), "(missing)");
}

TEST_F(GuardResumptionTest, ASuccessorReadsWhereTheWorkflowStands) {
  ASSERT_EQ(Belay({"resumption", "update", "T1", "--set", "next_step=count the apples"}).exit_code,
            0);
  StartGuardian();
  Kill(Start("login", "cat \"$BELAY_RESUME_FILE\" >\"" + folder_.path() +
                          "/told-$BELAY_AGENT_ID\"\n" + std::string(kWaits)));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  ASSERT_TRUE(Await([&] { return folder_.Read("told-orchestrator-login#2").size() > 9; }));
  EXPECT_THAT(folder_.Read("told-orchestrator-login#2"),
              AllOf(HasSubstr("You are a continuation of orchestrator-login#1"),
                    HasSubstr("Where the workflow stands, as of "),
                    HasSubstr("next step: count the apples")));
}

}  // namespace
}  // namespace belay
