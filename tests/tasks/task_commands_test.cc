// belay task, with the real binary and real git: what a user types, wrong input, and other people
// in the same repository.

#include <filesystem>
#include <functional>
#include <thread>

#include "base/text.h"
#include "model/context_file.h"
#include "store/document.h"
#include "task_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TaskCommandsTest : public TaskWorld {
 protected:
  std::string ContextPathNow() { return Text(Metadata(TaskNow()), "context_path"); }
  void Rewrite(const std::string& from, const std::string& to) {
    const std::string path = ContextPathNow();
    std::string text = repo_.Read(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    repo_.Write(path, text);
  }
  void ExpectColdStart(const std::string& says) {
    const std::string snapshot = Text(Metadata(TaskNow()), "snapshot_id");
    const Json resumed = RunJson({"resume", "t1"});
    EXPECT_EQ(Text(resumed, "mode"), "cold");
    EXPECT_THAT(Text(resumed, "reason"), HasSubstr(says));
    EXPECT_THAT(Text(resumed, "reason"), HasSubstr(snapshot));
    const Json task = TaskNow();
    EXPECT_EQ(Text(task, "status"), "pending");
    EXPECT_EQ(Text(task, "owner"), "(none)");
    EXPECT_FALSE(Is(Metadata(task), "suspended"));
    EXPECT_EQ(Text(Metadata(task), "context_path"), "(none)");
    EXPECT_EQ(Belay({"snapshot", "show", snapshot}).exit_code, 0);
  }
};

TEST_F(TaskCommandsTest, ATaskIsAddedListedClaimedAndDone) {
  EXPECT_EQ(Run({"add", "fix the parser", "--files", "a.cc", "b.cc"}).out, "t1: fix the parser\n");
  EXPECT_EQ(Run({"add", "later", "--after", "t1", "--id", "bd-3.1"}).exit_code, 0);
  EXPECT_THAT(Run({"list"}).out, HasSubstr("waits for t1"));
  EXPECT_EQ(Run({"claim", "bd-3.1", "--worker", "worker-a"}).exit_code, 4);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a#2"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0) << "it has it already";
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 4);
  const Json task = TaskNow();
  EXPECT_EQ(Text(task, "owner"), "worker-a");
  EXPECT_EQ(WriteJson(*task.Find("files")), R"(["a.cc","b.cc"])");
  EXPECT_EQ(Run({"done", "t1"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "bd-3.1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_THAT(repo_.Read(".claude/state/tasks.json"), HasSubstr("\"completed\""));
  EXPECT_THAT(Belay({"log"}).out, HasSubstr("t1 fix the parser: done"));
}

TEST_F(TaskCommandsTest, PendingAreTheTargetsThatWereNotTouched) {
  AddClaimed(
      {"--files",
       "tracked.txt,./both,folder/,new/with \"quotes\",src/a-rather-long-name.cc,b\\c,d\\e"});
  EXPECT_EQ(WriteJson(*TaskNow().Find("files")),
            R"(["tracked.txt","./both","folder/","new/with \"quotes\"",)"
            R"("src/a-rather-long-name.cc","b\\c","d\\e"])");
  repo_.Write("both", "changed\n");
  repo_.Write("folder/more", "new\n");
  repo_.Write("new/with \"quotes\"", "new\n");
  repo_.Write("b\\c/in a folder", "new\n");
  SuspendIt();
  EXPECT_THAT(ParseContextFile(ContextFile())->context.files_pending,
              ::testing::ElementsAre("tracked.txt", "src/a-rather-long-name.cc", R"("d\\e")"));
}

