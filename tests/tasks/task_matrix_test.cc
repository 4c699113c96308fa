// Suspend, resume and sweep are killed at every change that they make, and meet a full disk at
// every write: the work is in the tree or in the snapshot, as the record says, and the next run
// goes on.

#include <iostream>

#include "task_world.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

const TaskId kId = *TaskId::Parse("t1");

class TaskMatrixTest : public TaskWorld {
 protected:
  using Act = bool (*)(Env&);

  void Prepare() {
    AddClaimed();
    Work();
    files_ = WorkFiles();
    index_ = repo_.Index();
  }
  static bool Suspend(Env& env) {
    const auto outcome = SuspendTask(env, {.id = kId, .reason = SuspendReason::kTurnLimit});
    return outcome && !outcome->unfinished;
  }
  static bool Resume(Env& env) {
    const auto outcome = ResumeTask(env, {.id = kId});
    return outcome && outcome->mode == ResumeMode::kResume;
  }
  static bool Claim(Env& env) { return ClaimTask(env, {.id = kId, .worker = "worker-b"}).ok(); }
  static bool Sweep(Env& env) {
    const auto outcome = SweepTasks(env);
    return outcome && outcome->warnings.empty();
  }

  // In this process, undisturbed.
  bool Do(Act act) {
    UnsyncedCalls calls;
    PosixPrograms programs;
    TaskEnv env(calls, programs, repo_.path());
    return act(env.env());
  }
  Task Record() {
    UnsyncedCalls calls;
    PosixPrograms programs;
    TaskEnv env(calls, programs, repo_.path());
    const Result<TaskBook> book = ReadTasks(env.env());
    EXPECT_TRUE(book.ok());
    return *book->Find("t1");
  }

  // The repository as it is now is where each trial begins.
  void Keep() {
    (void)RunReal({"rm", "-rf", repo_.outside() / "kept"});
    EXPECT_EQ(RunReal({"cp", "-a", repo_.path(), repo_.outside() / "kept"}).exit_code, 0);
  }
  void PutBack() {
    EXPECT_EQ(RunReal({"rm", "-rf", repo_.path()}).exit_code, 0);
    EXPECT_EQ(RunReal({"cp", "-a", repo_.outside() / "kept", repo_.path()}).exit_code, 0);
  }

  // By the record the work is in one place, and it is there.
  void ExpectWorkIsWhereTheRecordSays() {
    const Task task = Record();
    if (!task.suspended) {
      EXPECT_EQ(WorkFiles(), files_) << "it isn't suspended: all of it is in the tree";
      EXPECT_EQ(repo_.Index(), index_);
      return;
    }
    EXPECT_EQ(repo_.TryGit({"cat-file", "-e", task.work.snapshot + "^{tree}"}), 0);
    const std::string refs =
        repo_.Git({"for-each-ref", "--format=%(objectname)", "refs/belay/keep"});
    EXPECT_THAT(refs, ::testing::HasSubstr(task.work.snapshot));
  }
  // Whatever happened: from here on the task can be suspended, resumed and is complete.
  void ExpectGoesOn() {
    EXPECT_TRUE(Do(Sweep));
    if (!Record().suspended && !Record().resuming) {
      EXPECT_TRUE(Do(Suspend));
    }
    if (Record().suspended) {
      // An interrupted resume may have put some of it back already.
      EXPECT_TRUE(resumes_ || Status().empty()) << Status();
      EXPECT_FALSE(Record().work.cleaning);
      EXPECT_EQ(std::ranges::count(Stash(), '\n'), 1) << Stash();
    }
    EXPECT_TRUE(Do(Resume));
    EXPECT_EQ(WorkFiles(), files_);
    EXPECT_EQ(repo_.Index(), index_);
    const Task task = Record();
    EXPECT_TRUE(task.resuming && !task.suspended);
    EXPECT_EQ(task.resume_count, 1U);
    const Result<ParsedContext> context = ParseContextFile(repo_.Read(task.context_path));
    EXPECT_TRUE(context.ok() && context->intact && context->context.resume_count == 1);
  }

