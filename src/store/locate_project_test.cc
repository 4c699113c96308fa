#include <gtest/gtest.h>
#include <unistd.h>

#include "os/program.h"
#include "store/repository.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

// Real git makes the repositories: what counts is what it writes.
class LocateProjectTest : public ::testing::Test {
 protected:
  void Git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"git", "-C", folder_.path(), "-c", "user.name=t", "-c", "user.email=t@t",
                      "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"});
    const auto result =
        PosixPrograms().Run({.command = arguments, .limit = std::chrono::seconds(60)});
    ASSERT_TRUE(result.ok());
    ASSERT_EQ(result->exit_code, 0) << result->err;
  }
  void MakeRepository(const std::string& name) {
    Git({"init", "-q", name});
    Git({"-C", name, "commit", "-q", "--allow-empty", "-m", "first"});
  }
  Result<Layout> From(std::string_view current, std::optional<std::string> named = {}) {
    return LocateProject(files_, {.root = std::move(named), .current = folder_ / current});
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(LocateProjectTest, FindsTheRepositoryAroundADeepFolder) {
  MakeRepository("r");
  folder_.MakeFolder("r/a/b");
  const auto layout = From("r/a/b");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->Root(), folder_ / "r");
  EXPECT_EQ(layout->StateRoot(), folder_ / "r/.claude/state");
  EXPECT_EQ(layout->Vault(), folder_ / "r/.git/belay");
}

TEST_F(LocateProjectTest, ADeletedFolderIsNamedAsTheReason) {
  const auto layout = From("gone");
  ASSERT_FALSE(layout.ok());
  EXPECT_NE(layout.error().message.find("no longer exists"), std::string::npos);
}

TEST_F(LocateProjectTest, LeadsEveryLinkedWorktreeToTheMainOne) {
  MakeRepository("r");
  Git({"-C", "r", "worktree", "add", "-q", "../w"});
  const auto layout = From("w");
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->Root(), folder_ / "r");
  EXPECT_EQ(layout->Vault(), folder_ / "r/.git/belay");
}

TEST_F(LocateProjectTest, TakesASubmoduleAsAProjectOfItsOwn) {
  MakeRepository("lib");
  MakeRepository("r");
  Git({"-C", "r", "submodule", "--quiet", "add", folder_ / "lib", "sub"});
  const auto layout = From("r/sub");
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->Root(), folder_ / "r/sub");
  EXPECT_EQ(layout->Vault(), folder_ / "r/.git/modules/sub/belay");
}

TEST_F(LocateProjectTest, UnderstandsASeparateGitFolder) {
  Git({"init", "-q", "--separate-git-dir", "g", "r"});
  const auto layout = From("r");
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->Root(), folder_ / "r");
  EXPECT_EQ(layout->Vault(), folder_ / "g/belay");
}

TEST_F(LocateProjectTest, LeadsTheWorktreesOfASubmoduleToIt) {
  MakeRepository("lib");
  MakeRepository("r");
  Git({"-C", "r", "submodule", "--quiet", "add", folder_ / "lib", "sub"});
  Git({"-C", "r/sub", "worktree", "add", "-q", folder_ / "w"});
  EXPECT_EQ(From("w")->Root(), folder_ / "r/sub");
}

TEST_F(LocateProjectTest, LeadsEveryWorktreeToTheRootThatWasRecorded) {
  // Git doesn't record the main worktree of a separate git folder; belay's own note does.
  Git({"init", "-q", "--separate-git-dir", "g", "r"});
  Git({"-C", "r", "commit", "-q", "--allow-empty", "-m", "first"});
  Git({"-C", "r", "worktree", "add", "-q", "../w"});
  EXPECT_EQ(From("w").error().code, ErrorCode::kUsage);
  folder_.Write("g/belay/root", folder_ / "r" + "\n");
  EXPECT_EQ(From("w")->Root(), folder_ / "r");
  EXPECT_EQ(From("r")->Root(), folder_ / "r");
  for (const std::string& wrong : {folder_ / "nowhere", folder_ / "g", std::string("/")}) {
    folder_.Write("g/belay/root", wrong + "\n");
    EXPECT_EQ(From("r")->Root(), folder_ / "r") << wrong;
    EXPECT_FALSE(From("w").ok()) << wrong;
  }
}

TEST_F(LocateProjectTest, UnderstandsABareFolderBesideItsWorktrees) {
  MakeRepository("r");
  Git({"clone", "-q", "--bare", "r", "p/.bare"});
  folder_.Write("p/.git", "gitdir: ./.bare\n");
  Git({"-C", "p", "worktree", "add", "-q", "wt", "main"});
  EXPECT_EQ(From("p")->Root(), folder_ / "p");
  EXPECT_EQ(From("p/wt").error().code, ErrorCode::kUsage);
  folder_.Write("p/.bare/belay/root", folder_ / "p" + "\n");
  EXPECT_EQ(From("p/wt")->Root(), folder_ / "p");
}

TEST_F(LocateProjectTest, AsksForTheRootOfABareRepository) {
  MakeRepository("r");
  Git({"clone", "-q", "--bare", "r", "b.git"});
  Git({"-C", "b.git", "worktree", "add", "-q", "../w", "main"});
  EXPECT_EQ(From("w").error().code, ErrorCode::kUsage);
  folder_.MakeFolder("w/deep");
  const auto layout = From("w", folder_ / "w/deep");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->Root(), folder_ / "w");
  EXPECT_EQ(layout->Vault(), folder_ / "b.git/belay");
}

TEST_F(LocateProjectTest, RefusesAFolderOutsideAnyRepositoryUnlessItIsNamed) {
  folder_.MakeFolder("plain");
  EXPECT_EQ(From("plain").error().code, ErrorCode::kUsage);
  const auto layout = From("plain", folder_ / "plain");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->Vault(), folder_ / "plain/.claude/.belay-vault");
  EXPECT_EQ(layout->ExcludeFile(), std::nullopt);
}

TEST_F(LocateProjectTest, RefusesARootThatIsMissingOrAFile) {
  folder_.Write("f", "");
  EXPECT_EQ(From("f", folder_ / "f").error().code, ErrorCode::kUsage);
  EXPECT_EQ(From("f", folder_ / "x").error().code, ErrorCode::kUsage);
}

TEST_F(LocateProjectTest, NamesAGitFileThatLeadsNowhere) {
  folder_.Write("w/.git", "gitdir: /no/where\n");
  EXPECT_EQ(From("w").error().code, ErrorCode::kDamaged);
  folder_.Write("v/.git", "hello\n");
  EXPECT_EQ(From("v").error().code, ErrorCode::kDamaged);
}

TEST_F(LocateProjectTest, FollowsAGitFolderThatIsALink) {
  MakeRepository("r");
  folder_.MakeFolder("l");
  ASSERT_EQ(symlink((folder_ / "r/.git").c_str(), (folder_ / "l/.git").c_str()), 0);
  EXPECT_EQ(From("l")->Vault(), folder_ / "r/.git/belay");
}

}  // namespace
}  // namespace belay
