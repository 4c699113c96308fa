// Deadlines of agents and tasks: the guardian warns, stops, and has the work suspended. The agents
// are scripts here; tests/agents/deadline_test.cc has the real ones. A deadline in the past is due
// at once, so no test waits for one.

#include "hook_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPast = "2026-01-01T00:00:00Z";
// Ignores what it is asked, and has a child that left its process group and its parent.
constexpr const char* kStubborn =
    "trap '' TERM HUP INT\n"
    "printf 'work\\n' > work.txt\n"
    "printf 'changed\\n' > file.txt\n"
    "(setsid sh -c 'trap \"\" TERM; echo $$ > ../left.tmp; mv ../left.tmp ../left; "
    "while :; do sleep 1; done' &)\n"
    "while [ ! -e ../left ]; do sleep 0.01; done\n"
    "echo 'compiling part 7 of 9'\n"
    "touch ../begun\n"
    "while :; do sleep 1; done\n";

class GuardDeadlineTest : public HookSandbox {
 protected:
  GuardDeadlineTest() { Supervise({"stop_grace: 200ms"}); }

  void AddTask(const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {"task", "add", "fix it"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(Belay(words).exit_code, 0);
  }
  void EndWave() { EXPECT_EQ(Belay({"task", "wave", "w1", "--deadline", kPast}).exit_code, 0); }
  Json TaskNow(const std::string& id = "t1") {
    const Json list = BelayJson({"task", "list"});
    for (const Json& task : *list.Find("tasks")->AsArray()) {
      if (Text(task, "id") == id) return task;
    }
    return {};
  }
  Json MetadataOf(const std::string& id = "t1") {
    const Json task = TaskNow(id);
    const Json* metadata = task.Find("metadata");
    return metadata != nullptr ? *metadata : Json::EmptyObject();
  }
  bool IsSet(const std::string& key, const std::string& id = "t1") {
    const Json metadata = MetadataOf(id);
    const Json* value = metadata.Find(key);
    return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
  }
  bool IsSuspended(const std::string& id = "t1") {
    return IsSet("suspended", id) && !IsSet("cleaning", id);
  }
  bool AwaitSuspended(const std::string& id = "t1") {
    const bool done = Await([&] { return IsSuspended(id); });
    EXPECT_TRUE(done) << WriteJson(TaskNow(id)) << Belay({"agents"}).out;
    return done;
  }
  std::string ContextFile(const std::string& id = "t1") {
    return folder_.Read("repo/" + Text(MetadataOf(id), "context_path"));
  }
  // Until what the agent does first is done.
  Identity StartWorker(const std::string& name, const std::string& script,
                       const std::vector<std::string>& options = {"--task", "t1"}) {
    Identity identity = Start(name, script, options);
    EXPECT_TRUE(Await([&] { return folder_.Read("begun") != "(missing)"; }));
    return identity;
  }
  std::size_t ToPerson(const std::string& text) {
    std::size_t count = 0;
    const Json list = BelayJson({"signal", "list", "person"});
    for (const Json& signal : *list.Find("signals")->AsArray()) {
      count += WriteJson(signal).find(text) != std::string::npos ? 1 : 0;
    }
    return count;
  }
};

TEST_F(GuardDeadlineTest, AWorkerThatIgnoresEverythingIsStoppedAndItsWorkSuspended) {
  AddTask({"--wave", "w1"});
  StartGuardian();
  const Identity worker = StartWorker("a", kStubborn);
  EndWave();
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_EQ(Present("a").status, AgentStatus::kTerminated);
  EXPECT_EQ(Present("a").exit->cause, ExitCause::kStopped);
  EXPECT_FALSE(Lives(worker.process));
  EXPECT_THAT(ContextFile(),
              AllOf(HasSubstr("timeout_reason: wave_timeout"),
                    HasSubstr("worker: orchestrator-a#1"), HasSubstr("work.txt"),
                    HasSubstr("belay put this together"), HasSubstr("compiling part 7 of 9")));
  EXPECT_EQ(folder_.Read("repo/work.txt"), "(missing)");
  EXPECT_EQ(folder_.Read("repo/file.txt"), "first\n");
  EXPECT_THAT(Why("a"), HasSubstr("its deadline, 2026-01-01T00:00:00Z, has passed"));
  EXPECT_TRUE(Await([&] { return GuardianSaid().find("task t1 suspended") != std::string::npos; }));
  // Another worker gets it, and the deadline that has passed doesn't count for that one.
  Start("b", kWaits, {"--task", "t1"});
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
  EXPECT_EQ(folder_.Read("repo/file.txt"), "changed\n");
  EXPECT_THAT(
      folder_.Read("repo/.git/belay/run/orchestrator-b.resume.md"),
      AllOf(HasSubstr("compiling part 7 of 9"), Not(HasSubstr("timeout_at is 2026-01-01"))));
  AwaitATurn();
  EXPECT_EQ(Present("b").status, AgentStatus::kAlive);
}

TEST_F(GuardDeadlineTest, ItsOwnDeadlineIsATurnLimitAndAGuardianThatStartsLaterEnforcesIt) {
  AddTask({"--deadline", "2s"});
  StartWorker("a", kStubborn);
  EXPECT_EQ(Text(Agent("orchestrator-a#1"), "timeout_at").substr(0, 2), "20");
  StartGuardian();
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_THAT(ContextFile(), HasSubstr("timeout_reason: turn_limit"));
}

TEST_F(GuardDeadlineTest, AnAgentsOwnDeadlineStopsItAlsoWithoutATask) {
  StartGuardian();
  StartWorker("a", kStubborn, {"--deadline", "1s"});
  const Identity ended = AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(ended.exit->cause, ExitCause::kStopped);
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
  EXPECT_GE(SnapshotsWith("a", "work.txt"), 1U);
  const RunOutcome passed =
      Belay({"spawn", "--name", "b", "--deadline", kPast, "--", "sleep", "600"});
  EXPECT_EQ(passed.exit_code, 2);
  EXPECT_THAT(passed.err, HasSubstr("has passed"));
}

TEST_F(GuardDeadlineTest, ItIsWarnedOnceByItsNextHookAlsoByTheNextGuardian) {
  AddTask({"--deadline", "50s"});
  Process& first = StartGuardian();
  Start("a", TellingScript(), {"--task", "t1"});
  const std::string call = R"({"session_id":"s1","tool_name":"Bash","tool_input":{}})";
  ASSERT_TRUE(Await([&] { return Why("a").find("Your deadline is 20") != std::string::npos; }));
  EXPECT_THAT(Tell("PostToolUse", call),
              AllOf(HasSubstr("Your deadline is 20"),
                    HasSubstr("belay task suspend t1 --reason turn_limit")));
  KillGuardian(first);
  StartGuardian();
  AwaitATurn();
  EXPECT_THAT(Tell("PostToolUse", call), Not(HasSubstr("Your deadline is")));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("s left"));
  EXPECT_THAT(Why("a"), HasSubstr("s left"));
  EXPECT_THAT(Tell("statusline", R"({"session_id":"s1"})"), HasSubstr("s left"));
}

