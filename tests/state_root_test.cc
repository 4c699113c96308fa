// Where the state is, and what is refused there: each wrong root with its exit code, and nothing
// changed by the refusal.

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StateRootTest : public Sandbox {
 protected:
  // Everything under the folder: names, kinds, sizes, contents.
  std::string Everything() {
    return RunReal({"sh", "-c",
                    "find . -not -path './.git/objects*' -printf '%p %y %m %s %l\\n' | sort; "
                    "find . -type f -not -path './.git/objects*' -exec sha256sum {} + | sort"},
                   {.folder = folder_ / "repo"})
        .out;
  }

  // The command is refused with this code, names the path, and leaves everything as it was.
  void ExpectRefused(const std::vector<std::string>& command, int exit_code,
                     const std::string& path) {
    const std::string before = Everything();
    const RunOutcome outcome = Belay(command);
    EXPECT_EQ(outcome.exit_code, exit_code) << command[0] << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(path)) << command[0];
    EXPECT_EQ(Everything(), before) << command[0];
  }
  void ExpectAllRefused(int exit_code, const std::string& path) {
    ExpectRefused({"init"}, exit_code, path);
    ExpectRefused({"init", "--remove"}, exit_code, path);
    ExpectRefused({"log"}, exit_code, path);
    ExpectRefused({"doctor", "--repair"}, exit_code, path);
  }
  RunOutcome WithState(const std::string& state, std::vector<std::string> command,
                       const std::string& folder) {
    command.insert(command.begin(), BelayBinary());
    return RunReal(command, {.folder = folder, .environment = {{"BELAY_STATE", state}}});
  }
};

TEST_F(StateRootTest, AVaultThatIsAFileIsAWrongRoot) {
  folder_.Write("repo/.git/belay", "precious");
  ExpectAllRefused(2, ".git/belay is not a folder");
}

TEST_F(StateRootTest, AVaultThatIsALinkIsAWrongRoot) {
  folder_.MakeFolder("elsewhere");
  ASSERT_EQ(symlink((folder_ / "elsewhere").c_str(), (folder_ / "repo/.git/belay").c_str()), 0);
  ExpectAllRefused(2, ".git/belay is a link");
}

TEST_F(StateRootTest, AStateRootThatIsALinkIsAWrongRoot) {
  folder_.MakeFolder("elsewhere");
  folder_.MakeFolder("repo/.claude");
  ASSERT_EQ(symlink((folder_ / "elsewhere").c_str(), (folder_ / "repo/.claude/state").c_str()), 0);
  ExpectRefused({"init"}, 2, ".claude/state is a link");
}

TEST_F(StateRootTest, AVaultOfAnotherUserIsAWrongRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  ASSERT_EQ(chown((folder_ / "repo/.git/belay").c_str(), 65534, 65534), 0);
  ExpectAllRefused(2, ".git/belay belongs to user 65534");
}

TEST_F(StateRootTest, ANewerVaultIsRefusedAndNotGuessedAt) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  folder_.Write("repo/.git/belay/format", "2\n");
  ExpectAllRefused(5, "written by a newer belay");
  folder_.Write("repo/.git/belay/format", "two\n");
  ExpectAllRefused(5, ".git/belay/format doesn't contain a version");
}

TEST_F(StateRootTest, ALinkInsideTheVaultIsNotFollowed) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  ASSERT_EQ(rename((folder_ / "repo/.git/belay/journals").c_str(), (folder_ / "moved").c_str()), 0);
  ASSERT_EQ(symlink((folder_ / "moved").c_str(), (folder_ / "repo/.git/belay/journals").c_str()),
            0);
  ExpectAllRefused(5, ".git/belay/journals is not a folder");
}

TEST_F(StateRootTest, AHeldLockIsBusyAndNamesItsHolder) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  const std::string lock = folder_ / "repo/.git/belay/locks/project.lock";
  for (const std::string command : {"init", "doctor --repair"}) {
    const RunOutcome outcome =
        RunReal({"sh", "-c",
                 "flock \"$0\" sh -c 'printf 4711 >\"$1\"; \"$0\" " + command + "' \"$1\" \"$0\"",
                 lock, BelayBinary()},
                {.folder = folder_ / "repo"});
    EXPECT_EQ(outcome.exit_code, 75) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("project.lock"), HasSubstr("process 4711"),
                                   HasSubstr("try again")));
  }
}

// In a mount namespace of their own, where disks can be made small or read-only.
class StrangeDiskTest : public StateRootTest {
 protected:
  void SetUp() override {
    const RunOutcome outcome = InNamespace("true");
    if (outcome.exit_code != 0) GTEST_SKIP() << "no mount namespaces here: " << outcome.err;
  }
  RunOutcome InNamespace(const std::string& script) {
    return RunReal({"unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", script,
                    BelayBinary(), folder_.path()});
  }
};

TEST_F(StrangeDiskTest, AReadOnlyDiskIsAWrongRootForWritingAndFineForReading) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  const RunOutcome outcome = InNamespace(
      "cd \"$1/repo\"; mount --bind . .; mount -o remount,bind,ro .; cd \"$1/repo\"; "
      "\"$0\" doctor >/dev/null || echo \"doctor $?\"; \"$0\" log; \"$0\" doctor --repair || echo "
      "\"exit $?\"; \"$0\" init || echo "
      "\"exit $?\"");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("doctor 2"), HasSubstr("initialised"), HasSubstr("exit 2")));
  EXPECT_THAT(outcome.err, HasSubstr("read-only disk"));
}

