// Checkouts of the target that a landing has to get right, or can't follow: submodules, sparse
// checkouts, empty folders, filters, names that no file can have. What a person has there stays,
// and one entry that has to wait stops no other.

#include <unistd.h>

#include "merge_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MergeOddCheckoutTest : public MergeSandbox {
 protected:
  // A commit on a new branch, made in a worktree of its own; queued.
  std::string AddWork(const std::string& branch, const std::string& script) {
    Script("git worktree add -q -b " + branch + " ../work main; cd ../work; " + script +
           "; git commit -qm 'work on " + branch + "'; cd ../repo; git worktree remove -f ../work");
    return Add(branch);
  }
  // As git sees it, and as it lies on the disk.
  std::string Shown(const std::string& folder) {
    return Script("cd " + folder +
                  "; git status --porcelain=v2 --untracked-files=all 2>&1; git ls-files -st;"
                  "find . -path ./.git -prune -o -path ./.claude -prune -o -printf '%p %y %m\\n' |"
                  " sort");
  }
  void ExpectLandsAsAFastForward(const std::string& branch) {
    const std::string by_hand = repo_.outside() / "by-hand";
    Script("cp -a . " + by_hand + "; cd " + by_hand + "; git merge -q --ff-only " + branch);
    Land();
    EXPECT_EQ(Status("m1"), "merged");
    EXPECT_EQ(Shown(repo_.path()), Shown(by_hand));
  }
  // The first entry waits, the second one lands.
  void ExpectOnlyTheFirstWaits(const std::string& reason) {
    AddWork("harmless", "echo 1 > harmless; git add harmless");
    const std::string before = MainChanges();
    for (int run = 0; run < 2; ++run) {
      const RunOutcome outcome = Process();
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(Status("m1") + " " + Status("m2"), "waiting_checkout merged");
      EXPECT_THAT(ErrorOf("m1"), AllOf(HasSubstr(repo_.path()), HasSubstr(reason)));
    }
    EXPECT_EQ(repo_.Read("harmless"), "1\n");
    EXPECT_EQ(MainChanges(), before);
    EXPECT_EQ(repo_.Read(".git/belay/merge/checkout-move.files"), "(missing)");
  }
  RunOutcome Process() { return Queue({"process", "--all", "--no-gates"}, {.environment = user_}); }

  std::map<std::string, std::string> user_;  // what the user's environment has besides
};

// Git knows an edit within the second in which the index was written only by its content. A landing
// writes the index too, later.
TEST_F(MergeOddCheckoutTest, AnEditInTheSecondOfACommitIsStillSeenAfterALanding) {
  AddWork("a", "echo landed > landed.txt; git add landed.txt");
  // The same, with a second of long ago.
  Script(
      "git config core.trustctime false; echo v1 > edited; git add edited; git commit -qm edited;"
      "touch -d '2020-01-01 00:00:00' edited; git update-index --refresh;"
      "printf 'v2\\n' > edited; touch -d '2020-01-01 00:00:00' edited .git/index");
  Land();
  EXPECT_EQ(repo_.Read("landed.txt"), "landed\n");
  AddWork("b", "echo zz > edited; git add edited");
  ProcessAll();
  EXPECT_EQ(Status("m1") + " " + Status("m2"), "merged waiting_checkout");
  EXPECT_EQ(repo_.Read("edited"), "v2\n");
  EXPECT_EQ(MainChanges(), " M edited\n");
}