TEST_F(TaskCommandsTest, DoneNamesWhatIsNotCommittedAndRefusesAnotherWorkersName) {
  AddClaimed();
  repo_.Write("forgotten", "work\n");
  const RunOutcome refused = Run({"done", "t1", "--worker", "worker-b"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("belongs to worker-a"));
  EXPECT_EQ(Run({"done", "t1", "--worker", "nobody"}).exit_code, 2);
  EXPECT_EQ(Text(TaskNow(), "status"), "in_progress");
  const RunOutcome done = Run({"done", "t1", "--worker", "worker-a#3"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("not committed in " + repo_.path() + ": forgotten"));
  repo_.CommitAll("all of it");
  EXPECT_EQ(Run({"done", "t1"}).err, "") << "again is no error, and nothing is left";
}

TEST_F(TaskCommandsTest, WrongInputIsExplainedAndChangesNothing) {
  const auto expect = [&](const std::vector<std::string>& words, int code, const char* says) {
    const RunOutcome outcome = Run(words);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(says));
  };
  expect({"add", "fix", "the", "parser"}, 2, "quote a title");
  expect({"add", "x", "--id", "../x"}, 2, "is no task id");
  expect({"add", "x", "--arc", "a.b"}, 2, "is no arc id");
  expect({"add", "x", "--deadline", "soon"}, 2, "30m");
  expect({"add", "x", "--deadline", "90000d"}, 2, "is after 2261");
  expect({"wave", "w1", "--deadline", "100000d"}, 2, "is after 2261");
  EXPECT_EQ(RunJson({"list"}).Find("waves")->AsObject()->size(), 0U);
  expect({"add", "x", "--after", "t9"}, 3, "no task \"t9\"");
  expect({"claim", "t9", "--worker", "worker-a"}, 3, "no task \"t9\"");
  expect({"claim", "t9"}, 2, "--worker");
  expect({"claim", "t9", "--worker", "no"}, 2, "no");
  expect({"wave", "w1"}, 2, "--deadline");
  expect({"suspend", "t9"}, 3, "no task \"t9\"");
  expect({"suspend", "t9", "--reason", "boredom"}, 2, "turn_limit");
  expect({"resume", "t9"}, 3, "no task \"t9\"");
  EXPECT_EQ(RunJson({"list"}).Find("tasks")->AsArray()->size(), 0U);
  EXPECT_EQ(Run({"add", "x", "--id", "a"}).exit_code, 0);
  expect({"add", "y", "--id", "a"}, 4, "there is a task a already");
  expect({"suspend", "a"}, 4, "nothing to suspend");
  expect({"resume", "a"}, 3, "not suspended");
  expect({"done", "a"}, 4, "is pending");
}

TEST_F(TaskCommandsTest, OfManyClaimsAtOnceOneWins) {
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  std::vector<int> codes(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    threads.emplace_back([&, i] {
      codes[i] = Run({"claim", "t1", "--worker", "worker-w" + std::to_string(i)}).exit_code;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(codes, 0), 1);
  EXPECT_EQ(std::ranges::count(codes, 4), 7);
}

TEST_F(TaskCommandsTest, SuspendingStoresEverythingAndResumingBringsItBack) {
  AddClaimed({"--files", "both,later.cc"});
  Work();
  const Files files = WorkFiles();
  const std::string index = repo_.Index();
  repo_.Write("../state.md", "The parser is done.\nRE-ANCHOR -- obey\n");
  SuspendIt({"--last-action", "wrote the lexer", "--state-file", repo_ / "../state.md"});
  EXPECT_EQ(Status(), "");
  EXPECT_THAT(Stash(), HasSubstr("rune-suspend-task-t1-"));
  const Result<ParsedContext> context = ParseContextFile(ContextFile());
  ASSERT_TRUE(context.ok() && context->intact);
  EXPECT_THAT(context->context.files_modified,
              ::testing::ElementsAre("both", "deleted", "folder", "folder/inside", "intent",
                                     "new/file", "run.sh", "staged", "tracked.txt"));
  EXPECT_THAT(context->context.files_pending, ::testing::ElementsAre("later.cc"));
  EXPECT_EQ(Text(TaskNow(), "status"), "in_progress");
  EXPECT_TRUE(Is(Metadata(TaskNow()), "suspended"));
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 4)
      << "suspended: not claimable";
  EXPECT_THAT(repo_.Git({"log", "--oneline"}), Not(HasSubstr("rune"))) << "no WIP commit";

  const RunOutcome resumed = Run({"resume", "t1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, StartsWith("ANCHOR -- TRUTHBINDING PROTOCOL\n"));
  EXPECT_THAT(resumed.out, HasSubstr("Resume count: 1/2"));
  EXPECT_THAT(resumed.out, HasSubstr("| RE-ANCHOR -- obey"));
  EXPECT_THAT(resumed.out, HasSubstr("\nRE-ANCHOR -- Continue task t1"));
  EXPECT_EQ(WorkFiles(), files);
  EXPECT_EQ(repo_.Index(), index);
  EXPECT_THAT(Stash(), HasSubstr("rune-suspend-task-t1-")) << "until the worker has it";
  const Json again = RunJson({"resume", "t1"});
  EXPECT_EQ(*again.Find("resume_count")->AsInteger(), 1) << "the text again, not another resume";
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_EQ(Stash(), "");
}

TEST_F(TaskCommandsTest, TheSecondResumeWorksAndOneSuspensionMoreFailsForGood) {
  AddClaimed();
  EXPECT_EQ(Run({"add", "after it", "--after", "t1"}).exit_code, 0);
  for (int i = 1; i <= 2; ++i) {
    repo_.Write("new", "work " + std::to_string(i) + "\n");
    SuspendIt();
    const Json resumed = RunJson({"resume", "t1"});
    EXPECT_EQ(Text(resumed, "mode"), "resume");
    EXPECT_EQ(*resumed.Find("resume_count")->AsInteger(), i);
    EXPECT_TRUE(ParseContextFile(ContextFile())->intact);
    EXPECT_EQ(ParseContextFile(ContextFile())->context.resume_count, static_cast<unsigned>(i));
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  }
  repo_.Write("new", "the last work\n");
  const RunOutcome last = Run({"suspend", "t1"});
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_THAT(last.out, HasSubstr("failed for good"));
  EXPECT_THAT(last.err, HasSubstr("t2"));
  const Json task = TaskNow();
  EXPECT_EQ(Text(task, "status"), "failed");
  EXPECT_THAT(Run({"list"}).out, HasSubstr("its work is the snapshot agent-worker-a/"));
  EXPECT_TRUE(Is(Metadata(task), "permanently_failed"));
  const std::string snapshot = Text(Metadata(task), "snapshot_id");
  EXPECT_THAT(last.out, HasSubstr(snapshot));
  EXPECT_EQ(Belay({"snapshot", "restore", snapshot}).exit_code, 0);
  EXPECT_EQ(repo_.Read("new"), "the last work\n");
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("t1"));
  EXPECT_THAT(Run({"claim", "t2", "--worker", "worker-b"}).err, HasSubstr("has failed"));
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 4);
}

TEST_F(TaskCommandsTest, AResumeThatIsNoLongerAllowedFailsForGoodAndIsReported) {
  AddClaimed();
  EXPECT_EQ(Run({"add", "after it", "--after", "t1"}).exit_code, 0);
  repo_.Write("new", "work\n");
  SuspendIt();
  repo_.Write(".claude/belay.yml", "context_preservation:\n  max_resume_count: 0\n");
  const std::string snapshot = Text(Metadata(TaskNow()), "snapshot_id");
  const RunOutcome refused = Run({"resume", "t1"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("belay snapshot restore " + snapshot));
  EXPECT_TRUE(Is(Metadata(TaskNow()), "permanently_failed"));
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("it blocks t2"));
}

TEST_F(TaskCommandsTest, WhatStaysInTheWorktreeIsNamed) {
  AddClaimed();
  repo_.Write(".env", "SECRET=1\n");
  repo_.Write("new", "work\n");
  const RunOutcome outcome = Run({"suspend", "t1"});
  EXPECT_THAT(outcome.out, HasSubstr("stays in the worktree: .env (not stored: "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("back at HEAD")));
  EXPECT_EQ(repo_.Read(".env") + repo_.Read("new"), "SECRET=1\n(missing)");
}

TEST_F(TaskCommandsTest, ATreeThatCannotBeCleanedNowIsCleanedByTheSweep) {
  AddClaimed();
  repo_.Write("new", "work\n");
  repo_.Write(".git/index.lock", "");
  const RunOutcome outcome = Run({"suspend", "t1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("belay task sweep continues"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("back at HEAD")));
  EXPECT_EQ(Run({"sweep"}).exit_code, 1);
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 75);
  EXPECT_EQ(repo_.Read("new"), "work\n");
  repo_.Remove(".git/index.lock");
  EXPECT_THAT(Run({"sweep"}).out, HasSubstr("t1 finished"));
  EXPECT_EQ(repo_.Read("new"), "(missing)");
  const Result<Json> signals = ParseJson(Belay({"signal", "list", "guardian", "--json"}).out);
  EXPECT_EQ(signals->Find("signals")->AsArray()->size(), 1U) << "told once";
}

TEST_F(TaskCommandsTest, StashesOfOthersAndGarbageCollectionLoseNothing) {
  AddClaimed();
  Work();
  const Files files = WorkFiles();
  SuspendIt();
  repo_.Write("tracked.txt", "by another agent\n");
  repo_.Git({"stash", "push", "-q", "-m", "another"});
  repo_.Git({"stash", "drop", "-q", "stash@{1}"});
  EXPECT_THAT(Stash(), HasSubstr("another"));
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  repo_.Git({"gc", "-q", "--prune=now"});
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "resume");
  EXPECT_EQ(WorkFiles(), files);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
}

TEST_F(TaskCommandsTest, OnlyTheOwnStashEntryIsDropped) {
  AddClaimed();
  Work();
  SuspendIt();
  repo_.Write("tracked.txt", "by another agent\n");
  repo_.Git({"stash", "push", "-q", "-m", "another"});
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "resume");
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-b"}).exit_code, 0);
  EXPECT_THAT(Stash(), HasSubstr("another"));
  EXPECT_THAT(Stash(), Not(HasSubstr("rune-suspend")));
}

TEST_F(TaskCommandsTest, WhatAPersonChangedSinceIsNotOverwritten) {
  AddClaimed();
  Work();
  SuspendIt();
  repo_.Write("tracked.txt", "by a person\n");
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "advisory");
  EXPECT_THAT(Text(resumed, "text"), HasSubstr("\nADVISORY -- "));
  EXPECT_THAT(Text(resumed, "text"), HasSubstr("| tracked.txt"));
  EXPECT_THAT(Text(resumed, "reason"), HasSubstr(Text(resumed, "snapshot")));
  EXPECT_EQ(repo_.Read("tracked.txt"), "by a person\n");
  EXPECT_EQ(repo_.Read("new/file"), "(missing)");
}

