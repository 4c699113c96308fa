// What the guardian and its agents live through: being killed at any moment, a machine that was
// started again, pids of others, copies, cleanings, a full disk.

#include <filesystem>
#include <fstream>

#include "app/session_place.h"
#include "guard_sandbox.h"
#include "host/launch.h"
#include "host/run_record.h"
#include "killed_at_fork.h"
#include "ledger/family_table.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardSurviveTest : public GuardSandbox {
 protected:
  // Records an agent as running whose pid another process has now.
  void RecordRunning(const std::string& name, const ProcessIdentity& process) {
    const AgentId id(Name(name), 1);
    Identity agent{.id = id};
    agent.status = AgentStatus::kAlive;
    agent.process = agent.parent = ProcessMark{process.pid, process.start_time};
    agent.boot_id = process.boot_id;
    agent.worktree_path = project_.Root();
    agent.command = {AgentScript(name, kWaits)};
    agent.created_at = clock_.Wall();
    agent.started_at = agent.last_seen = agent.created_at;
    agent.lease = OurLease(files_, project_);
    std::filesystem::create_directory(project_.RunFolder());
    ASSERT_TRUE(WriteLaunch(files_, project_,
                            {.agent = id,
                             .command = agent.command,
                             .folder = project_.Root(),
                             .environment = {{"PATH", getenv("PATH")},
                                             {"BELAY_STATE", project_.StateRoot()}}},
                            "")
                    .ok());
    ASSERT_TRUE(WriteRunRecord(files_, project_,
                               {.agent = id,
                                .state = RunState::kRunning,
                                .parent = process,
                                .process = process,
                                .started_at = agent.created_at})
                    .ok());
    const Result<IdentityLock> lock = IdentityLedger::Lock(files_, project_);
    ASSERT_TRUE(lock.ok());
    ASSERT_TRUE(identities_.Record(*lock, {"alive", "", agent}).ok());
  }
  // In place, behind the back of a guardian that has read it.
  void SpoilFirstRecord(std::string_view journal) {
    const std::string path = project_.JournalFile(journal);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string header;
    std::getline(file, header);
    file.seekp(static_cast<std::streamoff>(header.size()) + 3);
    ASSERT_TRUE(file.put('#').good());
  }
  void ExpectBroughtBackAndLeftAlone(const std::string& name, Process& bystander) {
    StartGuardian();
    EXPECT_EQ(AwaitStatus(name, 2, AgentStatus::kAlive).predecessor_id,
              "orchestrator-" + name + "#1");
    EXPECT_EQ(Before(name).status, AgentStatus::kCrashed);
    EXPECT_EQ(Before(name).exit->cause, ExitCause::kUnknown);
    EXPECT_FALSE(bystander.TryWait());
    ASSERT_TRUE(bystander.Signal(SIGKILL).ok());
    (void)bystander.Wait();
  }
  static Process Bystander() { return *Process::Spawn({.command = {"sleep", "600"}}); }
};

