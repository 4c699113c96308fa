// What an agent that comes back knows, and how those come back that nobody counted on: one whose
// `belay spawn` was killed, and one that a person has released.

#include "guard_sandbox.h"
#include "killed_at_fork.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GuardRestartTest : public GuardSandbox {
 protected:
  std::string In(const std::string& file) { return "\"" + folder_ / file + "\""; }
  // What a script has said so far, up to its last whole line.
  std::string Said(const std::string& file) {
    const std::string text = folder_.Read(file);
    return text == "(missing)" ? "" : text.substr(0, text.rfind('\n') + 1);
  }
  bool AwaitSaid(const std::string& file, const std::string& line) {
    return Await([&] { return Said(file).find(line + "\n") != std::string::npos; });
  }
};

constexpr std::string_view kTask = "Repair the login page\nso that long names work";

// It tells the hook as it stands when it begins, and what it was given.
constexpr std::string_view kTells = R"(name=${BELAY_AGENT_ID%#*}
{ cat "$BELAY_STATE/hooks/$name.json"; cat "$BELAY_RESUME_FILE"; echo; echo told; } )";

TEST_F(GuardRestartTest, AHookHoldsNodeBeadAndScopeBeforeTheAgentRunsAndItsSuccessorInheritsThem) {
  StartGuardian();
  const Identity first =
      Start("login", std::string(kTells) + ">" + In("$BELAY_AGENT_ID") + "\n" + std::string(kWaits),
            {"--node", "login-page", "--bead", "bd-7", "--prompt", std::string(kTask)});
  const auto holds_scope =
      AllOf(HasSubstr(R"("current_node": "login-page")"), HasSubstr(R"("current_bead": "bd-7")"),
            HasSubstr(R"("scope": "Repair the login page\nso that long names work")"));
  ASSERT_TRUE(AwaitSaid("orchestrator-login#1", "told"));
  EXPECT_THAT(Said("orchestrator-login#1"), AllOf(holds_scope, HasSubstr(std::string(kTask))));
  ASSERT_EQ(Belay({"hook", "note", "login", "half done"}).exit_code, 0);
  Kill(first);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  const Json hook = Hook("login");
  EXPECT_EQ(*hook.Find("incarnation")->AsInteger(), 2);
  EXPECT_EQ(Text(hook, "current_node"), "login-page");
  EXPECT_EQ(Text(hook, "current_bead"), "bd-7");
  EXPECT_EQ(Text(hook, "scope"), kTask);
  EXPECT_EQ(Text(hook, "work_summary"), "half done");
  ASSERT_TRUE(AwaitSaid("orchestrator-login#2", "told"));
  EXPECT_THAT(Said("orchestrator-login#2"),
              AllOf(HasSubstr("You are a continuation of orchestrator-login#1"),
                    HasSubstr("node: login-page"), HasSubstr("bead: bd-7"),
                    HasSubstr("the task, as given by the person"), HasSubstr(std::string(kTask))));
}

// Investigates unless its text says that this is done; then does its work.
constexpr std::string_view kInvestigatesFirst = R"(name=${BELAY_AGENT_ID%#*}
case $(sed -n 's/^Resume from phase: \([a-z]*\).*/\1/p' "$BELAY_RESUME_FILE") in
implementation | testing | completion) ;;
*)
  echo "$BELAY_AGENT_ID investigates" >>"$said"
  [ "$BELAY_AGENT_ID" != "$falls_early" ] || kill -9 $$
  "$belay" hook note "$name" "the cause is the length check" >/dev/null
  "$belay" hook phase "$name" implementation >/dev/null
  ;;
esac
echo "$BELAY_AGENT_ID implements" >>"$said"
)";

class InvestigatingTest : public GuardRestartTest {
 protected:
  std::string Script(const std::string& falls_early) {
    return "belay=" + BelayBinary() + "\nfalls_early='" + falls_early + "'\nsaid=" + In("said") +
           "\n" + std::string(kInvestigatesFirst) + std::string(kWaits);
  }
};

TEST_F(InvestigatingTest, ASuccessorWithALaterPhaseDoesNotInvestigateAgain) {
  StartGuardian();
  const Identity first = Start("login", Script(""));
  ASSERT_TRUE(AwaitSaid("said", "orchestrator-login#1 implements"));
  Kill(first);
  ASSERT_TRUE(AwaitSaid("said", "orchestrator-login#2 implements"));
  EXPECT_EQ(Said("said"),
            "orchestrator-login#1 investigates\n"
            "orchestrator-login#1 implements\n"
            "orchestrator-login#2 implements\n");
  EXPECT_THAT(*files_.Read(project_.ResumeFile(Name("login")), 100'000),
              HasSubstr("the cause is the length check"));
}

TEST_F(InvestigatingTest, ASuccessorOfAnInvestigatingAgentInvestigates) {
  StartGuardian();
  Spawn("login", {AgentScript("login", Script("orchestrator-login#1"))});
  ASSERT_TRUE(AwaitSaid("said", "orchestrator-login#2 implements"));
  EXPECT_EQ(Said("said"),
            "orchestrator-login#1 investigates\n"
            "orchestrator-login#2 investigates\n"
            "orchestrator-login#2 implements\n");
}

TEST_F(GuardRestartTest, CrashesOfAReleasedAgentAreCountedAgain) {
  Supervise({"first_backoff: 10ms", "longest_backoff: 10ms"});
  StartGuardian();
  Spawn("login", {AgentScript("login", "[ -e " + In("mended") + " ] || exit 1\necho >" +
                                           In("checked") + "\n" + std::string(kWaits))});
  EXPECT_EQ(AwaitStatus("login", 5, AgentStatus::kQuarantined).restart.crashes.size(), 5U);
  folder_.Write("mended", "");
  ASSERT_EQ(Belay({"release", "login"}).exit_code, 0);
  const Identity released = AwaitStatus("login", 6, AgentStatus::kAlive);
  EXPECT_THAT(released.restart.crashes, IsEmpty());
  EXPECT_EQ(released.restart.failed_resumes, 0U);
  // It is alive before its script has begun.
  ASSERT_TRUE(Await([&] { return folder_.Read("checked") != "(missing)"; }));
  ASSERT_EQ(RunReal({"rm", folder_ / "mended"}).exit_code, 0);
  Kill(released);
  // It is quarantined again after five more, and not before.
  EXPECT_EQ(AwaitStatus("login", 10, AgentStatus::kQuarantined).restart.crashes.size(), 5U);
}

TEST_F(GuardRestartTest, OnceTakesUpASpawnThatWasKilledBeforeTheLaunch) {
  const std::string agent = AgentScript("login", kWaits);
  const bool killed = KilledAtFork({BelayBinary(), "spawn", "--name", "login", "--node",
                                    "login-page", "--prompt", std::string(kTask), "--", agent},
                                   project_.Root(), [&] { return Recorded("login") != nullptr; });
  ASSERT_TRUE(killed);
  ASSERT_TRUE(Is("login", 1, AgentStatus::kSpawning));
  EXPECT_THAT(Incarnations("login"), IsEmpty());
  // Everything that it needs is on record already.
  EXPECT_EQ(Text(Hook("login"), "current_node"), "login-page");
  EXPECT_EQ(Text(Hook("login"), "scope"), kTask);
  const RunOutcome once = Belay({"guard", "--once"});
  EXPECT_EQ(once.exit_code, 0) << once.err;
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive)) << Why("login");
  EXPECT_TRUE(Lives(Present("login").process));
  EXPECT_THAT(Incarnations("login"), ElementsAre("orchestrator-login#1"));
}

}  // namespace
}  // namespace belay