struct Shape {
  const char* name;
  const char* before;  // on main
  const char* work;    // on the branch
  const char* person;  // in the checkout
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
class MergeShapeTest : public MergeOddCheckoutTest, public ::testing::WithParamInterface<Shape> {};

TEST_P(MergeShapeTest, IsLeftAsAFastForwardWouldLeaveItAndACommitUndoesNothing) {
  Script(std::string(GetParam().before) + "; git add -A; git commit -q --allow-empty -m before");
  AddWork("a", GetParam().work);
  Script(GetParam().person);
  ExpectLandsAsAFastForward("a");
  const std::string landed = repo_.Git({"rev-parse", "main^{tree}"});
  Script("git commit -q --allow-empty -am mine");
  EXPECT_EQ(repo_.Git({"rev-parse", "main^{tree}"}), landed);
}

constexpr const char* kModule =
    "git rm -rq s; git update-index --add --cacheinfo 160000,$(git rev-parse main),s";

INSTANTIATE_TEST_SUITE_P(
    , MergeShapeTest,
    ::testing::Values(
        Shape{"AFileBecomesASubmodule", "echo 1 > s", kModule, "true"},
        Shape{"AFolderBecomesASubmodule", "mkdir s; echo 1 > s/x; echo 2 > s/y", kModule, "true"},
        Shape{"ALinkBecomesASubmodule", "ln -s tracked.txt s", kModule, "true"},
        Shape{"ASubmoduleComesToAnEmptyFolder", "true",
              "git update-index --add --cacheinfo 160000,$(git rev-parse main),s", "mkdir s"},
        Shape{"ASubmoduleComesToAFolderWithFiles", "true",
              "git update-index --add --cacheinfo 160000,$(git rev-parse main),s",
              "mkdir s; echo mine > s/x"},
        Shape{"AFileOutsideOfASparseCheckout", "mkdir in out; echo 1 > in/f; echo 1 > out/f",
              "echo 2 > out/f; echo 2 > in/f; git add -A",
              "echo p >> out/f; git sparse-checkout set in 2>/dev/null; git restore out/f"},
        Shape{"AnEmptyFolderWhereAFileComes", "true", "echo 1 > n; git add n", "mkdir n"},
        Shape{"EmptyFoldersWhereAFileComes", "true", "echo 1 > n; git add n", "mkdir -p n/a/b n/c"},
        Shape{"AnEmptyFolderInAFolderThatBecomesAFile", "mkdir d; echo 1 > d/x",
              "git rm -rq d; echo 1 > d; git add d", "mkdir d/empty"}),
    [](const auto& one) { return one.param.name; });

TEST_F(MergeOddCheckoutTest, AnEditInAFileThatBecomesASubmoduleLetsItWait) {
  Script("echo 1 > s; git add s; git commit -qm s");
  AddWork("a", kModule);
  repo_.Write("s", "mine\n");
  ExpectOnlyTheFirstWaits("\"s\" is changed");
  EXPECT_EQ(repo_.Read("s"), "mine\n");
}

TEST_F(MergeOddCheckoutTest, ANameThatNoFileCanHaveStopsNoOtherEntry) {
  AddWork("a", "git update-index --add --cacheinfo 100644,$(git rev-parse main:tracked.txt)," +
                   std::string(300, 'x'));
  ExpectOnlyTheFirstWaits("File name too long");
}

TEST_F(MergeOddCheckoutTest, AFilterThatFailsStopsNoOtherEntryAndItLandsOnceItWorks) {
  const std::string works = repo_.outside() / "works";
  const std::string config = repo_.outside() / "gitconfig";
  Script("git config -f " + config + " filter.f.smudge 'test -e " + works + " && cat';" +
         "git config -f " + config + " filter.f.required true");
  user_ = {{"GIT_CONFIG_GLOBAL", config}};
  AddWork("a", "echo '*.big filter=f' > .gitattributes; echo 1 > x.big; git add -A");
  ExpectOnlyTheFirstWaits("git read-tree: external filter");
  Script("touch " + works);
  EXPECT_EQ(Process().exit_code, 0);
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(repo_.Read("x.big"), "1\n");
}

// As in a mount, a folder of another user, or one that can't be changed.
TEST_F(MergeOddCheckoutTest, AFolderThatCannotBeWrittenStopsNoOtherEntry) {
  Script("mkdir d; echo 1 > d/x; git add d; git commit -qm d");
  AddWork("a", "echo 2 > d/x; echo 2 > tracked.txt; git add -A");
  const std::string folder = repo_ / "d";
  const bool fixed = RunReal({"chattr", "+i", folder}).exit_code == 0;
  if (!fixed) repo_.SetMode("d", 0555);
  if (!fixed && geteuid() == 0) GTEST_SKIP() << "root writes everywhere, and chattr +i fails";
  ExpectOnlyTheFirstWaits("/repo/d\" isn't writable");
  EXPECT_EQ(repo_.Read("tracked.txt") + repo_.Read("d/x"), "first\n1\n");
  if (fixed) RunReal({"chattr", "-i", folder});
  repo_.SetMode("d", 0755);
  Land();
  EXPECT_EQ(Status("m1") + repo_.Read("d/x"), "merged2\n");
}

// Only the rename itself finds out that a bind mount is in the way: then everything is taken back.
TEST_F(MergeOddCheckoutTest, AMountInTheCheckoutStopsNoOtherEntryAndNothingIsHalfDone) {
  Script("mkdir d; echo 1 > d/x; git add d; git commit -qm d");
  AddWork("a", "echo 1 > a; echo 2 > d/x; echo 2 > tracked.txt; git add -A");
  AddWork("harmless", "echo 1 > harmless; git add harmless");
  const auto mounted = [&](const std::string& script) {
    return RunReal({"unshare", "-Urm", "sh", "-ec", "mount --bind d d; " + script},
                   {.folder = repo_.path(), .environment = GitRepository::Environment()})
        .exit_code;
  };
  if (mounted("true") != 0) GTEST_SKIP() << "mounts aren't allowed here";
  EXPECT_EQ(mounted(std::string(BelayBinary()) + " merge-queue process --all --no-gates"), 0);
  EXPECT_EQ(Status("m1") + " " + Status("m2"), "waiting_checkout merged");
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("Invalid cross-device link"));
  EXPECT_EQ(MainChanges(), "");
  EXPECT_EQ(repo_.Read("a") + repo_.Read("tracked.txt"), "(missing)first\n");
  EXPECT_EQ(repo_.Read(".git/index.lock"), "(missing)");
  Land();
  EXPECT_EQ(Status("m1") + repo_.Read("d/x"), "merged2\n");
}