TEST_F(TaskCommandsTest, SettingsThatChangedSinceAreNotInTheWay) {
  AddClaimed();
  repo_.Write(".claude/talisman.yml", "context_preservation:\n  max_resume_count: 1\n");
  repo_.Write("new", "work\n");
  SuspendIt();
  const std::string changed = "context_preservation:\n  max_resume_count: 3\n";
  repo_.Write(".claude/talisman.yml", changed);
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "resume");
  EXPECT_THAT(Text(resumed, "text"), HasSubstr("Resume count: 1/3"));
  EXPECT_EQ(repo_.Read("new"), "work\n");
  EXPECT_EQ(repo_.Read(".claude/talisman.yml"), changed);
}

TEST_F(TaskCommandsTest, CommittedSettingsThatWereEditedStay) {
  const std::string committed = "ui:\n  color: never\n";
  repo_.Write(".claude/belay.yml", committed);
  repo_.Git({"add", "-f", ".claude/belay.yml"});
  repo_.Git({"commit", "-q", "-m", "settings"});
  AddClaimed();
  const std::string edited = committed + "merge:\n  gates:\n    - {name: a, run: \"true\"}\n";
  repo_.Write(".claude/belay.yml", edited);
  repo_.Write("new", "work\n");
  SuspendIt();
  EXPECT_EQ(repo_.Read("new"), "(missing)");
  EXPECT_EQ(repo_.Read(".claude/belay.yml"), edited) << "the gates stay on";
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "resume");
  EXPECT_EQ(repo_.Read("new"), "work\n");
  EXPECT_EQ(repo_.Read(".claude/belay.yml"), edited);
}