TEST_F(GuardSurviveTest, DamagedIdentitiesDoNotKeepItsWorkFromBeingSavedBeforeASuccessorStarts) {
  SuperviseWithoutBackoff();
  StartGuardian();
  const Identity agent =
      Start("login", "[ ! -e started ] || rm -f precious\n: >started\n" + std::string(kWaits));
  folder_.Write("repo/precious", "work\n");
  SpoilFirstRecord("identities");
  Kill(agent);
  EXPECT_TRUE(Await([&] { return !std::filesystem::exists(folder_ / "repo/precious"); }));
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  const Json list = BelayJson({"snapshot", "list", "login"});
  ASSERT_FALSE(list.Find("snapshots")->AsArray()->empty());
  const std::string last = Text(list.Find("snapshots")->AsArray()->back(), "id");
  ASSERT_EQ(Belay({"snapshot", "restore", last, "--into", folder_ / "saved"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("saved/precious"), "work\n");
}

TEST_F(GuardSurviveTest, ANewGuardianTakesUpThoseThatRunAndRestartsThoseThatDied) {
  Process& first = StartGuardian();
  const Identity runs = Start("runs");
  const Identity dies = Start("dies");
  KillGuardian(first);
  Kill(dies);
  StartGuardian();
  AwaitStatus("dies", 2, AgentStatus::kAlive);
  EXPECT_TRUE(Is("runs", 1, AgentStatus::kAlive));
  EXPECT_EQ(Present("runs").process, runs.process);
  EXPECT_TRUE(Lives(runs.process));
  EXPECT_EQ(Text(Agent("guardian-main#1"), "status"), "crashed");
  Kill(runs);
  AwaitStatus("runs", 2, AgentStatus::kAlive);
}

TEST_F(GuardSurviveTest, AStopHoldsWhenTheGuardianIsKilledRightAfterIt) {
  Process& first = StartGuardian();
  const Identity agent = Start("login");
  ASSERT_EQ(Belay({"stop", "login", "--now"}).exit_code, 0);
  KillGuardian(first);
  Process& second = StartGuardian();
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  EXPECT_FALSE(Lives(agent.process));
  KillGuardian(second);
}

TEST_F(GuardSurviveTest, AStopHoldsThatNoGuardianSaw) {
  Process& first = StartGuardian();
  Start("login");
  KillGuardian(first);
  ASSERT_EQ(Belay({"stop", "login", "--now"}).exit_code, 0);
  StartGuardian();
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
}

TEST_F(GuardSurviveTest, AStopThatIsKilledBeforeItEndsTheAgentIsCarriedOut) {
  Supervise({"heartbeat: 1s", "stop_grace: 100ms"});
  StartGuardian();
  const Identity agent = Start("login", "echo work >work.txt\n" + std::string(kWaits));
  ASSERT_TRUE(Await([&] { return folder_.Read("repo/work.txt") == "work\n"; }));
  // It wants to keep the work first, for which it starts git.
  ASSERT_TRUE(KilledAtFork({BelayBinary(), "stop", "login"}, project_.Root(),
                           [&] { return StopIsRequested(Present("login")); }));
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kStopped);
  EXPECT_FALSE(Lives(agent.process));
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  EXPECT_GE(SnapshotsWith("login", "work.txt"), 1U);
}

TEST_F(GuardSurviveTest, AnAgentOfAnotherBootIsGoneWhicheverProcessHasItsPid) {
  Process bystander = Bystander();
  ProcessIdentity before = *IdentityOf(bystander.pid());
  before.boot_id = "00000000-0000-4000-8000-000000000000";
  RecordRunning("login", before);
  ExpectBroughtBackAndLeftAlone("login", bystander);
}

TEST_F(GuardSurviveTest, AProcessThatHasThePidOfAnAgentIsNotTheAgent) {
  Process bystander = Bystander();
  ProcessIdentity before = *IdentityOf(bystander.pid());
  before.start_time -= 1;
  RecordRunning("login", before);
  ExpectBroughtBackAndLeftAlone("login", bystander);
}

TEST_F(GuardSurviveTest, TheGuardianOfACopyLeavesTheAgentsOfTheOriginalAlone) {
  const std::int64_t pid = Pid(Spawn("runs", {AgentScript("runs", kWaits)}));
  const std::string dies = "case $BELAY_AGENT_ID in *#1) kill -9 $$;; esac\n" + std::string(kWaits);
  Spawn("due", {AgentScript("due", dies)});
  ASSERT_TRUE(Await([&] {
    const auto run = ReadRunRecord(files_, project_, Name("due"));
    return run && *run && (*run)->state == RunState::kEnded;
  }));
  ASSERT_EQ(Belay({"release", "due"}).exit_code, 0);
  ASSERT_TRUE(Is("due", 1, AgentStatus::kCrashed));
  ASSERT_EQ(RunReal({"cp", "-a", folder_ / "repo", folder_ / "copy"}).exit_code, 0);
  AlsoEnd(folder_ / "copy");
  const RunOutcome outcome = Belay({"guard", "--once"}, {.folder = folder_ / "copy"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const RunOutcome why = Belay({"why", "runs"}, {.folder = folder_ / "copy"});
  EXPECT_THAT(why.out, AllOf(HasSubstr("another copy of this project"), Not(HasSubstr("runs#2"))));
  EXPECT_TRUE(ProcessesAt(Layout(folder_ / "copy", folder_ / "copy/.git")).empty());
  EXPECT_THAT(Incarnations("due"), ElementsAre());
  // The original goes on as if nothing had happened.
  StartGuardian();
  AwaitStatus("due", 2, AgentStatus::kAlive);
  EXPECT_TRUE(Is("runs", 1, AgentStatus::kAlive));
  EXPECT_EQ(Present("runs").process->pid, pid);
  EXPECT_THAT(Incarnations("runs"), ElementsAre("orchestrator-runs#1"));
}

TEST_F(GuardSurviveTest, AnAgentWhoseExecIsKilledContinuesAndRestartsOnceWhenItDies) {
  StartGuardian();
  const Identity agent =
      Start("login", "trap '' HUP\nmkfifo \"" + folder_.path() + "/input\"\nread -r line <\"" +
                         folder_.path() + "/input\"\nexit 1\n");
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(folder_ / "input"); }));
  AwaitATurn();  // it is recorded a moment before it is watched
  ASSERT_TRUE(Open(*agent.parent).Signal(SIGKILL).ok());
  ASSERT_TRUE(
      Await([&] { return GuardianSaid().find("its belay exec ended") != std::string::npos; }));
  EXPECT_TRUE(Lives(agent.process));
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
  ASSERT_EQ(RunReal({"rm", folder_ / "input"}).exit_code, 0);
  Kill(agent);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  AwaitATurn();
  EXPECT_THAT(Incarnations("login"), ElementsAre("orchestrator-login#2"));
}

