// What belay hears from the agent by its hooks: what it does, how its tests went, in which
// conversation it is, and how full that one is.

#include <gmock/gmock.h>

#include <algorithm>

#include "agents/hooked_world.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HooksScenario : public HookedWorld {
 protected:
  // Reads, edits, tests with a failure, edits, tests again, commits.
  static constexpr std::int64_t kTokens = 66'000;  // in the end: 33 % of 200000
  void AddWork(ModelScript& script) {
    folder_.Write("repo/apples.txt", "seven apples\n");
    Script("apple_test", "grep -q nine apples.txt && echo tests are fine || exit 3\n");
    Git({"-C", "repo", "add", "."});
    Git({"-C", "repo", "commit", "-qm", "apples"});
    script.Step("reads")
        .IfUserSays("count the apples")
        .Once()
        .Uses("Read", MakeObject({{"file_path", Project("apples.txt")}}));
    script.Step("edits").IfUserSays("seven apples").Once().Uses("Edit", Edit("seven", "eight"));
    script.Step("tests").IfUserSays("apples.txt has been updated").Once().RunsBash("./apple_test");
    script.Step("mends").IfUserSays("Exit code 3").Once().Uses("Edit", Edit("eight", "nine"));
    script.Step("tests again")
        .IfUserSays("apples.txt has been updated")
        .Once()
        .RunsBash("./apple_test");
    script.Step("commits")
        .IfUserSays("tests are fine")
        .Once()
        .RunsBash(
            "git add apples.txt && git -c user.name=t -c user.email=t@example.org commit "
            "-qm apples && echo it is committed");
    script.Step("ends").IfUserSays("it is committed").WithInputTokens(kTokens).Says("All done.");
  }
  Json Edit(const std::string& from, const std::string& to) {
    return MakeObject(
        {{"file_path", Project("apples.txt")}, {"old_string", from}, {"new_string", to}});
  }
  static std::vector<std::string> Phases(const Json& hook) {
    std::vector<std::string> phases;
    for (const Json& change : *hook.Find("phase_history")->AsArray()) {
      phases.push_back(Text(change, "phase"));
    }
    return phases;
  }
  static std::vector<std::string> Actions(const Json& hook) {
    std::vector<std::string> actions;
    for (const Json& action : *hook.Find("last_actions")->AsArray()) {
      actions.push_back(Text(action, "what"));
    }
    return actions;
  }
};

TEST_F(HooksScenario, ReportWhatItDoes) {
  ModelScript script;
  AddWork(script);
  ASSERT_NO_FATAL_FAILURE(Begin(script, "count the apples"));
  const Identity ended = AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(ended.session_id, LastSession());
  const Json hook = Hook("a");
  SCOPED_TRACE(WriteJson(hook, JsonStyle::kIndented));
  EXPECT_THAT(Phases(hook),
              ElementsAre("investigation", "implementation", "testing", "completion"));
  EXPECT_EQ(Text(hook, "tests_status"), "passed");
  EXPECT_EQ(Text(hook, "tests_detail"), "./apple_test: exit code 0");
  EXPECT_THAT(Why("a"), HasSubstr("tests failed"));
  EXPECT_THAT(Actions(hook),
              ElementsAre("Read " + Project("apples.txt"), "Edit " + Project("apples.txt"),
                          "Bash ./apple_test", "Edit " + Project("apples.txt"), "Bash ./apple_test",
                          HasSubstr("commit -qm apples")));
  EXPECT_EQ(Text(hook, "transcript_path"), TranscriptPaths(ConfigFolder()).back());
  EXPECT_EQ(WriteJson(*Row("a").Find("context_fill"), JsonStyle::kCompact), "33.0");
  EXPECT_EQ(Text(Row("a"), "context_tier"), "NOMINAL");
  EXPECT_EQ(Text(Row("a"), "session_id"), LastSession());
}

TEST_F(HooksScenario, ReportHowItsTestsFailed) {
  ModelScript script;
  script.Step("mends").IfUserSays("Exit code 3").Stalls();
  AddWork(script);
  ASSERT_NO_FATAL_FAILURE(Begin(script, "count the apples"));
  EXPECT_TRUE(Await([&] { return Text(Hook("a"), "tests_status") == "failed"; }));
  EXPECT_EQ(Text(Hook("a"), "tests_detail"), "./apple_test: exit code 3");
  EXPECT_EQ(Text(Row("a"), "work_phase"), "testing");
  EXPECT_TRUE(Await([&] {
    const Json hook = Hook("a");
    const Json::Array& files = *hook.Find("files_modified")->AsArray();
    return std::find(files.begin(), files.end(), Json("apples.txt")) != files.end();
  })) << "what it edited was never noticed";
}

TEST_F(HooksScenario, LeaveOtherPeoplesHooksInPlace) {
  const std::string theirs = fmt::format("echo called >> '{}'", folder_ / "theirs.txt");
  const Json hook = MakeObject({{"type", "command"}, {"command", theirs}});
  const Json group = MakeObject({{"matcher", "Bash"}, {"hooks", Json::Array{hook}}});
  folder_.Write(
      "repo/.claude/settings.json",
      WriteJson(MakeObject({{"hooks", MakeObject({{"PreToolUse", Json(Json::Array{group})}})}})));
  ModelScript script;
  script.Step("begins").IfUserSays("look around").Once().RunsBash("ls && echo that is all");
  script.Step("ends").IfUserSays("that is all").Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "look around"));
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(folder_.Read("theirs.txt"), "called\n");
  EXPECT_EQ(Present("a").session_id, LastSession());
}

}  // namespace
}  // namespace belay