TEST_F(GuardDeadlineTest, OfOneWithoutHooksThePersonIsTold) {
  AddTask({"--deadline", "50s"});
  StartGuardian();
  Start("a", kWaits, {"--task", "t1"});
  EXPECT_TRUE(Await([&] { return ToPerson("Your deadline is") == 1; }));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("it has no hooks"));
}

TEST_F(GuardDeadlineTest, OneThatSuspendsItselfInTimeKeepsItsOwnContext) {
  AddTask({"--wave", "w1"});
  StartGuardian();
  StartWorker("a", "printf 'work\\n' > work.txt\n" + BelayBinary() +
                       " task suspend t1 --reason turn_limit --last-action 'half is done' > "
                       "../said 2>&1\ntouch ../begun\n" +
                       std::string(kWaits));
  ASSERT_TRUE(IsSuspended()) << folder_.Read("said");
  EndWave();
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  AwaitATurn();
  EXPECT_THAT(ContextFile(), AllOf(HasSubstr("half is done"), HasSubstr("turn_limit")));
  EXPECT_EQ(Belay({"task", "resume", "t1"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
}

TEST_F(GuardDeadlineTest, WithContextsDisabledItIsStoppedAfterASnapshotAndNamed) {
  folder_.Write("repo/.claude/belay.yml",
                "supervise:\n  stop_grace: 200ms\ncontext_preservation:\n  enabled: false\n");
  AddTask({"--wave", "w1"});
  StartGuardian();
  StartWorker("a", kStubborn);
  EndWave();
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_TRUE(Await([&] { return Text(TaskNow(), "status") == "pending"; }));
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
  EXPECT_GE(SnapshotsWith("a", "work.txt"), 1U);
  EXPECT_TRUE(Await([&] { return ToPerson("orchestrator-a timed out without a context") == 1; }));
}

TEST_F(GuardDeadlineTest, WithoutStashingTheTreeStaysAsItIs) {
  folder_.Write(
      "repo/.claude/belay.yml",
      "supervise:\n  stop_grace: 200ms\ncontext_preservation:\n  stash_on_suspend: false\n");
  AddTask({"--wave", "w1"});
  StartGuardian();
  StartWorker("a", kStubborn);
  EndWave();
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
  EXPECT_THAT(ContextFile(), HasSubstr("work.txt"));
}

TEST_F(GuardDeadlineTest, AMergeUnderWayStaysInTheTreeAndTheContextIsWritten) {
  Git({"-C", "repo", "checkout", "-qb", "other"});
  folder_.Write("repo/file.txt", "other\n");
  Git({"-C", "repo", "commit", "-qam", "other"});
  Git({"-C", "repo", "checkout", "-q", "-"});
  folder_.Write("repo/file.txt", "mine\n");
  Git({"-C", "repo", "commit", "-qam", "mine"});
  AddTask({"--wave", "w1"});
  StartGuardian();
  StartWorker("a", "git merge other > ../said 2>&1\ntouch ../begun\n" + std::string(kWaits));
  EndWave();
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_NE(folder_.Read("repo/.git/MERGE_HEAD"), "(missing)");
  EXPECT_THAT(folder_.Read("repo/file.txt"), HasSubstr("<<<<<<<"));
  EXPECT_EQ(Belay({"task", "resume", "t1"}).exit_code, 0);
  EXPECT_NE(folder_.Read("repo/.git/MERGE_HEAD"), "(missing)");
}

TEST_F(GuardDeadlineTest, OneThatWaitsForItsRestartIsNotStartedAgain) {
  Supervise({"first_backoff: 5m", "longest_backoff: 5m"});
  AddTask({"--wave", "w1"});
  StartGuardian();
  Spawn("a", {AgentScript("a", "printf 'work\\n' > work.txt\nkill -9 $$\n")}, {"--task", "t1"});
  // The first crash is followed at once.
  ASSERT_TRUE(Await([&] { return Is("a", 2, AgentStatus::kCrashed); }));
  EndWave();
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_TRUE(Is("a", 2, AgentStatus::kTerminated)) << Why("a");
}

TEST_F(GuardDeadlineTest, AWorkerByHandThatTimedOutIsReset) {
  AddTask({"--wave", "w1"});
  EXPECT_EQ(Belay({"task", "claim", "t1", "--worker", "worker-x"}).exit_code, 0);
  StartGuardian();
  EndWave();
  EXPECT_TRUE(Await([&] { return Text(TaskNow(), "status") == "pending"; }));
  EXPECT_TRUE(Await([&] { return ToPerson("worker-x timed out without a context") == 1; }));
}

TEST_F(GuardDeadlineTest, ALaterDeadlineOfTheWaveCountsAtOnce) {
  AddTask({"--wave", "w1"});
  EXPECT_EQ(Belay({"task", "wave", "w1", "--deadline", "5s"}).exit_code, 0);
  StartGuardian();
  Start("a", kWaits, {"--task", "t1"});
  EXPECT_EQ(Belay({"task", "wave", "w1", "--deadline", "2h"}).exit_code, 0);
  EXPECT_TRUE(Await([&] {
    return Belay({"agents"}).out.find("m left") != std::string::npos ||
           Belay({"agents"}).out.find("h left") != std::string::npos;
  }));
  EXPECT_EQ(Belay({"task", "done", "t1"}).exit_code, 0);
  EXPECT_THAT(Belay({"agents"}).out, Not(HasSubstr("left")));
  EXPECT_EQ(Belay({"task", "wave", "w1", "--deadline", kPast}).exit_code, 0);
  AwaitATurn();
  EXPECT_EQ(Present("a").status, AgentStatus::kAlive) << "its task is done";
}

TEST_F(GuardDeadlineTest, ANewAgentUnderTheNameDoesNotGetTheDeadlineOfTheLastOnesTask) {
  AddTask({"--deadline", "2h"});
  StartGuardian();
  Spawn("a", {AgentScript("a", "exit 0")}, {"--task", "t1", "--no-respawn"});
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  const std::vector<std::string> spawn = {"spawn", "--name", "a", "--", "sleep", "600"};
  const RunOutcome refused = Belay(spawn);
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("left its task t1 unfinished"),
                                 HasSubstr("belay spawn --continue --role orchestrator --name a "),
                                 HasSubstr("belay task suspend t1")));
  EXPECT_EQ(Present("a").id.incarnation(), 1U);
  EXPECT_EQ(Belay({"task", "suspend", "t1", "--reason", "signal"}).exit_code, 0);
  EXPECT_EQ(Belay(spawn).exit_code, 0);
  EXPECT_THAT(Belay({"agents"}).out, Not(HasSubstr("left")));
}

TEST_F(GuardDeadlineTest, TheDeadlineOfASuspendedTaskStopsNoLaterAgentOfThatName) {
  AddTask({"--wave", "w1"});
  StartGuardian();
  StartWorker("a", kStubborn);
  EndWave();
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_EQ(Belay({"release", "a"}).exit_code, 0);
  AwaitStatus("a", 2, AgentStatus::kAlive);
  AwaitATurn();
  EXPECT_EQ(Present("a").status, AgentStatus::kAlive) << Why("a");
  EXPECT_FALSE(Present("a").intent) << Why("a");
}

TEST_F(GuardDeadlineTest, AWorkerThatHasSuspendedATaskAndTakenAnotherIsNotStopped) {
  AddTask({"--wave", "w1"});
  AddTask();
  StartGuardian();
  StartWorker("a", BelayBinary() + " task suspend t1 > ../said 2>&1 && " + BelayBinary() +
                       " task claim t2 >> ../said 2>&1\ntouch ../begun\n" + std::string(kWaits));
  ASSERT_EQ(Text(TaskNow("t2"), "owner"), "orchestrator-a") << folder_.Read("said");
  EndWave();
  AwaitATurn();
  EXPECT_EQ(Present("a").status, AgentStatus::kAlive) << Why("a");
  EXPECT_FALSE(Present("a").intent) << Why("a");
}

TEST_F(GuardDeadlineTest, WhoContinuesAfterTheDeadlineIsNotStoppedForIt) {
  AddTask({"--wave", "w1"});
  Start("a", kWaits, {"--task", "t1"});
  EXPECT_EQ(Belay({"stop", "a"}).exit_code, 0);
  EndWave();
  EXPECT_EQ(Belay({"spawn", "--continue", "--name", "a"}).exit_code, 0);
  StartGuardian();
  AwaitATurn();
  EXPECT_EQ(Present("a").status, AgentStatus::kAlive) << Why("a");
  EXPECT_FALSE(Present("a").intent) << Why("a");
}

TEST_F(GuardDeadlineTest, ManyAtOneInstantAreAllSuspendedEachWithItsWork) {
  constexpr int kWorkers = 12;
  Supervise({"stop_grace: 2s"});
  StartGuardian();
  for (int i = 1; i <= kWorkers; ++i) {
    AddTask({"--wave", i % 2 == 0 ? "w1" : "w2"});
    const std::string number = std::to_string(i);
    Start("a" + number, "echo " + number + " > work.txt; touch begun; " + std::string(kWaits),
          {"--task", "t" + number, "--new-worktree", "branch" + number});
  }
  EXPECT_EQ(Belay({"task", "wave", "w2", "--deadline", kPast}).exit_code, 0);
  EndWave();
  for (int i = 1; i <= kWorkers; ++i) {
    const std::string id = "t" + std::to_string(i);
    ASSERT_TRUE(AwaitSuspended(id));
    const RunOutcome shown =
        Belay({"snapshot", "show", Text(MetadataOf(id), "snapshot_id"), "--diff"});
    EXPECT_THAT(shown.out, HasSubstr("+" + std::to_string(i) + "\n")) << shown.err;
  }
}

}  // namespace
}  // namespace belay