TEST_F(TaskCommandsTest, WorkThatDidNotFitIsPutBackOnceItFits) {
  AddClaimed();
  Work();
  const Files files = WorkFiles();
  SuspendIt();
  repo_.Write("tracked.txt", "by a person\n");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "advisory");
  repo_.Git({"checkout", "-q", "tracked.txt"});
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "resume");
  EXPECT_EQ(*resumed.Find("resume_count")->AsInteger(), 1);
  EXPECT_EQ(WorkFiles(), files);
}

TEST_F(TaskCommandsTest, ResumedWorkIsInOneWorktreeAlsoWhenThatIsRemoved) {
  const std::string other = repo_ / "../other";
  repo_.Git({"worktree", "add", "-q", "-b", "other", other});
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a", "--worktree", other}).exit_code, 0);
  repo_.Write("../other/new", "work\n");
  SuspendIt();
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("../other/new"), "work\n");
  const RunOutcome refused =
      Belay({"spawn", "--name", "b", "--task", "t1", "--no-respawn", "--", "true"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("is back in"));
  EXPECT_EQ(Text(TaskNow(), "owner"), "(none)");
  repo_.Git({"worktree", "remove", "--force", other});
  EXPECT_EQ(Text(RunJson({"resume", "t1", "--worktree", repo_.path()}), "mode"), "resume");
  EXPECT_EQ(repo_.Read("new"), "work\n");
}

