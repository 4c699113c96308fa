// The snapshot commands, as people and scripts use them.

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <regex>

#include "sandbox.h"
#include "testing/golden.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SnapshotCommandTest : public Sandbox {
 protected:
  SnapshotCommandTest() {
    Write("tracked.txt", "first\n");
    InRepo("git add . && git -c user.name=t -c user.email=t@example.org commit -qm first");
  }

  void Write(const std::string& name, const std::string& bytes) {
    folder_.Write("repo/" + name, bytes);
  }
  std::string Read(const std::string& name) { return folder_.Read("repo/" + name); }
  void InRepo(const std::string& script) {
    const RunOutcome outcome = RunReal({"sh", "-ec", script}, {.folder = folder_ / "repo"});
    ASSERT_EQ(outcome.exit_code, 0) << script << outcome.err;
  }
  std::string Refs() {
    return RunReal({"git", "for-each-ref", "--format=%(refname)", "refs/belay"},
                   {.folder = folder_ / "repo"})
        .out;
  }
  // A second worktree, called `linked`.
  RunOptions InLinked() {
    Git({"-C", "repo", "worktree", "add", "-q", folder_ / "linked"});
    return {.folder = folder_ / "linked"};
  }
  // One change, kept; the id of the snapshot.
  std::string Take(const std::string& text) {
    Write("tracked.txt", text);
    const Json record = BelayJson({"snapshot", "take"});
    EXPECT_TRUE(*record.Find("new")->AsBool());
    return *record.Find("id")->AsString();
  }
  // As an ordinary user, for whom modes count.
  RunOutcome AsSomebody(std::vector<std::string> command) {
    command.insert(command.begin(), BelayBinary());
    if (geteuid() == 0) {
      EXPECT_EQ(RunReal({"chown", "-R", "65534:65534", folder_.path()}).exit_code, 0);
      command.insert(command.begin(),
                     {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
    }
    return RunReal(command, {.folder = folder_ / "repo"});
  }
  void ExpectError(const std::vector<std::string>& command, int exit_code, const std::string& says,
                   RunOptions options = {}) {
    const RunOutcome outcome = Belay(command, std::move(options));
    EXPECT_EQ(outcome.exit_code, exit_code) << command[1] << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "") << command[1];
    EXPECT_THAT(outcome.err, HasSubstr(says)) << command[1];
  }
};

// What differs from run to run, made the same.
std::string Steady(std::string text) {
  text = std::regex_replace(text, std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}"),
                            "2026-11-15 06:36:00");
  return std::regex_replace(text, std::regex("\\b[0-9a-f]{10}\\b"), "0123456789");
}

std::vector<std::string> Texts(const Json& array, std::string_view member = {}) {
  std::vector<std::string> texts;
  for (const Json& item : *array.AsArray()) {
    texts.push_back(*(member.empty() ? item : *item.Find(member)).AsString());
  }
  return texts;
}