TEST_F(StrangeDiskTest, AFullDiskIsAFailureThatLeavesNothingTornAndCanBeTriedAgain) {
  const RunOutcome outcome = InNamespace(
      "mkdir \"$1/small\"; mount -t tmpfs -o size=400k tmpfs \"$1/small\"; cd \"$1/small\"; "
      "git init -q . --template=; \"$0\" init --quiet >/dev/null; "
      "rm .claude/state/project.json; cat /dev/zero >filler 2>/dev/null || true; "
      "told=$(\"$0\" doctor --repair) || echo \"exit $?\"; echo \"$told\" | grep -o 'No space "
      "left'; "
      "ls -A .claude/state; rm filler; "
      "\"$0\" doctor --repair --quiet >/dev/null && ls .claude/state; \"$0\" log | wc -l");
  EXPECT_EQ(outcome.out, "exit 1\nNo space left\nproject.json\n1\n") << outcome.err;
}

TEST_F(StrangeDiskTest, AHugeEditOnAnotherDiskThanTheVaultIsLeftWithAHint) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  const RunOutcome outcome = InNamespace(
      "cd \"$1/repo\"; mount -t tmpfs -o mode=700 tmpfs .claude/state; "
      "truncate -s 65M .claude/state/project.json; "
      "\"$0\" doctor --repair || echo \"exit $?\"; stat -c %s .claude/state/project.json");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("exit 4"), HasSubstr("move it away yourself"),
                                 HasSubstr("\n68157440\n")));
}

TEST_F(StateRootTest, BelayStateNamesTheProjectFromAnywhere) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  folder_.MakeFolder("other");
  const RunOutcome outcome =
      WithState(folder_ / "repo/.claude/state", {"log", "--json"}, folder_ / "other");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(folder_ / "repo"));
  EXPECT_EQ(WithState("", {"log"}, folder_ / "repo").exit_code, 0);
}

TEST_F(StateRootTest, BelayStateThatDisagreesIsRefused) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  Git({"init", "-q", folder_ / "second"});
  Git({"-C", "repo", "commit", "-q", "--allow-empty", "-m", "first"});
  Git({"-C", "repo", "worktree", "add", "-q", "../linked"});
  const std::string state = folder_ / "repo/.claude/state";
  const RunOutcome two = WithState(state, {"log", "--root", folder_ / "second"}, "/");
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.err, AllOf(HasSubstr("--root means"), HasSubstr("BELAY_STATE means")));
  EXPECT_EQ(WithState(state, {"log", "--root", folder_ / "linked"}, "/").exit_code, 0);
  const RunOutcome linked = WithState(folder_ / "linked/.claude/state", {"log"}, "/");
  EXPECT_EQ(linked.exit_code, 2);
  EXPECT_THAT(linked.err, HasSubstr("state root is " + state));
  for (const std::string& wrong :
       {folder_ / "repo", std::string("repo/.claude/state"), folder_ / "missing/.claude/state"}) {
    EXPECT_EQ(WithState(wrong, {"log"}, folder_ / "repo").exit_code, 2) << wrong;
  }
}

TEST_F(StateRootTest, BelayStateIsTakenAsItIsMeant) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_EQ(WithState(folder_ / "repo//.claude//state/", {"log"}, "/").exit_code, 0);
  EXPECT_THAT(WithState("/.claude/state", {"log"}, "/").err, Not(HasSubstr("state root is")));
}

TEST_F(StateRootTest, AWrongRootIsNotIgnoredByTheSettings) {
  EXPECT_EQ(WithState("/nowhere/.claude/state", {"config", "show"}, "/").exit_code, 2);
  EXPECT_EQ(WithState("", {"config", "show"}, "/").exit_code, 0);
  folder_.MakeFolder("repo/.claude/.belay-vault");
  folder_.MakeFolder("repo/.git/belay");
  const RunOutcome outcome = Belay({"config", "show"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("has two vaults"));
}

TEST_F(StateRootTest, APathThatIsNotUtf8IsNoNewPlaceEachTime) {
  const std::string name = "caf\xE9";
  Git({"init", "-q", folder_ / name});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Belay({"init"}, {.folder = folder_ / name}).exit_code, 0);
  const std::string log = Belay({"log"}, {.folder = folder_ / name}).out;
  EXPECT_THAT(log, AllOf(HasSubstr("initialised"), Not(HasSubstr("moved"))));
}

TEST_F(StateRootTest, TwoVaultsAreRefused) {
  folder_.MakeFolder("plain");
  ASSERT_EQ(Belay({"init", "--root", folder_ / "plain"}).exit_code, 0);
  Git({"init", "-q", folder_ / "plain"});
  const RunOutcome outcome = Belay({"log"}, {.folder = folder_ / "plain"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("became a repository after"));
  folder_.MakeFolder("plain/.git/belay");
  EXPECT_THAT(Belay({"init"}, {.folder = folder_ / "plain"}).err, HasSubstr("has two vaults"));
}

TEST_F(StateRootTest, CleaningTheTreeOrTheStateRootLosesNothing) {
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  const std::string rendering = folder_.Read("repo/.claude/state/project.json");
  const std::string log = Belay({"log"}).out;
  for (const std::string command :
       {"git clean -qfdx", "rm -rf .claude", "git stash -qa || true", "git checkout -q -b other"}) {
    ASSERT_EQ(RunReal({"sh", "-ec", command}, {.folder = folder_ / "repo"}).exit_code, 0);
    EXPECT_EQ(Belay({"log"}).out, log) << command;
    ASSERT_EQ(Belay({"doctor", "--repair", "--quiet"}).exit_code, 0) << command;
    EXPECT_EQ(folder_.Read("repo/.claude/state/project.json"), rendering) << command;
  }
}

}  // namespace
}  // namespace belay
