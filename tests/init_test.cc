#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class InitTest : public Sandbox {
 protected:
  std::string GitStatus() {
    return RunReal({"git", "-C", folder_ / "repo", "status", "--porcelain", "--ignored"}).out;
  }
  unsigned ModeOf(std::string_view name) {
    struct stat info {};
    return stat((folder_ / name).c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
  }
};

TEST_F(InitTest, CreatesWhatItListsAndChangesNothingTheSecondTime) {
  const Json first = BelayJson({"init"});
  EXPECT_EQ(*first.Find("root")->AsString(), folder_ / "repo");
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0700u);
  EXPECT_EQ(ModeOf("repo/.claude/state"), 0700u);
  const std::string exclude = folder_.Read("repo/.git/info/exclude");
  EXPECT_THAT(exclude, HasSubstr("/.claude/state/\n"));
  const Json second = BelayJson({"init"});
  for (const Json& change : *second.Find("changes")->AsArray()) {
    EXPECT_EQ(*change.Find("change")->AsString(), "unchanged");
  }
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), exclude);
}

TEST_F(InitTest, KeepsItsFoldersOutOfGitStatus) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  folder_.Write("repo/.claude/state/x.json", "{}");
  folder_.Write("repo/tmp/work/y", "");
  EXPECT_EQ(RunReal({"git", "-C", folder_ / "repo", "status", "--porcelain", "-uall"}).out,
            "?? .claude/belay.yml\n");
}

TEST_F(InitTest, TheSettingsItWritesAreAccepted) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_EQ(Belay({"config", "check"}).out, ".claude/belay.yml: fine\n");
  EXPECT_EQ(Belay({"doctor"}).exit_code, 0);
}

TEST_F(InitTest, SetsUpTheMainWorktreeFromALinkedOne) {
  Git({"-C", "repo", "commit", "-q", "--allow-empty", "-m", "first"});
  Git({"-C", "repo", "worktree", "add", "-q", "../linked"});
  ASSERT_EQ(Belay({"init"}, {.folder = folder_ / "linked"}).exit_code, 0);
  EXPECT_EQ(ModeOf("repo/.claude/state"), 0700u);
  EXPECT_EQ(ModeOf("linked/.claude"), 0u);
}

TEST_F(InitTest, ADryRunPrintsTheSameAndDoesNothing) {
  const std::string before = GitStatus();
  const Json dry = BelayJson({"init", "--dry-run"});
  EXPECT_EQ(GitStatus(), before);
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
  EXPECT_EQ(*BelayJson({"init"}).Find("changes"), *dry.Find("changes"));
  const Json dry_removal = BelayJson({"init", "--remove", "--dry-run"});
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0700u);
  EXPECT_EQ(*BelayJson({"init", "--remove"}).Find("changes"), *dry_removal.Find("changes"));
}

TEST_F(InitTest, RemovalLeavesEverythingAsItWas) {
  const std::string exclude = folder_.Read("repo/.git/info/exclude");
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), exclude);
  EXPECT_EQ(GitStatus(), "");
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
  EXPECT_EQ(Belay({"init", "--remove"}).exit_code, 0);
}

TEST_F(InitTest, RemovalKeepsEverythingThatHoldsSomething) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  folder_.Write("repo/.git/belay/journal", "precious");
  folder_.Write("repo/.claude/state/hook.json", "{}");
  folder_.Write("repo/.claude/belay.yml", "ui: {color: never}\n");
  const RunOutcome removed = Belay({"init", "--remove"});
  ASSERT_EQ(removed.exit_code, 0);
  EXPECT_THAT(removed.err, HasSubstr("to delete them for good")) << "it says what is next";
  EXPECT_EQ(folder_.Read("repo/.git/belay/journal"), "precious");
  EXPECT_EQ(folder_.Read("repo/.claude/state/hook.json"), "{}");
  EXPECT_EQ(folder_.Read("repo/.claude/belay.yml"), "ui: {color: never}\n");
  EXPECT_THAT(folder_.Read("repo/.git/info/exclude"), HasSubstr("# belay: begin"));
}

TEST_F(InitTest, ChangesNothingWhenOnePartCannotBeDone) {
  folder_.Write("repo/.claude/state", "a file, not a folder");
  const std::string exclude = folder_.Read("repo/.git/info/exclude");
  const RunOutcome outcome = Belay({"init"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("move it away"));
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), exclude);
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
  ASSERT_EQ(unlink((folder_ / "repo/.claude/state").c_str()), 0);
  folder_.Write("repo/.claude/belay.yml/file", "");
  EXPECT_EQ(Belay({"init"}).exit_code, 4) << "settings that can't be read";
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
}