  void KillEverywhere(Act act, std::size_t least) {
    Keep();
    std::size_t n = 1;
    for (;; ++n) {
      SCOPED_TRACE("killed at change " + std::to_string(n));
      PutBack();
      const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
        TaskEnv env(calls, programs, repo_.path());
        return act(env.env());
      });
      ASSERT_NE(run, KilledRun::kFailed);
      ExpectWorkIsWhereTheRecordSays();
      ExpectGoesOn();
      if (run == KilledRun::kEnded || HasFailure()) break;
    }
    std::cerr << n << " crash states\n";
    EXPECT_GT(n, least);
  }
  // `lasting`: no later write succeeds either.
  void FillDiskEverywhere(Act act, std::size_t least, bool lasting = true) {
    Keep();
    std::size_t n = 1;
    for (;; ++n) {
      SCOPED_TRACE("the disk is full at write " + std::to_string(n));
      PutBack();
      UnsyncedCalls real;
      FaultyCalls calls(real);
      calls.Plan({.kind = CallKind::kWrite, .number = n, .error = ENOSPC, .lasting = lasting});
      PosixPrograms programs;
      TaskEnv env(calls, programs, repo_.path());
      (void)act(env.env());
      ExpectWorkIsWhereTheRecordSays();
      ExpectGoesOn();
      if (calls.faults() == 0 || HasFailure()) break;
    }
    std::cerr << n << " states of a full disk\n";
    EXPECT_GT(n, least);
  }

  Files files_;
  std::string index_;
  bool resumes_ = false;  // what is interrupted
};

TEST_F(TaskMatrixTest, SuspendIsKilledAtEveryChange) {
  Prepare();
  KillEverywhere(Suspend, 40);
}

TEST_F(TaskMatrixTest, ResumeIsKilledAtEveryChange) {
  Prepare();
  ASSERT_TRUE(Do(Suspend));
  resumes_ = true;
  KillEverywhere(Resume, 20);
}

TEST_F(TaskMatrixTest, SweepIsKilledAtEveryChange) {
  Prepare();
  // Killed where the record is written, and some files are clean already.
  Keep();
  bool halfway = false;
  for (std::size_t n = 20; !halfway && n < 300; n += 3) {
    PutBack();
    (void)RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      TaskEnv env(calls, programs, repo_.path());
      return Suspend(env.env());
    });
    halfway = Record().suspended && Record().work.cleaning && WorkFiles() != files_;
  }
  ASSERT_TRUE(halfway);
  KillEverywhere(Sweep, 5);
}

// The claim of a resumed task acknowledges it, and removes its stash entry.
TEST_F(TaskMatrixTest, ClaimIsKilledAtEveryChange) {
  Prepare();
  ASSERT_TRUE(Do(Suspend));
  ASSERT_TRUE(Do(Resume));
  Keep();
  std::size_t left_behind = 0;
  for (std::size_t n = 1;; ++n) {
    SCOPED_TRACE("killed at change " + std::to_string(n));
    PutBack();
    const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      TaskEnv env(calls, programs, repo_.path());
      return Claim(env.env());
    });
    ASSERT_NE(run, KilledRun::kFailed);
    const bool acknowledged = !Record().resuming;
    if (!acknowledged) {
      EXPECT_NE(Stash(), "") << "no worker has it yet";
    }
    left_behind += acknowledged && !Stash().empty() ? 1 : 0;
    EXPECT_TRUE(Do(Sweep));
    EXPECT_EQ(Stash().empty(), acknowledged);
    EXPECT_TRUE(Do(Claim));
    EXPECT_EQ(Stash(), "");
    EXPECT_EQ(WorkFiles(), files_);
    if (run == KilledRun::kEnded || HasFailure()) break;
  }
  EXPECT_GT(left_behind, 0U) << "the sweep had something to do";
}

// Its context file must be written again from its copy.
TEST_F(TaskMatrixTest, AFullDiskIsNoReasonToStartOver) {
  Prepare();
  ASSERT_TRUE(Do(Suspend));
  repo_.Remove("tmp");
  resumes_ = true;
  FillDiskEverywhere(Resume, 3, false);
  PutBack();
  FillDiskEverywhere(Sweep, 1, false);
}

TEST_F(TaskMatrixTest, WhereTheSnapshotWasDeletedTheTreeStays) {
  Prepare();
  Keep();
  for (std::size_t n = 20; n < 300; n += 3) {
    PutBack();
    (void)RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      TaskEnv env(calls, programs, repo_.path());
      return Suspend(env.env());
    });
    if (Record().suspended) break;
  }
  ASSERT_TRUE(Record().work.cleaning);
  const Files now = WorkFiles();
  repo_.Git({"update-ref", "-d", "refs/belay/keep/" + Record().work.snapshot_id});
  EXPECT_TRUE(Do(Sweep));
  EXPECT_FALSE(Record().work.cleaning);
  EXPECT_EQ(WorkFiles(), now);
}

TEST_F(TaskMatrixTest, SuspendMeetsAFullDiskAtEveryWrite) {
  Prepare();
  FillDiskEverywhere(Suspend, 5);
}

TEST_F(TaskMatrixTest, ResumeMeetsAFullDiskAtEveryWrite) {
  Prepare();
  ASSERT_TRUE(Do(Suspend));
  resumes_ = true;
  FillDiskEverywhere(Resume, 5);
}

}  // namespace
}  // namespace belay
