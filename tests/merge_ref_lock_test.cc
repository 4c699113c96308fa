// A git that is killed while it moves the target leaves its locks: refs/heads/main.lock and
// HEAD.lock. They are freed, whether belay was killed with it or not, and others' locks are left
// alone.

#include <fstream>

#include "merge_sandbox.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeRefLockTest : public MergeSandbox {
 protected:
  MergeRefLockTest() { AddBranch("a", {{"landed.txt", "landed\n"}}); }

  // A fake git in front of the real one. The first time that it is asked to prepare a move of main
  // it leaves what a git leaves that is killed then, and is killed; with what `also` kills.
  std::string FakeGit(const std::string& also) {
    const std::string place = repo_.outside() / "bin";
    std::filesystem::create_directory(place);
    const std::string fake = place + "/git";
    const std::string git = repo_ / ".git";
    const std::string script =
        "#!/bin/bash\nPATH=${PATH#*:}\n"
        "if [[ \" $* \" != *' update-ref '*' --stdin '* || -e " +
        git +
        "/was-killed ]]; then\n"
        "  exec git \"$@\"\nfi\n"
        "words=()\n"
        "while IFS= read -r -d '' word; do\n"
        "  words+=(\"$word\")\n"
        "  [[ $word != prepare ]] || break\n"
        "done\n"
        "[[ ${words[2]} == 'update refs/heads/main' ]] || exit 1\n"
        "echo \"${words[3]}\" >" +
        git +
        "/refs/heads/main.lock\n"
        ": >" +
        git +
        "/HEAD.lock\n"
        ": >" +
        git + "/was-killed\n" + also + "\nkill -9 $$\n";
    std::ofstream(fake) << script;
    std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
    return place + ":" + getenv("PATH");
  }
  RunOutcome LandWith(const std::string& also) {
    const RunOutcome outcome =
        Queue({"process", "--all"}, {.environment = {{"PATH", FakeGit(also)}}});
    EXPECT_EQ(repo_.Read(".git/was-killed"), "") << "git was never asked";
    return outcome;
  }
  // The stand-in has the lock of the run for as long as it works.
  void AwaitRescueProcess() {
    const std::string lock = repo_ / ".git/belay/locks/merge-run.lock";
    EXPECT_EQ(RunReal({"flock", "-w", "30", lock, "true"}).exit_code, 0);
  }
  void ExpectFree() {
    EXPECT_EQ(repo_.Read(".git/HEAD.lock"), "(missing)");
    EXPECT_EQ(repo_.Read(".git/refs/heads/main.lock"), "(missing)");
    EXPECT_EQ(repo_.Read(".git/index.lock"), "(missing)");
  }
  void LockForeign() {
    repo_.Write(".git/refs/heads/main.lock", std::string(40, 'f') + "\n");
    repo_.Write(".git/HEAD.lock", "");
  }
};

TEST_F(MergeRefLockTest, OnlyGitIsKilledAndTheWorkLands) {
  const RunOutcome outcome = LandWith("");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Status("m1"), "merged");
  ExpectFree();
  repo_.Git({"commit", "-q", "--allow-empty", "-m", "mine"});
}

TEST_F(MergeRefLockTest, BelayIsKilledWithItAndAPersonCanCommit) {
  EXPECT_NE(LandWith("kill -9 $PPID").exit_code, 0);
  AwaitRescueProcess();
  ExpectFree();
  repo_.Git({"commit", "-q", "--allow-empty", "-m", "mine"});
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeRefLockTest, SoItIsWithATargetThatNoCheckoutHas) {
  repo_.Git({"checkout", "-q", "--detach"});
  EXPECT_NE(LandWith("kill -9 $PPID").exit_code, 0);
  AwaitRescueProcess();
  ExpectFree();
  Land();
  EXPECT_EQ(Status("m1"), "merged");
}

TEST_F(MergeRefLockTest, TheLocksOfAnotherGitAreLeftAlone) {
  LockForeign();
  EXPECT_EQ(ProcessAll().exit_code, 75);
  EXPECT_EQ(repo_.Read(".git/refs/heads/main.lock"), std::string(40, 'f') + "\n");
  EXPECT_EQ(repo_.Read(".git/HEAD.lock"), "");
}

TEST_F(MergeRefLockTest, DoctorNamesThoseThatStay) {
  LockForeign();
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("main.lock")));
  const auto hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(repo_ / ".git/refs/heads/main.lock", hour_ago);
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("main.lock"));
}

class MergePlacesTest : public MergeSandbox {};

// Git lists the main worktree of such a repository by its git folder.
TEST_F(MergePlacesTest, ASeparateGitFolderGetsNoFilesOfTheCheckout) {
  AddBranch("a", {{"hooks/landed.txt", "landed\n"}});
  const std::string away = repo_.outside() / "git";
  repo_.Git({"init", "-q", "--separate-git-dir", away});
  Land();
  EXPECT_EQ(repo_.Read("hooks/landed.txt"), "landed\n");
  EXPECT_FALSE(std::filesystem::exists(away + "/hooks/landed.txt"));
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergePlacesTest, CoreWorktreeDecidesWhereTheFilesAre) {
  AddBranch("a", {{"landed.txt", "landed\n"}});
  const std::string files = repo_.outside() / "files";
  std::filesystem::create_directory(files);
  repo_.Git({"config", "core.worktree", files});
  repo_.Git({"checkout", "-q", "-f", "main"});
  Land();
  EXPECT_TRUE(std::filesystem::exists(files + "/landed.txt"));
  EXPECT_EQ(repo_.Read("landed.txt"), "(missing)");
}

// Its commits would take back what has landed.
TEST_F(MergePlacesTest, ACheckoutThatWasMovedAwayIsDetachedAndAPersonIsNotified) {
  AddBranch("a", {{"landed.txt", "landed\n"}});
  repo_.Git({"checkout", "-q", "-b", "other"});
  const std::string linked = repo_.outside() / "linked";
  repo_.Git({"worktree", "add", "-q", linked, "main"});
  std::filesystem::rename(linked, linked + "-2");
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  Script("cd " + linked + "-2 && echo mine >> tracked.txt && git commit -qam mine");
  EXPECT_EQ(FileOf("landed.txt"), "landed\n");
  EXPECT_THAT(Belay({"signal", "list", "person", "--json"}).out,
              HasSubstr("belay detached that checkout at"));
}

}  // namespace
}  // namespace belay