TEST_F(InitTest, SeesBeforehandWhatItMayNotWrite) {
  if (geteuid() == 0) {
    // Root may write everywhere, so an ordinary user tries; the folder is made theirs.
    ASSERT_EQ(RunReal({"chown", "-R", "65534:65534", folder_.path()}).exit_code, 0);
  }
  const std::string exclude = folder_.Read("repo/.git/info/exclude");
  ASSERT_EQ(chmod((folder_ / "repo").c_str(), 0555), 0);
  std::vector<std::string> command = {BelayBinary(), "init"};
  if (geteuid() == 0) {
    command.insert(command.begin(),
                   {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  const RunOutcome outcome = RunReal(command, {.folder = folder_ / "repo"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is not writable"));
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), exclude);
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
  ASSERT_EQ(chmod((folder_ / "repo").c_str(), 0755), 0);
}

TEST_F(InitTest, RefusesAProjectOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown((folder_ / "repo").c_str(), 65534, 65534), 0);
  const RunOutcome outcome = Belay({"init"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("belongs to user 65534"));
}

TEST_F(InitTest, RefusesSettingsThatAreNoFile) {
  folder_.MakeFolder("repo/.claude/belay.yml");
  EXPECT_EQ(Belay({"init"}).exit_code, 4);
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
}

TEST_F(InitTest, DoctorSeesWhatInitWouldSee) {
  folder_.Write("repo/.claude", "a file");
  const RunOutcome doctor = Belay({"doctor"});
  EXPECT_EQ(doctor.exit_code, 2);
  EXPECT_THAT(doctor.out, HasSubstr("belay needs a folder there"));
  const Json record = BelayJson({"doctor"}, 2);
  EXPECT_EQ(*record.Find("error")->Find("code")->AsString(), "usage");
}

TEST_F(InitTest, ShowsAHostileFolderNameHarmlessly) {
  const std::string name = "e\x1B[31mvil\nX";
  Git({"init", "-q", folder_ / name});
  const RunOutcome outcome = Belay({"init"}, {.folder = folder_ / name});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1B")));
}

TEST_F(InitTest, TwoAtTheSameTimeBothSucceed) {
  for (int round = 0; round < 20; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
      const pid_t pid = fork();
      ASSERT_GE(pid, 0);
      if (pid == 0) {
        if (chdir((folder_ / "repo").c_str()) != 0) _exit(1);
        const int out = open("/dev/null", O_WRONLY);
        if (dup2(out, 1) != 1 || dup2(out, 2) != 2) _exit(1);
        execl(BelayBinary().c_str(), "belay", "init", nullptr);
        _exit(126);
      }
      children.push_back(pid);
    }
    for (const pid_t pid : children) {
      int status = 0;
      ASSERT_EQ(waitpid(pid, &status, 0), pid);
      EXPECT_EQ(status, 0);
    }
    ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  }
}

TEST_F(InitTest, RefusesLinksWhereItsFoldersBelong) {
  folder_.MakeFolder("elsewhere");
  ASSERT_EQ(symlink((folder_ / "elsewhere").c_str(), (folder_ / "repo/.git/belay").c_str()), 0);
  EXPECT_EQ(Belay({"init"}).exit_code, 2);
}

TEST_F(InitTest, RefusesAnExcludeFileItCannotEditSafely) {
  folder_.Write("repo/.git/info/exclude", "# belay: begin\n");
  EXPECT_EQ(Belay({"init"}).exit_code, 5);
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), "# belay: begin\n");
}

TEST_F(InitTest, RefusesAgentsThatItHasNoHooksFor) {
  EXPECT_EQ(Belay({"init", "--agent", "codex"}).exit_code, 4);
  EXPECT_EQ(Belay({"init", "--agent", "codex", "--remove"}).exit_code, 4);
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0u);
  const RunOutcome generic = Belay({"init", "--agent", "generic", "--yes"});
  EXPECT_EQ(generic.exit_code, 0);
  EXPECT_THAT(generic.err, HasSubstr("no hooks to install"));
  EXPECT_EQ(Belay({"init", "--agent", "generic", "--remove"}).exit_code, 0);
  EXPECT_EQ(ModeOf("repo/.git/belay"), 0700u);
}

TEST_F(InitTest, WorksOutsideARepositoryWhenTheFolderIsNamed) {
  folder_.MakeFolder("plain");
  EXPECT_EQ(Belay({"init"}, {.folder = folder_ / "plain"}).exit_code, 2);
  EXPECT_EQ(Belay({"init", "--root", folder_ / "plain"}).exit_code, 0);
  EXPECT_EQ(ModeOf("plain/.claude/.belay-vault"), 0700u);
}

TEST_F(InitTest, ABareRepositoryHasNoPlaceForIt) {
  Git({"init", "-q", "--bare", folder_ / "bare.git"});
  for (const std::string folder : {"bare.git", "bare.git/refs"}) {
    const RunOutcome outcome = Belay({"init"}, {.folder = folder_ / folder});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("is a bare repository"), HasSubstr("worktree add")));
  }
  EXPECT_EQ(Belay({"init", "--root", folder_ / "bare.git"}).exit_code, 2);
  EXPECT_NE(access((folder_ / "bare.git/.claude").c_str(), F_OK), 0);
}

