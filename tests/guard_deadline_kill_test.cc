// The guardian is killed at one point after the other around a deadline; what it had started goes
// on. The next guardian ends the agent, and its task is suspended once, with all its work.

#include "hook_sandbox.h"
#include "killed_at_point.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

// A run has some 118; how often it writes depends a little on the time.
constexpr int kFewestPoints = 90;

class DeadlineKill : public GuardSandbox {
 protected:
  KilledAtPoint Killed(const std::vector<std::string>& words) {
    std::vector<std::string> command = {BelayBinary()};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--root", project_.Root()});
    return {command,
            project_.Root(),
            {std::string("PATH=") + getenv("PATH"), "HOME=" + folder_.path()}};
  }
  void StartStubborn() {
    Supervise({"stop_grace: 100ms"});
    EXPECT_EQ(Belay({"task", "add", "fix it", "--wave", "w1"}).exit_code, 0);
    Spawn("a",
          {AgentScript("a",
                       "trap '' TERM\nprintf 'work\\n' > work.txt\nprintf 'changed\\n' > "
                       "file.txt\ntouch ../begun\nwhile :; do sleep 1; done\n")},
          {"--task", "t1"});
    EXPECT_TRUE(Await([&] { return folder_.Read("begun") != "(missing)"; }));
  }
  void EndWave() {
    EXPECT_EQ(Belay({"task", "wave", "w1", "--deadline", "2026-01-01T00:00:00Z"}).exit_code, 0);
  }
  Json Task() {
    const Json list = BelayJson({"task", "list"});
    return list.Find("tasks")->AsArray()->front();
  }
  static bool Is(const Json& task, const std::string& key) {
    const Json* value = task.Find("metadata")->Find(key);
    return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
  }
  // A sweep that the killed one had started may still run: the next guardian lets it, and ends.
  Json AwaitSuspended() {
    Json task;
    const bool done = Await([&] {
      (void)Belay({"guard", "--once"});
      task = Task();
      return Is(task, "suspended") && !Is(task, "cleaning");
    });
    EXPECT_TRUE(done) << WriteJson(task) << Belay({"why", "a"}).out;
    return task;
  }
};

class DeadlineKillTest : public DeadlineKill, public ::testing::WithParamInterface<int> {
 protected:
  // Whether it came to that point.
  bool KillGuardianAt(int nth) {
    KilledAtPoint killed = Killed({"guard", "--once"});
    return killed.Run([&](const std::string& point) {
      last_ = point;
      return ++points_ == nth;
    });
  }

  std::string last_;
  int points_ = 0;
};

TEST_P(DeadlineKillTest, TheNextGuardianSuspendsTheTaskOnceWithAllItsWork) {
  StartStubborn();
  EndWave();
  const bool killed = KillGuardianAt(GetParam());
  SCOPED_TRACE(killed ? "killed at " + last_ : "not killed");
  EXPECT_TRUE(killed || GetParam() > kFewestPoints)
      << "it came to its end after " << points_ << " points";
  const Json task = AwaitSuspended();
  EXPECT_EQ(Present("a").status, AgentStatus::kTerminated);
  EXPECT_FALSE(Lives(Present("a").process));
  EXPECT_EQ(*task.Find("metadata")->Find("resume_count")->AsInteger(), 0);
  EXPECT_EQ(folder_.Read("repo/work.txt"), "(missing)");
  EXPECT_EQ(folder_.Read("repo/file.txt"), "first\n");
  const RunOutcome resumed = Belay({"task", "resume", "t1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("wave_timeout"));
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
  EXPECT_EQ(folder_.Read("repo/file.txt"), "changed\n");
}

using SweepKillTest = DeadlineKill;

TEST_F(SweepKillTest, TheGuardianFinishesWhatAKilledSweepHasBegun) {
  StartStubborn();
  EXPECT_EQ(Belay({"stop", "a"}).exit_code, 0);
  EndWave();
  KilledAtPoint killed = Killed({"task", "sweep"});
  ASSERT_TRUE(killed.Run(
      [&](const std::string&) {
        const std::string journal = folder_.Read("repo/.git/belay/journals/tasks.jsonl");
        return journal.find("\"cleaning\":true") != std::string::npos;
      },
      true));
  ASSERT_TRUE(Is(Task(), "cleaning"));
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
  const Json task = AwaitSuspended();
  EXPECT_FALSE(Is(task, "cleaning"));
  EXPECT_EQ(folder_.Read("repo/work.txt"), "(missing)");
  EXPECT_EQ(folder_.Read("repo/file.txt"), "first\n");
  EXPECT_EQ(Belay({"task", "resume", "t1"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/work.txt"), "work\n");
}

INSTANTIATE_TEST_SUITE_P(Points, DeadlineKillTest, ::testing::Range(1, 116, 3));

}  // namespace
}  // namespace belay