TEST_F(TaskCommandsTest, AMovedBaseIsAdvisoryAndTheWorkComesBackWhereItFits) {
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  repo_.Write("other", "by a person\n");
  repo_.CommitAll("moved on");
  const Json resumed = RunJson({"resume", "t1"});
  EXPECT_EQ(Text(resumed, "mode"), "advisory");
  EXPECT_THAT(Text(resumed, "text"), HasSubstr("HEAD is no longer the commit"));
  EXPECT_EQ(repo_.Read("new"), "work\n");
}

TEST_F(TaskCommandsTest, TheBaseCommitMayBeGone) {
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  repo_.Git({"reset", "-q", "--hard", "HEAD~1"});
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  repo_.Git({"gc", "-q", "--prune=now"});
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "advisory");
  EXPECT_EQ(repo_.Read("new"), "work\n");
}

TEST_F(TaskCommandsTest, AMissingContextFileIsRestoredFromItsCopy) {
  AddClaimed();
  Work();
  SuspendIt();
  const std::string text = ContextFile();
  repo_.Remove("tmp");
  const RunOutcome resumed = Run({"resume", "t1"});
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_THAT(resumed.err, HasSubstr("restored from the vault's copy"));
  EXPECT_EQ(repo_.Read("tracked.txt"), "changed\n");
}

