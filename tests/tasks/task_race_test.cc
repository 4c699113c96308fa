// Two processes at once: what one has read of a task is no longer true when it acts.

#include "task_world.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

const TaskId kRaced = *TaskId::Parse("t1");

class TaskRaceTest : public TaskWorld {
 protected:
  // In this process. `meanwhile` happens once, right before it locks the worktree.
  template <class Act>
  auto DoBeside(const Act& act, const std::function<void(Env&)>& meanwhile) {
    UnsyncedCalls calls;
    PosixPrograms programs;
    TaskEnv other(calls, programs, repo_.path());
    bool done = false;
    WatchedCalls watched(calls, [&](const WatchedCall& call) {
      const bool now =
          call.kind == CallKind::kOpen && call.path.find("worktree-") != call.path.npos;
      if (!now || done) return;
      done = true;
      meanwhile(other.env());
    });
    TaskEnv env(watched, programs, repo_.path());
    auto outcome = act(env.env());
    EXPECT_TRUE(done);
    return outcome;
  }
  static Result<ClaimTaskOutcome> Claim(Env& env) {
    return ClaimTask(env, {.id = kRaced, .worker = "worker-b"});
  }
};

// It would put files into the tree of a worker that has begun.
TEST_F(TaskRaceTest, WorkIsNotPutBackBesideAClaim) {
  AddClaimed();
  repo_.Write("tracked.txt", "work\n");
  SuspendIt();
  const std::string base = repo_.Read("tracked.txt");
  repo_.Write("tracked.txt", "by a person\n");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "advisory");
  repo_.Write("tracked.txt", base);  // now it fits
  const auto resumed = DoBeside([](Env& env) { return ResumeTask(env, {.id = kRaced}); },
                                [](Env& env) { EXPECT_TRUE(Claim(env).ok()); });
  ASSERT_FALSE(resumed.ok());
  EXPECT_EQ(resumed.error().code, ErrorCode::kBusy);
  EXPECT_EQ(repo_.Read("tracked.txt"), base);
}

// Taint was passed on as the task was before.
TEST_F(TaskRaceTest, AClaimOfATaskThatHasJustChangedIsTriedAgain) {
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  const auto taint = [](Env& env) {
    const Result<TaskPlace> place = FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kRefuse);
    ASSERT_TRUE(place.ok());
    OwnTasks tasks(env.files, env.clock, place->project);
    const auto edit = [](Task& task, const TaskBook&) -> Result<void> {
      task.resuming = task.work.tainted = true;
      return {};
    };
    EXPECT_TRUE(tasks.Change(kRaced, "resumed", edit).ok());
  };
  const auto claimed = DoBeside(Claim, taint);
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().code, ErrorCode::kBusy);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_THAT(Belay({"taint", "status"}).out, ::testing::HasSubstr("tainted"));
}

}  // namespace
}  // namespace belay