// What careless commands do to the main worktree.
class CleaningTest : public GuardSandbox {
 protected:
  bool Rendered(const Identity& agent) {
    const Result<std::string> identity =
        files_.Read(project_.IdentityRendering(agent.id.identity()), 100'000);
    const Result<std::string> hook =
        files_.Read(project_.HookRendering(agent.id.identity()), 100'000);
    return identity && hook && identity->find(agent.id.text()) != std::string::npos;
  }
  // In a shell in the main worktree, while an agent runs; then one falls.
  void ExpectNothingLost(const std::string& command) {
    StartGuardian();
    const Identity agent = Start("login");
    ASSERT_EQ(Belay({"hook", "note", "login", "half done"}).exit_code, 0);
    ASSERT_TRUE(Await([&] { return Rendered(agent); }));
    for (int i = 0; i < 3; ++i) {
      // It may fail at the end, when something appears in a folder that it is about to remove.
      (void)RunReal({"sh", "-c", command}, {.folder = folder_ / "repo"});
      EXPECT_TRUE(AwaitRendered(agent)) << command << " " << i;
    }
    EXPECT_EQ(Text(Hook("login"), "work_summary"), "half done");
    EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
    Kill(agent);
    const Identity second = AwaitStatus("login", 2, AgentStatus::kAlive);
    EXPECT_TRUE(AwaitRendered(second));
    EXPECT_THAT(*files_.Read(project_.ResumeFile(Name("login")), 100'000), HasSubstr("half done"));
  }
  bool AwaitRendered(const Identity& agent) {
    return AwaitInStateRoot([&] { return Rendered(agent); }, std::chrono::seconds(5));
  }
};

TEST_F(CleaningTest, RemovingTheClaudeFolderLosesNothing) { ExpectNothingLost("rm -rf .claude"); }
TEST_F(CleaningTest, GitCleanLosesNothing) { ExpectNothingLost("git clean -qfdx"); }
TEST_F(CleaningTest, GitStashLosesNothing) {
  ExpectNothingLost("echo x >loose.txt; git -c user.name=t -c user.email=t@example.org stash -qa");
}

}  // namespace
}  // namespace belay
