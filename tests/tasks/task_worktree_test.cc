// A task and its worktree: one task at a time in each, suspended where it was claimed, also when
// the worktree was moved, was deleted, or has a merge under way.

#include "model/context_file.h"
#include "task_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TaskWorktreeTest : public TaskWorld {
 protected:
  void MakeOther() { repo_.Git({"worktree", "add", "-q", "-b", "other", other_}); }
  void ClaimInOther(const std::vector<std::string>& more = {}) {
    MakeOther();
    std::vector<std::string> words = {"add", "fix it"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(Run(words).exit_code, 0);
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}, {.folder = other_}).exit_code, 0);
  }
  void LeaveFilesAlone() {
    repo_.Write(".claude/belay.yml", "context_preservation:\n  stash_on_suspend: false\n");
  }
  void AddTwo() {
    EXPECT_EQ(Run({"add", "one"}).exit_code, 0);
    EXPECT_EQ(Run({"add", "two"}).exit_code, 0);
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  }
  void ExpectRefused(const std::vector<std::string>& words, const std::string& says) {
    const RunOutcome outcome = Run(words);
    EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(says));
  }
  // The task was suspended, and its work didn't fit the worktree any more.
  void SuspendAndResumeAsAdvisory() {
    AddClaimed();
    repo_.Write("tracked.txt", "the first work\n");
    SuspendIt();
    repo_.Write("tracked.txt", "by a person\n");
    EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "advisory");
    repo_.CommitAll("by a person");
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  }

  const std::string other_ = repo_.outside() / "other";
};

