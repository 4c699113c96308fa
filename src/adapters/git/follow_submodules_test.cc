// A checkout with a submodule follows its branch, and no file of the submodule is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/follow_checkout.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

// The submodule "sub" is checked out, with a file that its repository doesn't track.
class FollowSubmodulesTest : public MergeTest {
 protected:
  FollowSubmodulesTest() {
    const std::string library = Resolve("HEAD").text();
    repo_.GitIn(repo_.outside().path(), {"clone", "-q", repo_.path(), repo_ / "sub"});
    repo_.Write("sub/mine", "precious");
    SetSubmodule(library);
    old_ = CommitIndex();
  }
  void SetSubmodule(const std::string& commit) const {
    repo_.Git({"update-index", "--add", "--cacheinfo", "160000," + commit + ",sub"});
  }
  // A file of this name instead of the submodule.
  void SetFile(const std::string& name) const {
    repo_.Git({"rm", "-q", "--cached", "sub"});
    repo_.outside().Write("content", "a file\n");
    const std::string blob =
        repo_.Git({"hash-object", "-w", repo_.outside() / "content"}).substr(0, 40);
    repo_.Git({"update-index", "--add", "--cacheinfo", "100644," + blob + "," + name});
  }
  ObjectId CommitIndex() const {
    repo_.Git({"commit", "-q", "-m", "sub"});
    return Resolve("HEAD");
  }
  // main moves to the index's content; its checkout is still at the commit before.
  void MoveMain() {
    new_ = CommitIndex();
    repo_.Git({"reset", "-q", old_.text()});
    repo_.Git({"update-ref", "refs/heads/main", new_.text()});
  }
  Followed Follow() {
    const GitWorktree worktree{.folder = repo_.path(), .git_folder = CommonFolder()};
    return FollowCheckout(git_, files_, worktree, {"refs/heads/main", old_, new_});
  }
  void ExpectFollows() {
    const Followed followed = Follow();
    EXPECT_EQ(followed.end, Followed::End::kFollowed) << followed.why;
    EXPECT_EQ(repo_.Git({"status", "--porcelain", "--ignore-submodules"}), "");
    EXPECT_EQ(Follow().end, Followed::End::kAlreadyThere);
  }
  void ExpectLeft() {
    const auto before = GitRepository::FilesOf(repo_ / "sub");
    const Followed followed = Follow();
    EXPECT_EQ(followed.end, Followed::End::kLeft);
    EXPECT_THAT(followed.why,
                HasSubstr("the submodule \"sub\" is removed, but its folder isn't empty"));
    EXPECT_EQ(GitRepository::FilesOf(repo_ / "sub"), before);
    EXPECT_EQ(repo_.Read("sub/mine"), "precious");
    EXPECT_EQ(repo_.Read(".git/belay-follow"), "(missing)");
  }
  void EmptyTheFolder() const {
    repo_.Remove("sub");
    repo_.Write("sub/x", "");
    repo_.Remove("sub/x");
  }

  ObjectId old_, new_;
};

TEST_F(FollowSubmodulesTest, LeavesTheirFilesAlone) {
  SetSubmodule(old_.text());
  MoveMain();
  const auto before = GitRepository::FilesOf(repo_ / "sub");
  ExpectFollows();
  EXPECT_EQ(GitRepository::FilesOf(repo_ / "sub"), before);
}

TEST_F(FollowSubmodulesTest, IsLeftWhenOneThatIsCheckedOutGoes) {
  repo_.Git({"rm", "-q", "--cached", "sub"});
  MoveMain();
  ExpectLeft();
}

TEST_F(FollowSubmodulesTest, IsLeftWhenOneThatIsCheckedOutBecomesAFile) {
  SetFile("sub");
  MoveMain();
  ExpectLeft();
}

TEST_F(FollowSubmodulesTest, IsLeftWhenOneThatIsCheckedOutBecomesAFolder) {
  SetFile("sub/inner");
  MoveMain();
  ExpectLeft();
}

TEST_F(FollowSubmodulesTest, FollowsWhenTheFolderOfTheOneThatGoesIsEmpty) {
  EmptyTheFolder();
  SetFile("sub");
  MoveMain();
  ExpectFollows();
  EXPECT_EQ(repo_.Read("sub"), "a file\n");
}

TEST_F(FollowSubmodulesTest, ContinuesWhereAKilledOneStopped) {
  SetFile("sub/inner");
  MoveMain();
  EmptyTheFolder();
  repo_.Write("sub/inner", "a f");
  repo_.Write(".git/belay-follow", old_.text() + " " + new_.text() + "\n");
  ExpectFollows();
  EXPECT_EQ(repo_.Read("sub/inner"), "a file\n");
}

}  // namespace
}  // namespace belay
