// A real agent in a worktree with a resumption document: its hooks update it, remind the model of
// it, and refuse an edit of the section by hand.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ResumptionScenario : public HookedWorld {
 protected:
  ResumptionScenario() {
    folder_.Write("repo/ORCHESTRATION.yaml",
                  "# mine\nworkflow: {status: ACTIVE}\nresumption:\n  schema_version: \"2.0\"\n"
                  "  recovery_state:\n    next_step: \"count the apples\"\n"
                  "    updated_at: \"2020-01-01T00:00:00Z\"\n  files_to_read: [\"a.md\"]\n");
  }
  std::string Document() { return folder_.Read("repo/ORCHESTRATION.yaml"); }
};

TEST_F(ResumptionScenario, TheHooksUpdateItRemindTheModelAndRefuseAnEditByHand) {
  ModelScript script;
  script.Step("reads").IfUserSays("go on").Once().Uses(
      "Read", MakeObject({{"file_path", Project("ORCHESTRATION.yaml")}}));
  script.Step("edits")
      .IfUserSays("count the apples")
      .Once()
      .Uses("Edit", MakeObject({{"file_path", Project("ORCHESTRATION.yaml")},
                                {"old_string", "next_step: \"count the apples\""},
                                {"new_string", "next_step: \"eat the apples\""}}));
  script.Step("ends").IfUserSays("belay keeps the resumption section").Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "go on"));
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  SCOPED_TRACE(Model().Summary());
  // Updated when the session started, since it was from another one.
  EXPECT_THAT(Document(), Not(HasSubstr("2020-01-01")));
  EXPECT_THAT(Document(), HasSubstr("# mine\nworkflow: {status: ACTIVE}\nresumption:\n"));
  EXPECT_TRUE(Model().WasSent("Resumption staleness: FRESH"));
  EXPECT_TRUE(Model().WasSent("belay resumption update"));
  EXPECT_THAT(Document(), HasSubstr("next_step: \"count the apples\""));
}

TEST_F(ResumptionScenario, AStaleDocumentsReminderReachesTheModel) {
  // Its session can't bring it up to date: the file is refused as it is.
  folder_.Write("repo/ORCHESTRATION.yaml", "a: 1\na: 2\n");
  ModelScript script;
  script.Step("ends").IfUserSays("go on").Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "go on"));
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_TRUE(Model().WasSent("Resumption staleness: CRITICAL"));
  EXPECT_TRUE(Model().WasSent("Reminder: the resumption section"));
  EXPECT_EQ(Document(), "a: 1\na: 2\n");
}

}  // namespace
}  // namespace belay