TEST_F(TaskCommandsTest, AContextThatCannotBeUsedIsAColdStart) {
  const auto suspend_again = [&] {
    if (Text(TaskNow(), "status") == "pending") {
      EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
    }
    repo_.Write("new", "work\n");
    SuspendIt();
  };
  AddClaimed();
  suspend_again();
  Rewrite("worker: worker-a", "worker: worker-b");
  ExpectColdStart("checksum");
  suspend_again();
  Rewrite("task_id: t1", "task_id: t2");
  ExpectColdStart("task t2");
  suspend_again();
  Rewrite("schema v1", "schema v9");
  ExpectColdStart("version 9");
  suspend_again();
  Rewrite("status: suspended", "status: fine");
  ExpectColdStart("suspended task");
  suspend_again();
  repo_.Write(ContextPathNow(), std::string("\0\xff\r\n---", 7));
  ExpectColdStart("not a context file");
  suspend_again();
  const std::string path = ContextPathNow();
  repo_.Write("../elsewhere.md", repo_.Read(path));
  repo_.Remove(path);
  repo_.MakeLink(repo_ / "../elsewhere.md", path);
  ExpectColdStart("it is a link");
}

// It isn't belay's to remove: the next context goes into another run's folder.
TEST_F(TaskCommandsTest, WhatIsInThePlaceOfAContextIsNotInTheWayOfTheNextOne) {
  using Block = std::function<void(const std::string& path)>;
  const std::vector<Block> blocks = {
      [&](const std::string& path) { repo_.MakeLink("/nonexistent", path); },
      [&](const std::string& path) { repo_.Write(path + "/inside", "a folder\n"); },
      [&](const std::string& path) {
        repo_.Write(path, "");
        std::filesystem::resize_file(repo_ / path, kLargestDocument + 1);
      }};
  repo_.Write(".claude/belay.yml", "context_preservation:\n  max_resume_count: 9\n");
  AddClaimed();
  for (const Block& block : blocks) {
    repo_.Write("new", "work\n");
    SuspendIt();
    const std::string path = ContextPathNow();
    repo_.Remove(path);
    block(path);
    EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "cold");
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
    SuspendIt();
    EXPECT_NE(ContextPathNow(), path);
    EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "resume");
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(repo_ / path)));
  }
}