TEST_F(TaskWorktreeTest, AWorktreeWithATaskTakesNoOther) {
  AddTwo();
  repo_.Write("new", "of the first task\n");
  for (const char* worker : {"worker-b", "worker-a"}) {
    ExpectRefused({"claim", "t2", "--worker", worker}, "has the work of task t1 of worker-a");
  }
  EXPECT_THAT(Run({"claim", "t2", "--worker", "worker-b"}).err,
              HasSubstr("belay spawn --task t2 --new-worktree BRANCH"));
  EXPECT_EQ(Text(TaskNow("t2"), "owner"), "(none)");
  MakeOther();
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-b", "--worktree", other_}).exit_code, 0);
  EXPECT_EQ(Text(TaskNow("t2"), "worktree_path"), other_);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0) << "again, its own";
  SuspendIt();
  EXPECT_EQ(Run({"add", "three"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t3", "--worker", "worker-c"}).exit_code, 0) << "it is free again";
}

TEST_F(TaskWorktreeTest, WorkIsNotPutIntoAWorktreeWithAnotherTask) {
  AddTwo();
  repo_.Write("new", "one\n");
  SuspendIt();
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-b"}).exit_code, 0);
  ExpectRefused({"resume", "t1"}, "has the work of task t2");
  EXPECT_EQ(repo_.Read("new"), "(missing)");
  EXPECT_TRUE(Is(Metadata(TaskNow()), "suspended")) << "and no resume was counted";
  EXPECT_THAT(ContextFile(), HasSubstr("resume_count: 0"));
  MakeOther();
  EXPECT_EQ(Text(RunJson({"resume", "t1", "--worktree", other_}), "mode"), "resume");
  EXPECT_EQ(repo_.Read("../other/new"), "one\n");
  // Its work waits there, so it is taken as well.
  EXPECT_EQ(Run({"done", "t2"}).exit_code, 0);
  EXPECT_EQ(Run({"add", "three"}).exit_code, 0);
  ExpectRefused({"claim", "t3", "--worker", "worker-c", "--worktree", other_},
                "has the work of task t1");
}

TEST_F(TaskWorktreeTest, WhereSuspendingLeavesFilesAloneTasksShareAWorktree) {
  const std::string settings = "context_preservation:\n  stash_on_suspend: ";
  repo_.Write(".claude/belay.yml", settings + "false\n");
  AddTwo();
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-b"}).exit_code, 0);
  repo_.Write("new", "of both\n");
  EXPECT_EQ(Run({"suspend", "t2"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("new"), "of both\n");
  repo_.Write(".claude/belay.yml", settings + "true\n");
  ExpectRefused({"suspend", "t1"}, "has the work of task t2");
  EXPECT_EQ(repo_.Read("new"), "of both\n");
}

TEST_F(TaskWorktreeTest, AnInterruptedCleaningComesBeforeTheNextTask) {
  AddTwo();
  repo_.Write("new", "work\n");
  repo_.Write(".git/index.lock", "");
  SuspendIt();
  EXPECT_EQ(repo_.Read("new"), "work\n");
  repo_.Remove(".git/index.lock");
  EXPECT_THAT(Run({"claim", "t2", "--worker", "worker-b"}).err, HasSubstr("belay task sweep"));
  EXPECT_EQ(Run({"sweep"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-b"}).exit_code, 0);
}

TEST_F(TaskWorktreeTest, ATaskIsSuspendedWhereItWasClaimedAndClaimedWhereItsWorkIs) {
  MakeOther();
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}, {.folder = other_}).exit_code, 0);
  repo_.Write("here", "a person's\n");
  repo_.Write("../other/new", "work\n");
  const RunOutcome outcome = Run({"suspend", "t1"});  // in the main worktree
  EXPECT_THAT(outcome.out, HasSubstr("the worktree " + other_ + " is back at HEAD"));
  EXPECT_EQ(repo_.Read("here") + repo_.Read("../other/new"), "a person's\n(missing)");
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_EQ(Text(TaskNow(), "worktree_path"), other_);
  SuspendIt();
  EXPECT_EQ(repo_.Read("here") + repo_.Read("../other/new"), "a person's\n(missing)");
  ExpectRefused({"suspend", "t1", "--worktree", repo_.path()}, "is suspended already");
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  ExpectRefused({"claim", "t1", "--worker", "worker-b", "--worktree", repo_.path()},
                "has its work back in " + other_);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b", "--worktree", other_}).exit_code, 0);
  ExpectRefused({"suspend", "t1", "--worktree", repo_.path()}, "is worked on in " + other_);
}

TEST_F(TaskWorktreeTest, AMergeUnderWayIsNotLost) {
  repo_.Git({"checkout", "-q", "-b", "side"});
  repo_.Write("side", "side\n");
  repo_.CommitAll("side");
  repo_.Git({"checkout", "-q", "main"});
  repo_.Write("main", "main\n");
  repo_.CommitAll("main");
  AddClaimed();
  repo_.Git({"merge", "-q", "--no-commit", "--no-ff", "side"});
  const Files files = WorkFiles();
  ExpectRefused({"suspend", "t1"}, "a merge is under way in " + repo_.path());
  EXPECT_EQ(WorkFiles(), files);
  EXPECT_NE(repo_.Read(".git/MERGE_HEAD"), "(missing)");
  EXPECT_EQ(Text(TaskNow(), "status"), "in_progress");
  repo_.Git({"commit", "-q", "-m", "merged"});
  SuspendIt();
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  repo_.Write(".git/CHERRY_PICK_HEAD", repo_.Git({"rev-parse", "HEAD~1"}));
  ExpectRefused({"suspend", "t1"}, "a cherry-pick is under way");
}

TEST_F(TaskWorktreeTest, AMovedWorktreeIsNamed) {
  MakeOther();
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}, {.folder = other_}).exit_code, 0);
  repo_.Write("../other/new", "work\n");
  repo_.Write("here", "a person's\n");
  repo_.Git({"worktree", "move", other_, other_ + "2"});
  const RunOutcome gone = Run({"suspend", "t1"});
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_THAT(gone.err, HasSubstr("no longer exists"));
  EXPECT_THAT(gone.err, HasSubstr("--worktree PATH"));
  EXPECT_EQ(repo_.Read("here"), "a person's\n");
  EXPECT_EQ(Run({"suspend", "t1", "--worktree", other_ + "2"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("../other2/new"), "(missing)");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "worktree_path"), other_ + "2");
  EXPECT_EQ(repo_.Read("../other2/new"), "work\n");
}

TEST_F(TaskWorktreeTest, ATaskWhoseWorktreeWasDeletedIsReopened) {
  MakeOther();
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}, {.folder = other_}).exit_code, 0);
  repo_.Write("../other/new", "work\n");
  SuspendIt();
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  repo_.Git({"worktree", "remove", "--force", other_});
  EXPECT_THAT(Run({"suspend", "t1"}).err, HasSubstr("belay task reopen t1"));
  const RunOutcome reopened = Run({"reopen", "t1"});
  EXPECT_EQ(reopened.exit_code, 0) << reopened.err;
  EXPECT_THAT(reopened.out, HasSubstr("is pending; belay task claim t1"));
  EXPECT_THAT(reopened.err, HasSubstr("belay snapshot restore agent-worker-a/1 --merge"))
      << "what was in that worktree is nowhere else";
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-c"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "restore", "agent-worker-a/1", "--merge"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("new"), "work\n");
  EXPECT_EQ(WriteJson(*Metadata(TaskNow()).Find("kept")), "[]") << "it is in its worktree now";
}