// Each kind of git once, before it does anything.
TEST_F(MergeOddCheckoutTest, WorkWhoseGitIsKilledIsTriedAgainAndLands) {
  AddWork("a", "echo 1 > a; git add -A");
  repo_.outside().MakeFolder("bin");
  repo_.outside().Write("bin/git",
                        "#!/bin/sh\nfor kind in update-ref read-tree diff-tree; do\n"
                        "  case \" $* \" in *\" $kind \"*) mkdir " +
                            (repo_.outside() / "killed-") +
                            "$kind 2>/dev/null && kill -9 $$ ;; esac\n"
                            "done\nPATH=${PATH#*:} exec git \"$@\"\n");
  repo_.SetMode("../bin/git", 0755);
  user_ = {{"PATH", (repo_.outside() / "bin") + ":" + getenv("PATH")}};
  const RunOutcome outcome = Process();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Status("m1") + " " + repo_.Read("a"), "merged 1\n");
  EXPECT_EQ(Script("cd ..; echo killed-*"),
            "killed-diff-tree killed-read-tree killed-update-ref\n");
}

TEST_F(MergeOddCheckoutTest, AFilterOfTheRepositorysOwnIsNamedWithAWayThatWorks) {
  Script(
      "echo '*.secret filter=own' > .gitattributes; echo 1 > x.secret; git add -A;"
      "git commit -qm secret; git config filter.own.smudge 'sed s/^/own:/';"
      "git config filter.own.clean 'sed s/^own://'; rm x.secret; git checkout -q x.secret");
  AddWork("a", "echo 2 > x.secret; git add -A");
  ExpectOnlyTheFirstWaits("\"x.secret\" has a filter from the repository's configuration");
  EXPECT_THAT(ErrorOf("m1"), Not(HasSubstr("stash")));
  Script("git switch -q --detach");
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  Script("git switch -q main");
  EXPECT_EQ(repo_.Read("x.secret"), "own:2\n");
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeOddCheckoutTest, WithLandWhatIsStagedAndWhatIsInTheFileAreBothKept) {
  Settings("  dirty_checkout: land\n  gates:\n    - {name: test, run: 'true'}\n");
  AddWork("a", "echo landed > tracked.txt; git add -A");
  repo_.Write("tracked.txt", "staged\n");
  repo_.Git({"add", "tracked.txt"});
  repo_.Write("tracked.txt", "in the file\n");
  ProcessAll();
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(repo_.Git({"show", ":2:tracked.txt"}) + repo_.Read("tracked.txt"),
            "staged\nin the file\n");
  EXPECT_NE(repo_.TryGit({"commit", "-qm", "x"}), 0);
}

}  // namespace
}  // namespace belay