TEST_F(SnapshotCommandTest, TakesOneAndShowsWhatIsInIt) {
  Write("tracked.txt", "second\n");
  Write("new", "1");
  const RunOutcome outcome = Belay({"snapshot", "take"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "main/1  1 changed, 1 untracked, 8 B\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(Refs(), "refs/belay/keep/main/1\n");
}

TEST_F(SnapshotCommandTest, TheSameStateIsTakenOnce) {
  Take("second\n");
  EXPECT_THAT(Belay({"snapshot", "take"}).out, HasSubstr("main/1  no changes"));
  const Json again = BelayJson({"snapshot", "take"});
  EXPECT_EQ(*again.Find("id")->AsString(), "main/1");
  EXPECT_FALSE(*again.Find("new")->AsBool());
}

TEST_F(SnapshotCommandTest, NamesWhatWasNotCapturedAndWhy) {
  Write("tracked.txt", "second\n");
  Write(".env", "SECRET=1");
  const RunOutcome outcome = Belay({"snapshot", "take"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "not captured: .env (it looks like a secret)\n");
  EXPECT_EQ(Belay({"snapshot", "take", "--quiet"}).err, "");
  const Json record = BelayJson({"snapshot", "take"});
  EXPECT_EQ(WriteJson(*record.Find("skipped")), R"([{"path":".env","reason":"secret"}])");
}

TEST_F(SnapshotCommandTest, WhatCannotBeReadIsAFailureThatKeepsTheRest) {
  Write("closed", "1");
  Write("open", "1");
  ASSERT_EQ(chmod((folder_ / "repo/closed").c_str(), 0), 0);
  const RunOutcome outcome = AsSomebody({"snapshot", "take"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, StartsWith("main/1  "));
  EXPECT_THAT(outcome.err, HasSubstr("couldn't be read and is not in main/1: closed"));
  const RunOutcome json = AsSomebody({"snapshot", "take", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  const Result<Json> record = ParseJson(json.out);
  ASSERT_TRUE(record.ok()) << json.out;
  EXPECT_EQ(*record->Find("error")->Find("code")->AsString(), "failed");
}

TEST_F(SnapshotCommandTest, ListsWhatIsThere) {
  Write("a", "1");
  EXPECT_EQ(Belay({"snapshot", "take", "--message", "before the big change"}).exit_code, 0);
  Write("a", std::string(20000, 'x'));
  Write("b", "2");
  EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  for (const unsigned columns : {60U, 120U}) {
    const RunOptions plain{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = columns};
    ExpectGolden("snapshot-list-" + std::to_string(columns) + ".txt",
                 Steady(Belay({"snapshot", "list"}, plain).out));
  }
}

TEST_F(SnapshotCommandTest, ListsForScripts) {
  Write("a", "1");
  EXPECT_EQ(Belay({"snapshot", "take", "--message", "why"}).exit_code, 0);
  const Json record = BelayJson({"snapshot", "list"});
  const Json::Array& snapshots = *record.Find("snapshots")->AsArray();
  ASSERT_EQ(snapshots.size(), 1u);
  const Json& one = snapshots[0];
  EXPECT_EQ(*one.Find("id")->AsString(), "main/1");
  EXPECT_TRUE(one.Find("agent_id")->is_null());
  EXPECT_TRUE(std::regex_match(*one.Find("at")->AsString(), std::regex("[0-9-]+T[0-9:.]+Z")));
  EXPECT_EQ(*one.Find("reason")->AsString(), "why");
  EXPECT_EQ(one.Find("base_commit")->AsString()->size(), 40u);
  EXPECT_EQ(*one.Find("files")->AsInteger(), 1);
  EXPECT_EQ(*one.Find("bytes")->AsInteger(), 1);
}

TEST_F(SnapshotCommandTest, AnEmptyListIsNoError) {
  const RunOutcome outcome = Belay({"snapshot", "list"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("belay snapshot take takes one"));
  EXPECT_EQ(Belay({"snapshot", "list", "main"}).exit_code, 0);
}

TEST_F(SnapshotCommandTest, ShowsOnePathByPath) {
  Write("tracked.txt", "second\n");
  Write("new\nline", "1");
  Write(".env", "SECRET=1");
  EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  const RunOutcome shown = Belay({"snapshot", "show", "1"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("snapshot  main/1\n"), HasSubstr("branch    main\n"),
                    HasSubstr("worktree  " + (folder_ / "repo") + "\n"),
                    HasSubstr("captured  2 files, 8 B\n"), HasSubstr("changed       tracked.txt\n"),
                    HasSubstr("untracked     \"new\\nline\"\n"),
                    HasSubstr("not captured  .env (it looks like a secret)\n")));
  const Json record = BelayJson({"snapshot", "show", "main/1"});
  EXPECT_EQ(WriteJson(*record.Find("paths")), R"([{"path":"\"new\\nline\"","what":["untracked"]},)"
                                              R"({"path":"tracked.txt","what":["changed"]}])");
  const std::string commit = *record.Find("commit")->AsString();
  EXPECT_EQ(*BelayJson({"snapshot", "show", commit.substr(0, 12)}).Find("id")->AsString(),
            "main/1");
}

TEST_F(SnapshotCommandTest, ShowsADiffThatGitCanApply) {
  Write("tracked.txt", "second\n");
  Write("new", "1\n");
  EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  InRepo("git reset -q --hard && git clean -fdqx");
  folder_.Write("patch", Belay({"snapshot", "show", "1", "--diff"}).out);
  InRepo("git apply ../patch");
  EXPECT_EQ(Read("tracked.txt"), "second\n");
  EXPECT_EQ(Read("new"), "1\n");
  const Json record = BelayJson({"snapshot", "show", "1", "--diff"});
  EXPECT_EQ(*record.Find("diff")->AsString(), folder_.Read("patch"));
}

TEST_F(SnapshotCommandTest, ADiffThatIsNotUtf8IsNotForJson) {
  Write("tracked.txt", "caf\xe9\n");
  EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  const RunOutcome outcome = Belay({"snapshot", "show", "1", "--diff", "--json"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("without --json"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\"diff\"")));
  EXPECT_THAT(Belay({"snapshot", "show", "1", "--diff"}).out, HasSubstr("+caf\xe9\n"));
}

TEST_F(SnapshotCommandTest, BringsEverythingBackAfterTheTreeWasCleaned) {
  Write("tracked.txt", "second\n");
  Write("notes/new.md", "1\n");
  Write("staged", "2\n");
  InRepo("git add staged");
  EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  InRepo("git clean -fdxq && git reset -q --hard");
  const RunOutcome outcome = Belay({"snapshot", "restore", "main/1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("main/1: 3 files restored\n"));
  EXPECT_EQ(Read("tracked.txt"), "second\n");
  EXPECT_EQ(Read("notes/new.md"), "1\n");
  EXPECT_EQ(RunReal({"git", "diff", "--cached", "--name-only"}, {.folder = folder_ / "repo"}).out,
            "staged\n");
  const RunOutcome again = Belay({"snapshot", "restore", "1"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("main/1: nothing to restore, everything is already here"));
}

TEST_F(SnapshotCommandTest, RestoreReportsToScriptsWhatItDid) {
  Take("second\n");
  Write("tracked.txt", "first\n");
  Write("other", "1");
  const Json planned = BelayJson({"snapshot", "restore", "1", "--dry-run"});
  EXPECT_TRUE(*planned.Find("dry_run")->AsBool());
  EXPECT_EQ(Read("tracked.txt"), "first\n");
  const Json record = BelayJson({"snapshot", "restore", "1"});
  EXPECT_EQ(*record.Find("id")->AsString(), "main/1");
  EXPECT_EQ(Texts(*record.Find("restored")), (std::vector<std::string>{"tracked.txt"}));
  EXPECT_EQ(*record.Find("restored"), *planned.Find("restored"));
  EXPECT_TRUE(record.Find("skipped")->AsArray()->empty());
  EXPECT_TRUE(record.Find("conflicts")->AsArray()->empty());
  EXPECT_EQ(Texts(*record.Find("kept")), (std::vector<std::string>{"other"}));
  EXPECT_EQ(*record.Find("rescue")->AsString(), "main/2");
  EXPECT_EQ(Read("tracked.txt"), "second\n");
  EXPECT_EQ(Read("other"), "1");
}

TEST_F(SnapshotCommandTest, TheCommandThatRestoreNamesShowsWhatItReplaced) {
  Take("second\n");
  Write("tracked.txt", "first\n");
  Write("untracked", "1");
  const RunOutcome outcome = Belay({"snapshot", "restore", "1"});
  EXPECT_THAT(
      outcome.err,
      HasSubstr("saved the previous state as main/2; belay snapshot restore main/2 --into DIR"));
  EXPECT_EQ(Belay({"snapshot", "restore", "main/2", "--into", "../before"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("before/tracked.txt"), "first\n");
  EXPECT_EQ(folder_.Read("before/untracked"), "1");
}

TEST_F(SnapshotCommandTest, RefusesToOverwriteWhatChangedSince) {
  Take("second\n");
  Write("tracked.txt", "third\n");
  const RunOutcome outcome = Belay({"snapshot", "restore", "1"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("in the way  tracked.txt"));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("1 file changed since main/1 was taken"), HasSubstr("--into DIR")));
  const Json record = BelayJson({"snapshot", "restore", "1"}, 4);
  EXPECT_EQ(Texts(*record.Find("conflicts"), "path"), (std::vector<std::string>{"tracked.txt"}));
  EXPECT_EQ(*record.Find("error")->Find("code")->AsString(), "refused");
  EXPECT_EQ(Read("tracked.txt"), "third\n");
  EXPECT_EQ(Refs(), "refs/belay/keep/main/1\n");
}

TEST_F(SnapshotCommandTest, MergesWhereGitCanDoItCleanly) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += std::to_string(i) + "\n";
  Write("tracked.txt", lines);
  InRepo("git -c user.name=t -c user.email=t@example.org commit -qam more");
  Take("top\n" + lines);
  Write("tracked.txt", lines + "bottom\n");
  const RunOutcome refused = Belay({"snapshot", "restore", "1"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("belay snapshot restore main/1 --merge"));
  EXPECT_EQ(Belay({"snapshot", "restore", "1", "--merge"}).exit_code, 0);
  EXPECT_EQ(Read("tracked.txt"), "top\n" + lines + "bottom\n");
}

TEST_F(SnapshotCommandTest, RestoresIntoANewFolder) {
  Take("second\n");
  const Json record = BelayJson({"snapshot", "restore", "1", "--into", "../beside"});
  EXPECT_EQ(*record.Find("into")->AsString(), folder_ / "beside");
  EXPECT_EQ(folder_.Read("beside/tracked.txt"), "second\n");
  const RunOutcome again = Belay({"snapshot", "restore", "1", "--into", "../beside"});
  EXPECT_NE(again.exit_code, 0);
  ExpectError({"snapshot", "restore", "1", "--into", "x", "--merge"}, 2, "can't be combined");
}

TEST_F(SnapshotCommandTest, WorksInLinkedWorktrees) {
  const RunOptions linked = InLinked();
  folder_.Write("linked/new", "1");
  EXPECT_EQ(Belay({"snapshot", "take"}, linked).out, "linked/1  0 changed, 1 untracked, 1 B\n");
  Take("second\n");
  EXPECT_EQ(Belay({"snapshot", "take", "linked"}).out, "linked/1  no changes since it was taken\n");
  EXPECT_THAT(Belay({"snapshot", "take", "main"}, linked).out, HasSubstr("main/1  no changes"));
  EXPECT_THAT(Belay({"snapshot", "list"}, linked).out, Not(HasSubstr("main/1")));
  EXPECT_THAT(Belay({"snapshot", "list", "--all"}, linked).out,
              AllOf(HasSubstr("main/1"), HasSubstr("linked/1")));
  EXPECT_THAT(Belay({"snapshot", "list", "linked"}).out, HasSubstr("linked/1"));
  EXPECT_THAT(Belay({"snapshot", "list", "--root", folder_ / "linked"}).out, HasSubstr("linked/1"));
}

TEST_F(SnapshotCommandTest, ASnapshotOfAnotherWorktreeCanBeRestoredHere) {
  const RunOptions linked = InLinked();
  Take("second\n");
  EXPECT_EQ(Belay({"snapshot", "restore", "main/1"}, linked).exit_code, 0);
  EXPECT_EQ(folder_.Read("linked/tracked.txt"), "second\n");
}

TEST_F(SnapshotCommandTest, ReportsThatASnapshotIsOfAnotherWorktree) {
  const RunOptions linked = InLinked();
  Take("second\n");
  const std::string said = "main/1 was taken in " + (folder_ / "repo") + ", not in this worktree";
  EXPECT_THAT(Belay({"snapshot", "restore", "main/1", "--dry-run"}, linked).err, HasSubstr(said));
  const Result<Json> json =
      ParseJson(Belay({"snapshot", "restore", "main/1", "--json"}, linked).out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(*json->Find("taken_in")->AsString(), folder_ / "repo");
  EXPECT_EQ(*json->Find("worktree")->AsString(), folder_ / "linked");
  EXPECT_THAT(Belay({"snapshot", "restore", "main/1"}).err, Not(HasSubstr("was taken in")));
}

TEST_F(SnapshotCommandTest, KnowsTheWorktreesItCanTake) {
  ExpectError({"snapshot", "take", "nobody"}, 3, "it has main");
  ExpectError({"snapshot", "take", "../x"}, 2, "is not the name of a worktree");
  InLinked();
  InRepo("rm -r ../linked");
  ExpectError({"snapshot", "take", "linked"}, 3, "git worktree prune");
}

TEST_F(SnapshotCommandTest, ReportsAWrongCommandLine) {
  Take("second\n");
  ExpectError({"snapshot", "show", "main/9"}, 3, "no snapshot main/9");
  ExpectError({"snapshot", "restore", "9"}, 3, "no snapshot main/9");
  ExpectError({"snapshot", "show", "what?"}, 2, "ids look like main/7");
  ExpectError({"snapshot", "show", "0123456789abcdef"}, 3, "no snapshot");
  ExpectError({"snapshot", "list", "nobody"}, 3, "available: main");
  ExpectError({"snapshot", "list", "main", "--all"}, 2, "can't be combined");
  ExpectError({"snapshot", "show"}, 2, "needs ID");
  ExpectError({"snapshot", "prune", "--keep", "0"}, 2, "not a number of snapshots");
  ExpectError({"snapshot", "prune", "--older-than", "soon"}, 2, "is not a duration");
  ExpectError({"snapshot"}, 2, "take|list|show|restore|prune");
}

TEST_F(SnapshotCommandTest, NeedsAWorktree) {
  Git({"init", "-q", "--bare", folder_ / "bare.git"});
  folder_.MakeFolder("outside");
  for (const std::string verb : {"take", "list", "prune"}) {
    ExpectError({"snapshot", verb}, 2, "is not in a git repository",
                {.folder = folder_ / "outside"});
    ExpectError({"snapshot", verb}, 2, "is a bare repository", {.folder = folder_ / "bare.git"});
    ExpectError({"snapshot", verb, "--root", folder_ / "nowhere"}, 2, "--root takes a folder");
  }
  InRepo("git config core.bare true");
  ExpectError({"snapshot", "take"}, 2, "is a bare repository");
}

TEST_F(SnapshotCommandTest, BelayStateOfAnotherProjectIsRefused) {
  Git({"init", "-q", folder_ / "other"});
  const RunOptions other{.folder = folder_ / "repo",
                         .environment = {{"BELAY_STATE", folder_ / "other/.claude/state"}}};
  ExpectError({"snapshot", "take"}, 2, "BELAY_STATE means", other);
  folder_.MakeFolder("outside");
  Take("second\n");
  const RunOptions outside{.folder = folder_ / "outside",
                           .environment = {{"BELAY_STATE", folder_ / "repo/.claude/state"}}};
  EXPECT_THAT(Belay({"snapshot", "list"}, outside).out, HasSubstr("main/1"));
}

TEST_F(SnapshotCommandTest, TheLogShowsItWhereBelayIsSetUp) {
  EXPECT_EQ(Belay({"init"}).exit_code, 0);
  Take("second\n");
  Take("third\n");
  Write("tracked.txt", "first\n");
  EXPECT_EQ(Belay({"snapshot", "restore", "1"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "prune", "--keep", "1"}).exit_code, 0);
  const std::string out = Belay({"log"}).out;
  EXPECT_THAT(out, AllOf(HasSubstr("snapshots   taken  id: main/1"),
                         HasSubstr("snapshots   taken  id: main/3"),
                         HasSubstr("snapshots   restored  id: main/1"), HasSubstr("rescue: main/3"),
                         HasSubstr("snapshots   pruned  id: main/1"),
                         HasSubstr("snapshots   pruned  id: main/2")));
  EXPECT_EQ(Belay({"doctor"}).exit_code, 0);
}

TEST_F(SnapshotCommandTest, AVaultThatCannotBeUsedIsAWordAndNoFailure) {
  EXPECT_EQ(Belay({"init"}).exit_code, 0);
  folder_.Write("repo/.git/belay/format", "no version\n");
  Write("tracked.txt", "second\n");
  const RunOutcome outcome = Belay({"snapshot", "take"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("belay log won't show it"));
  EXPECT_EQ(Refs(), "refs/belay/keep/main/1\n");
  Write("tracked.txt", "third\n");
  EXPECT_EQ(BelayJson({"snapshot", "take"}).Find("warnings")->AsArray()->size(), 1u);
  ExpectError({"snapshot", "prune", "--keep", "1"}, 5, "doesn't contain a version");
  EXPECT_EQ(Refs(), "refs/belay/keep/main/1\nrefs/belay/keep/main/2\n");
}

TEST_F(SnapshotCommandTest, AJournalThatIsBusyIsAWordAndNoFailure) {
  EXPECT_EQ(Belay({"init"}).exit_code, 0);
  Write("tracked.txt", "second\n");
  const RunOutcome outcome = RunReal({"flock", folder_ / "repo/.git/belay/locks/snapshots.lock",
                                      BelayBinary(), "snapshot", "take"},
                                     {.folder = folder_ / "repo"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("main/1  1 changed"));
  EXPECT_THAT(outcome.err, HasSubstr("snapshots.lock"));
}

TEST_F(SnapshotCommandTest, PrunesByTheSettingsAndByOptions) {
  for (const std::string text : {"1", "2", "3", "4"}) Take(text);
  EXPECT_THAT(Belay({"snapshot", "prune"}).err, HasSubstr("nothing to prune"));
  Write(".claude/belay.yml", "snapshot: {keep_count: 3}\n");
  const RunOutcome planned = Belay({"snapshot", "prune", "--dry-run"});
  EXPECT_THAT(planned.out,
              AllOf(HasSubstr("WOULD DELETE"), HasSubstr("main/1"), HasSubstr("3 newer")));
  EXPECT_THAT(Refs(), HasSubstr("main/1\n"));
  EXPECT_EQ(Texts(*BelayJson({"snapshot", "prune"}).Find("pruned"), "id"),
            (std::vector<std::string>{"main/1"}));
  EXPECT_EQ(Texts(*BelayJson({"snapshot", "prune", "--older-than", "0"}).Find("pruned"), "id"),
            (std::vector<std::string>{"main/2", "main/3"}));
  EXPECT_EQ(Refs(), "refs/belay/keep/main/4\n");
  EXPECT_EQ(Take("5"), "main/5");
}

TEST_F(SnapshotCommandTest, SettingsSayWhatIsCaptured) {
  Write(".gitignore", "ignored\n");
  Write("ignored", "1");
  Write("mine.txt", "1");
  Write("big", std::string((1 << 20) + 1, 'x'));
  Write(".claude/belay.yml",
        "snapshot: {ignored: true, max_file_mb: 1}\ntaint: {sources: [\"mine*\"]}\n");
  const Json record = BelayJson({"snapshot", "take"});
  EXPECT_EQ(WriteJson(*record.Find("skipped")),
            R"([{"path":"mine.txt","reason":"secret"},{"path":"big","reason":"too_large"}])");
  EXPECT_THAT(Belay({"snapshot", "show", "1"}).out, HasSubstr("ignored\n"));
}

TEST_F(SnapshotCommandTest, BrokenSettingsStopNothingThatSavesWork) {
  Write("mine.key", "1");
  Write(".claude/belay.yml", "<<<<<<< ours\nsnapshot: {keep_count: 1}\n=======\n");
  const Json taken = BelayJson({"snapshot", "take"});
  const std::string warnings = WriteJson(*taken.Find("warnings"));
  EXPECT_THAT(warnings,
              AllOf(HasSubstr(".claude/belay.yml: line 1"), HasSubstr("; using the defaults\"]")));
  EXPECT_THAT(WriteJson(*taken.Find("skipped")), HasSubstr("mine.key"));
  Write("tracked.txt", "second\n");
  const RunOutcome second = Belay({"snapshot", "take"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.err, HasSubstr("; using the defaults\n"));
  InRepo("git checkout -q tracked.txt");
  const Json restored = BelayJson({"snapshot", "restore", "2"});
  EXPECT_EQ(WriteJson(*restored.Find("warnings")), warnings);
  EXPECT_EQ(Read("tracked.txt"), "second\n");
  ExpectError({"snapshot", "prune", "--keep", "1"}, 2, ".claude/belay.yml: line 1");
  EXPECT_EQ(Belay({"snapshot", "list"}).exit_code, 0);
  ExpectError({"snapshot", "take", "--config", ".claude/belay.yml"}, 2, "line 1");
}

TEST_F(SnapshotCommandTest, RestoringNeedsNothingButTheRef) {
  EXPECT_EQ(Belay({"init"}).exit_code, 0);
  Take("second\n");
  InRepo("git reset -q --hard && rm -rf .claude .git/belay");
  EXPECT_EQ(Belay({"snapshot", "restore", "1"}).exit_code, 0);
  EXPECT_EQ(Read("tracked.txt"), "second\n");
}

TEST_F(SnapshotCommandTest, OneOfANewerBelayIsShownAndNotGuessedAt) {
  Take("second\n");
  InRepo(
      "git update-ref refs/belay/keep/main/2 $(git -c user.name=t -c "
      "user.email=t@example.org commit-tree -p HEAD -p refs/belay/keep/main/1^2 -p "
      "refs/belay/keep/main/1^3 "
      "-m 'later' -m '{\"schema_version\":99}' HEAD^{tree})");
  EXPECT_THAT(Belay({"snapshot", "list"}).out, HasSubstr("made by a newer belay"));
  EXPECT_EQ(Belay({"snapshot", "show", "2"}).exit_code, 0);
  ExpectError({"snapshot", "restore", "2"}, 5, "git stash show -p --include-untracked");
}

TEST_F(SnapshotCommandTest, HelpReadsAsAgreed) {
  const RunOptions plain{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = 80};
  ExpectGolden("help-snapshot-80.txt", Belay({"help", "snapshot"}, plain).out);
}

TEST_F(SnapshotCommandTest, DoctorWarnsOfRemotesThatWouldCarrySnapshotsAway) {
  EXPECT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("no push would send snapshots"));
  InRepo("git remote add --mirror=push backup ../backup.git");
  const RunOutcome mirror = Belay({"doctor"});
  EXPECT_EQ(mirror.exit_code, 0);
  EXPECT_THAT(mirror.out, AllOf(HasSubstr("backup is a mirror"),
                                HasSubstr("git config --unset remote.backup.mirror")));
  InRepo(
      "git config --unset remote.backup.mirror; git config remote.backup.fetch '+refs/*:refs/*'");
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("git fetch --prune deletes every snapshot"));
  InRepo("git config --add remote.backup.fetch '^refs/belay/*'");
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("deletes every snapshot")));
}

}  // namespace
}  // namespace belay