TEST_F(TaskWorktreeTest, ResumedWorkWhoseWorktreeWasDeletedIsNotClaimedWithoutIt) {
  ClaimInOther();
  repo_.Write("../other/new", "work\n");
  SuspendIt();
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  repo_.Git({"worktree", "remove", "--force", other_});
  ExpectRefused({"claim", "t1", "--worker", "worker-b"}, other_ + ", which no longer exists");
  EXPECT_TRUE(Is(Metadata(TaskNow()), "resuming"));
  EXPECT_NE(Stash(), "");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "resume");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("new"), "work\n");
}

TEST_F(TaskWorktreeTest, AClaimFromADeletedWorktreeNamesTheWork) {
  ClaimInOther();
  repo_.Write("../other/new", "work\n");
  SuspendIt();
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  repo_.Git({"worktree", "remove", "--force", other_});
  const RunOutcome moved = Run({"claim", "t1", "--worker", "worker-b"});
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_THAT(moved.err, HasSubstr("which no longer exists"));
  EXPECT_THAT(moved.err, HasSubstr("belay snapshot restore agent-worker-a/1 --merge"));
  EXPECT_THAT(Run({"done", "t1"}).err, HasSubstr("never put back: the snapshot agent-worker-a/1"));
  EXPECT_EQ(Belay({"snapshot", "prune", "--keep", "1"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "show", "agent-worker-a/1"}).exit_code, 0);
}

TEST_F(TaskWorktreeTest, WorkThatNeverLeftItsWorktreeIsResumedThere) {
  LeaveFilesAlone();
  ClaimInOther();
  repo_.Write("../other/new", "work\n");
  SuspendIt();
  ExpectRefused({"resume", "t1", "--worktree", repo_.path()}, "never left " + other_);
  EXPECT_TRUE(Is(Metadata(TaskNow()), "suspended"));
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "resume");
  EXPECT_EQ(Text(resumed, "worktree_path"), other_);
  ExpectRefused({"resume", "t1", "--worktree", repo_.path()}, "never left " + other_);
  repo_.Git({"worktree", "remove", "--force", other_});
  for (int i = 0; i < 2; ++i) {
    const Json lost = RunJson({"resume", "t1"});
    EXPECT_EQ(Text(lost, "mode"), "advisory");
    EXPECT_THAT(Text(lost, "text"), HasSubstr("stayed in a worktree that no longer exists"));
    EXPECT_THAT(Text(lost, "reason"), HasSubstr(other_));
  }
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
}

TEST_F(TaskWorktreeTest, ATaskThatTimedOutNamesWhatItsWorkerDidNotCommit) {
  ClaimInOther({"--wave", "w1"});
  EXPECT_EQ(Run({"wave", "w1", "--deadline", "2026-01-01T00:00:00Z"}).exit_code, 0);
  repo_.Write("../other/new", "work\n");
  EXPECT_THAT(Run({"sweep"}).out, HasSubstr("; 1 uncommitted file stays in " + other_));
  EXPECT_EQ(repo_.Read("../other/new"), "work\n");
}

TEST_F(TaskWorktreeTest, ATaskWhoseContextIsLostLeavesNoWorkInItsWorktree) {
  AddClaimed();
  repo_.Write("new", "work\n");
  repo_.Write(".git/index.lock", "");
  SuspendIt();
  EXPECT_EQ(repo_.Read("new"), "work\n");
  repo_.Remove(".git/index.lock");
  repo_.Remove("tmp");
  repo_.Remove(".git/belay/documents");
  EXPECT_THAT(Run({"sweep"}).out, HasSubstr("t1 reset: it was suspended, but its context file is "
                                            "missing; its work is the snapshot agent-worker-a/1"));
  EXPECT_EQ(repo_.Read("new"), "(missing)") << "the record says that the snapshot has it";
  EXPECT_EQ(Text(TaskNow(), "status"), "pending");
}

TEST_F(TaskWorktreeTest, AFailedTaskIsReopenedAndContinues) {
  repo_.Write(".claude/belay.yml", "context_preservation:\n  max_resume_count: 1\n");
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  SuspendIt({"--last-action", "the last words"});
  EXPECT_EQ(Text(TaskNow(), "status"), "failed");
  for (const char* verb : {"suspend", "resume", "done"}) {
    EXPECT_THAT(Run({verb, "t1"}).err, HasSubstr("belay task reopen t1")) << verb;
  }
  ExpectRefused({"claim", "t1", "--worker", "worker-b"}, "belay task reopen t1");
  EXPECT_THAT(Run({"reopen", "t1"}).out, HasSubstr("is suspended again; belay task resume t1"));
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "resume");
  EXPECT_THAT(Text(resumed, "text"), HasSubstr("| the last words"));
  EXPECT_EQ(*resumed.Find("resume_count")->AsInteger(), 1);
  EXPECT_EQ(repo_.Read("new"), "work\n");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  SuspendIt();
  EXPECT_EQ(Text(TaskNow(), "status"), "failed") << "it counts again";
}