TEST_F(InitTest, CompletesWhatAKilledRunLeftBehind) {
  // Killed at a different moment each time: before, between and after the steps.
  for (int microseconds = 0; microseconds < 3000; microseconds += 100) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      if (chdir((folder_ / "repo").c_str()) != 0) _exit(1);
      execl(BelayBinary().c_str(), "belay", "init", "--quiet", "--json", nullptr);
      _exit(126);
    }
    timespec pause{0, microseconds * 1000L};
    nanosleep(&pause, nullptr);  // the moment of the kill, not a wait for something
    kill(pid, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_EQ(Belay({"init"}).exit_code, 0) << microseconds;
    ASSERT_EQ(Belay({"doctor"}).exit_code, 0) << microseconds;
    ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0) << microseconds;
  }
}

TEST_F(InitTest, RemovalLeavesFilesWithoutALastLineEndAsTheyWere) {
  folder_.Write("repo/.git/info/exclude", "*.o");
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_THAT(folder_.Read("repo/.git/info/exclude"), HasSubstr("*.o\n# belay: begin"));
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), "*.o");
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  folder_.Write("repo/.git/info/exclude", folder_.Read("repo/.git/info/exclude") + "*.a\n");
  ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), "*.o\n*.a\n");
}

TEST_F(InitTest, RemovalRemovesAnExcludeFileThatItCreated) {
  ASSERT_EQ(unlink((folder_ / "repo/.git/info/exclude").c_str()), 0);
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  const Json dry = BelayJson({"init", "--remove", "--dry-run"});
  EXPECT_EQ(*BelayJson({"init", "--remove"}).Find("changes"), *dry.Find("changes"));
  EXPECT_NE(access((folder_ / "repo/.git/info/exclude").c_str(), F_OK), 0);
}

// The branch that work lands on isn't always called main.
class InitTargetTest : public InitTest {
 protected:
  InitTargetTest() {
    Git({"-C", "repo", "symbolic-ref", "HEAD", "refs/heads/master"});
    Git({"-C", "repo", "commit", "-q", "--allow-empty", "-m", "first"});
  }
  std::string Target() {
    return *BelayJson({"config", "show"}).Find("settings")->Find("merge.target")->AsString();
  }
};

TEST_F(InitTargetTest, NewSettingsNameTheBranchThatExists) {
  const RunOutcome done = Belay({"init"});
  EXPECT_THAT(done.err, HasSubstr("Work lands on master"));
  EXPECT_THAT(folder_.Read("repo/.claude/belay.yml"),
              HasSubstr("\nmerge:\n  target: \"master\"\n#"));
  EXPECT_EQ(Belay({"config", "check"}).exit_code, 0);
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("merge target")));
  ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_EQ(GitStatus(), "") << "the settings are as init wrote them, so they go";
}

TEST_F(InitTargetTest, UserSettingsAreNotChangedAndEveryCommandShowsWhatToDo) {
  folder_.Write("repo/.claude/belay.yml", "ui: {color: never}\n");
  EXPECT_THAT(Belay({"init"}).err,
              AllOf(HasSubstr("no branch \"main\""),
                    HasSubstr("merge.target in .claude/belay.yml to \"master\"")));
  EXPECT_EQ(folder_.Read("repo/.claude/belay.yml"), "ui: {color: never}\n");
  EXPECT_THAT(Belay({"doctor"}).out, AllOf(HasSubstr("merge target"), HasSubstr("\"master\"")));
  Git({"-C", "repo", "switch", "-q", "-c", "work"});
  Git({"-C", "repo", "commit", "-q", "--allow-empty", "-m", "work"});
  const RunOutcome refused = Belay({"merge-queue", "add", "work"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("which is merge.target"), HasSubstr("--target master")));
  EXPECT_EQ(Belay({"merge-queue", "add", "work", "--target", "master"}).exit_code, 0);
}

TEST_F(InitTargetTest, AnUnclearBranchIsNotGuessed) {
  Git({"-C", "repo", "branch", "-q", "-m", "one"});
  Git({"-C", "repo", "branch", "-q", "two"});
  EXPECT_THAT(Belay({"init"}).err, HasSubstr("to the branch that work lands on"));
  EXPECT_THAT(folder_.Read("repo/.claude/belay.yml"), HasSubstr("# merge:"));
  ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  Git({"-C", "repo", "update-ref", "refs/remotes/origin/two", "HEAD"});
  Git({"-C", "repo", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/two"});
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_THAT(folder_.Read("repo/.claude/belay.yml"), HasSubstr("target: \"two\""));
}

}  // namespace
}  // namespace belay