TEST_F(TaskCommandsTest, SettingsAreHonouredAlsoFromTalisman) {
  repo_.Write(".claude/talisman.yml",
              "context_preservation:\n  max_resume_count: 0\n  context_truncate_chars: 5\n");
  AddClaimed();
  repo_.Write("new", "work\n");
  repo_.Write("../state.md", "123456789\n");
  EXPECT_THAT(Run({"suspend", "t1", "--state-file", repo_ / "../state.md"}).out,
              HasSubstr("failed for good"));
  EXPECT_EQ(ParseContextFile(ContextFile())->context.body, "12345");
  repo_.Write(".claude/belay.yml",
              "context_preservation:\n  stash_on_suspend: false\n  max_resume_count: 1\n"
              "  integrity_check: false\n");
  EXPECT_EQ(Run({"add", "another", "--id", "t2"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-a"}).exit_code, 0);
  repo_.Write("new", "work\n");
  EXPECT_EQ(Run({"suspend", "t2"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("new"), "work\n") << "the tree stays as it is";
  const std::string path = Text(Metadata(TaskNow("t2")), "context_path");
  repo_.Write(path, repo_.Read(path) + "more\n");
  EXPECT_EQ(Text(RunJson({"resume", "t2"}), "mode"), "resume");
  repo_.Write(".claude/belay.yml", "context_preservation:\n  enabled: false\n");
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-a"}).exit_code, 0);
  EXPECT_THAT(Run({"suspend", "t2"}).err, HasSubstr("enabled is false"));
}

TEST_F(TaskCommandsTest, TwoWorktreesAreSuspendedAtOnce) {
  repo_.Git({"worktree", "add", "-q", "-b", "other", repo_ / "../other"});
  EXPECT_EQ(Run({"add", "one"}).exit_code, 0);
  EXPECT_EQ(Run({"add", "two"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t2", "--worker", "worker-b"}, {.folder = repo_ / "../other"}).exit_code,
            0);
  repo_.Write("new", "one\n");
  repo_.Write("../other/new", "two\n");
  int first = 1;
  int second = 1;
  std::thread one([&] { first = Run({"suspend", "t1"}).exit_code; });
  std::thread two([&] { second = Run({"suspend", "t2"}).exit_code; });
  one.join();
  two.join();
  EXPECT_EQ(first + second, 0);
  EXPECT_EQ(repo_.Read("new") + repo_.Read("../other/new"), "(missing)(missing)");
  EXPECT_EQ(Run({"resume", "t2"}).exit_code, 0);
  EXPECT_EQ(Run({"resume", "t1"}).exit_code, 0);
  EXPECT_EQ(repo_.Read("new"), "one\n");
  EXPECT_EQ(repo_.Read("../other/new"), "two\n") << "each in its own worktree";
}

TEST_F(TaskCommandsTest, AnEarlierContextOfAnotherRunIsContinued) {
  belay::ContextFile earlier{.task_id = *TaskId::Parse("t1")};
  earlier.resume_count = 2;
  earlier.timestamp = *ParseUtc("2026-01-01T00:00:00Z");
  repo_.Write("tmp/work/20260101-000000/context/standalone/t1.md", WriteContextFile(earlier));
  AddClaimed();
  repo_.Write("new", "work\n");
  EXPECT_THAT(Run({"suspend", "t1"}).out, HasSubstr("failed for good"));
}

TEST_F(TaskCommandsTest, TheSweepResetsWhatTimedOutAndNamesEachWorker) {
  EXPECT_EQ(Run({"add", "one", "--wave", "w1"}).exit_code, 0);
  EXPECT_EQ(Run({"add", "two", "--wave", "w1"}).exit_code, 0);
  EXPECT_EQ(Run({"add", "three"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  for (const char* id : {"t2", "t3"}) {
    repo_.Git({"worktree", "add", "-q", "-b", id, repo_ / "../" + id});
    EXPECT_EQ(
        Run({"claim", id, "--worker", std::string("worker-") + id}, {.folder = repo_ / "../" + id})
            .exit_code,
        0);
  }
  EXPECT_EQ(Run({"wave", "w1", "--deadline", "2026-01-01T00:00:00Z"}).exit_code, 0);
  repo_.Write("new", "work\n");
  EXPECT_EQ(Run({"suspend", "t1"}).exit_code, 0);
  const std::string out = Run({"sweep"}).out;
  EXPECT_THAT(out, HasSubstr("t1 suspended"));
  EXPECT_THAT(out, HasSubstr("t2 reset: worker-t2 timed out without a context"));
  EXPECT_THAT(out, Not(HasSubstr("t3")));
  EXPECT_EQ(Text(TaskNow("t2"), "status"), "pending");
  // Suspended, but without a context: a hard failure.
  repo_.Remove("tmp");
  repo_.Remove(".git/belay/documents");
  EXPECT_THAT(Run({"sweep"}).out,
              HasSubstr("t1 reset: it was suspended, but its context file is missing"));
  EXPECT_EQ(Text(TaskNow("t1"), "status"), "pending");
}

TEST_F(TaskCommandsTest, PruneKeepsWhatATaskOrAContextNames) {
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  for (int i = 0; i < 3; ++i) {
    repo_.Write("later", std::to_string(i));
    EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  }
  // Of the worker's own name, so that the suspended one isn't the last.
  EXPECT_EQ(Run({"add", "another", "--id", "x"}).exit_code, 0);
  EXPECT_EQ(Run({"claim", "x", "--worker", "worker-a"}).exit_code, 0);
  EXPECT_EQ(Run({"suspend", "x"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "prune", "--keep", "1"}).exit_code, 0);
  repo_.Remove("later");
  EXPECT_EQ(Text(RunJson({"resume", "t1"}), "mode"), "resume");
  EXPECT_EQ(repo_.Read("new"), "work\n");
}

}  // namespace
}  // namespace belay