TEST_F(TaskWorktreeTest, ContextsFromBeforeATaskWasReopenedDoNotCount) {
  belay::ContextFile earlier{.task_id = *TaskId::Parse("t1")};
  earlier.resume_count = 2;
  earlier.timestamp = *ParseUtc("2026-01-01T00:00:00Z");
  repo_.Write("tmp/work/20260101-000000/context/standalone/t1.md", WriteContextFile(earlier));
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  EXPECT_EQ(Text(TaskNow(), "status"), "failed");
  EXPECT_EQ(Run({"reopen", "t1"}).exit_code, 0);
  const std::string path = Text(Metadata(TaskNow()), "context_path");
  repo_.Write(path, repo_.Read(path) + "changed\n");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "cold");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  SuspendIt();
  EXPECT_TRUE(Is(Metadata(TaskNow()), "suspended"));
}

TEST_F(TaskWorktreeTest, WhatIsNotStuckIsNotReopened) {
  AddTwo();
  EXPECT_EQ(Run({"reopen", "t9"}).exit_code, 3);
  EXPECT_EQ(Run({"reopen", "t2"}).exit_code, 0) << "it is pending anyway";
  repo_.Write("new", "work\n");
  const RunOutcome taken = Run({"reopen", "t1"});
  EXPECT_THAT(taken.err, HasSubstr("stays in " + repo_.path()));
  EXPECT_EQ(repo_.Read("new"), "work\n");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  SuspendIt();
  ExpectRefused({"reopen", "t1"}, "belay task resume t1");
}

TEST_F(TaskWorktreeTest, WorkThatWasNeverPutBackStaysNamedUntilItIs) {
  SuspendAndResumeAsAdvisory();
  const std::string first = Text(Metadata(TaskNow()), "snapshot");
  repo_.Write("new", "the second work\n");
  SuspendIt();
  EXPECT_THAT(ParseContextFile(ContextFile())->context.earlier_snapshots,
              ::testing::ElementsAre(first));
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "resume");
  EXPECT_THAT(Text(resumed, "text"),
              HasSubstr("`belay snapshot restore agent-worker-a/1 --merge`"));
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "prune", "--keep", "1"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "show", "agent-worker-a/1"}).exit_code, 0);
  EXPECT_THAT(Run({"done", "t1"}).err, HasSubstr("never put back: the snapshot agent-worker-a/1"));
}

TEST_F(TaskWorktreeTest, RestoredOrDeletedWorkIsNoLongerNamed) {
  SuspendAndResumeAsAdvisory();
  repo_.Write("tracked.txt", "base\n");
  repo_.CommitAll("as it was");
  repo_.Git({"checkout", "-q", "HEAD~2", "--", "tracked.txt"});
  EXPECT_EQ(Belay({"snapshot", "restore", "agent-worker-a/1", "--merge"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("tracked.txt"), "the first work\n");
  EXPECT_TRUE(Is(Metadata(TaskNow()), "restored"));
  EXPECT_EQ(Stash(), "");
  SuspendIt();
  EXPECT_THAT(ParseContextFile(ContextFile())->context.earlier_snapshots, ::testing::IsEmpty());
  // The next one is deleted by a person.
  const std::string snapshot = Text(Metadata(TaskNow()), "snapshot_id");
  repo_.Write("tracked.txt", "by a person again\n");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "advisory");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  repo_.Git({"update-ref", "-d", "refs/belay/keep/" + snapshot});
  SuspendIt();
  EXPECT_THAT(ContextFile(), Not(HasSubstr("earlier_snapshots")));
}

TEST_F(TaskWorktreeTest, AChangedSnapshotOfAColdStartStaysNamedToo) {
  AddClaimed();
  repo_.Write("new", "the first work\n");
  SuspendIt();
  const std::string first = Text(Metadata(TaskNow()), "snapshot");
  repo_.Write(Text(Metadata(TaskNow()), "context_path"), "spoilt\n");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "cold");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  SuspendIt();
  EXPECT_THAT(ParseContextFile(ContextFile())->context.earlier_snapshots,
              ::testing::ElementsAre(first));
}

}  // namespace
}  // namespace belay
