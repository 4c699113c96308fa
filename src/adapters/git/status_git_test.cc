// The output of the real git, and what is read from it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/status.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = StatusEntry::Kind;

class StatusGitTest : public GitTest {
 protected:
  GitStatus Read(IgnoredFiles ignored = IgnoredFiles::kLeaveOut) {
    Result<GitStatus> status = ReadStatus(git_, ignored);
    EXPECT_TRUE(status.ok()) << (status ? "" : status.error().message);
    return status ? *std::move(status) : GitStatus{};
  }
  StatusEntry One() {
    GitStatus status = Read();
    EXPECT_EQ(status.entries.size(), 1u);
    return status.entries.size() == 1 ? status.entries[0] : StatusEntry{.kind = Kind::kIgnored};
  }
  std::vector<std::string> Paths(IgnoredFiles ignored = IgnoredFiles::kLeaveOut) {
    std::vector<std::string> paths;
    for (StatusEntry& entry : Read(ignored).entries) paths.push_back(entry.path);
    return paths;
  }
};

TEST_F(StatusGitTest, OfACleanTreeHasNoEntries) {
  const GitStatus status = Read();
  EXPECT_EQ(status.head, Resolve("HEAD"));
  EXPECT_EQ(status.branch, "main");
  EXPECT_THAT(status.entries, IsEmpty());
  EXPECT_EQ(status.warnings, "");
}

TEST_F(StatusGitTest, DistinguishesStagedAndUnstagedChanges) {
  repo_.Write("tracked.txt", "second\n");
  EXPECT_FALSE(One().index_changed);
  EXPECT_TRUE(One().worktree_changed);
  repo_.Git({"add", "tracked.txt"});
  EXPECT_TRUE(One().index_changed);
  EXPECT_FALSE(One().worktree_changed);
  EXPECT_EQ(One().head.id, Resolve("HEAD:tracked.txt"));
  EXPECT_EQ(One().index.id, Resolve(":tracked.txt"));
}

TEST_F(StatusGitTest, SeesModesKindsAndDeletions) {
  repo_.SetMode("tracked.txt", 0755);
  EXPECT_EQ(One().worktree_mode, kProgramMode);
  repo_.Remove("tracked.txt");
  EXPECT_EQ(One().worktree_mode, kNoMode);
  EXPECT_EQ(One().index.mode, kFileMode);
  repo_.MakeLink("nowhere", "tracked.txt");
  EXPECT_EQ(One().worktree_mode, kLinkMode);
}

TEST_F(StatusGitTest, SeesAFileThatBecameAFolder) {
  repo_.Remove("tracked.txt");
  repo_.Write("tracked.txt/inner", "x");
  const GitStatus status = Read();
  ASSERT_EQ(status.entries.size(), 2u);
  EXPECT_EQ(status.entries[0].path, "tracked.txt");
  EXPECT_EQ(status.entries[0].worktree_mode, kNoMode);
  EXPECT_EQ(status.entries[1].path, "tracked.txt/inner");
  EXPECT_EQ(status.entries[1].kind, Kind::kUntracked);
}

TEST_F(StatusGitTest, SeesRenamesAsTwoPaths) {
  repo_.Git({"config", "status.renames", "copies"});
  repo_.Git({"mv", "tracked.txt", "z.txt"});
  EXPECT_THAT(Paths(), ElementsAre("tracked.txt", "z.txt"));
}

TEST_F(StatusGitTest, SeesIntentToAdd) {
  repo_.Write("new", "content");
  repo_.Git({"add", "-N", "new"});
  EXPECT_TRUE(One().intent_to_add);
  EXPECT_FALSE(One().index.IsThere());
  EXPECT_FALSE(One().head.IsThere());
  EXPECT_EQ(One().worktree_mode, kFileMode);
}

TEST_F(StatusGitTest, TakesNamesOfAnyBytes) {
  const std::vector<std::string> names = {"\n? x", "\"q\"", "1 .M N...", "a b ", "\xff\xfe", "ü"};
  for (const std::string& name : names) repo_.Write(name, "x");
  EXPECT_THAT(Paths(), ::testing::UnorderedElementsAreArray(names));
  repo_.Git({"add", "-A"});
  EXPECT_THAT(Paths(), ::testing::UnorderedElementsAreArray(names));
}

TEST_F(StatusGitTest, NamesFilesInUntrackedFolders) {
  repo_.Write("a/b/c", "x");
  repo_.Write("a/d", "x");
  EXPECT_THAT(Paths(), ElementsAre("a/b/c", "a/d"));
}

TEST_F(StatusGitTest, NamesARepositoryInsideAsAFolder) {
  repo_.GitIn(repo_.path(), {"init", "-q", "nested"});
  repo_.Write("nested/file", "x");
  repo_.GitIn(repo_ / "nested", {"add", "file"});
  repo_.GitIn(repo_ / "nested", {"commit", "-q", "-m", "x"});
  EXPECT_THAT(Paths(), ElementsAre("nested/"));
}

TEST_F(StatusGitTest, NamesIgnoredFilesOnlyWhenAsked) {
  repo_.Write(".gitignore", "*.o\nbuild/\n");
  repo_.CommitAll("ignore");
  repo_.Write("a.o", "x");
  repo_.Write("build/b", "x");
  EXPECT_THAT(Paths(), IsEmpty());
  EXPECT_THAT(Paths(IgnoredFiles::kName), ElementsAre("a.o", "build/b"));
}

TEST_F(StatusGitTest, WorksWithoutCommits) {
  GitRepository fresh(GitRepository::Start::kNoCommit);
  fresh.Write("a", "x");
  fresh.Git({"add", "a"});
  const auto status = ReadStatus(git_.In(fresh.path()));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->head.IsNone());
  EXPECT_EQ(status->branch, "main");
  ASSERT_EQ(status->entries.size(), 1u);
  EXPECT_TRUE(status->entries[0].index_changed);
  EXPECT_FALSE(status->entries[0].head.IsThere());
}

TEST_F(StatusGitTest, WorksWithADetachedHead) {
  repo_.Git({"checkout", "-q", "--detach"});
  EXPECT_EQ(Read().branch, "");
  EXPECT_EQ(Read().head, Resolve("HEAD"));
}

TEST_F(StatusGitTest, TakesBranchesWithOddNames) {
  for (const std::string name : {"a#b", "ü/\xff", "(initial)", "wip'\"", "branch.oid"}) {
    repo_.Git({"checkout", "-q", "-b", name});
    EXPECT_EQ(Read().branch, name);
  }
}

TEST_F(StatusGitTest, ReadsAllStagesOfAConflict) {
  repo_.Git({"checkout", "-q", "-b", "other"});
  repo_.Write("tracked.txt", "theirs\n");
  repo_.CommitAll("theirs");
  repo_.Git({"checkout", "-q", "main"});
  repo_.Write("tracked.txt", "ours\n");
  repo_.CommitAll("ours");
  EXPECT_NE(repo_.TryGit({"merge", "-q", "other"}), 0);
  const StatusEntry entry = One();
  EXPECT_EQ(entry.kind, Kind::kUnmerged);
  EXPECT_EQ(entry.stages[0].id, Resolve(":1:tracked.txt"));
  EXPECT_EQ(entry.stages[1].id, Resolve(":2:tracked.txt"));
  EXPECT_EQ(entry.stages[2].id, Resolve(":3:tracked.txt"));
}

TEST_F(StatusGitTest, LeavesOutStagesThatAreNotThere) {
  repo_.Git({"checkout", "-q", "-b", "other"});
  repo_.Git({"rm", "-q", "tracked.txt"});
  repo_.CommitAll("theirs");
  repo_.Git({"checkout", "-q", "main"});
  repo_.Write("tracked.txt", "ours\n");
  repo_.CommitAll("ours");
  EXPECT_NE(repo_.TryGit({"merge", "-q", "other"}), 0);
  EXPECT_TRUE(One().stages[0].IsThere());
  EXPECT_TRUE(One().stages[1].IsThere());
  EXPECT_FALSE(One().stages[2].IsThere());
}

TEST_F(StatusGitTest, SeesWhatIsNewInASubmodule) {
  GitRepository library;
  repo_.Git({"-c", "protocol.file.allow=always", "submodule", "-q", "add", library.path(), "sub"});
  repo_.CommitAll("sub");
  repo_.Git({"config", "submodule.sub.ignore", "all"});
  EXPECT_THAT(Paths(), IsEmpty());
  repo_.Write("sub/untracked", "x");
  EXPECT_TRUE(One().submodule_dirty);
  EXPECT_FALSE(One().submodule_moved);
  repo_.GitIn(repo_ / "sub", {"add", "-A"});
  repo_.GitIn(repo_ / "sub", {"commit", "-q", "-m", "x"});
  EXPECT_FALSE(One().submodule_dirty);
  EXPECT_TRUE(One().submodule_moved);
  EXPECT_EQ(One().worktree_mode, kSubmoduleMode);
}

TEST_F(StatusGitTest, WorksInASha256Repository) {
  repo_.GitIn(repo_.outside().path(), {"init", "-q", "--object-format=sha256", "long"});
  repo_.outside().Write("long/a", "x");
  repo_.GitIn(repo_.outside() / "long", {"add", "a"});
  const auto status = ReadStatus(git_.In(repo_.outside() / "long"));
  ASSERT_TRUE(status);
  ASSERT_EQ(status->entries.size(), 1u);
  EXPECT_EQ(status->entries[0].index.id.format(), ObjectFormat::kSha256);
  EXPECT_TRUE(status->entries[0].head.id.IsNone());
}

TEST_F(StatusGitTest, ChangesNothingNotEvenTheIndex) {
  repo_.SetMode("tracked.txt", 0644);  // its time is new: git would want to refresh the index
  const std::string before = repo_.Read(".git/index");
  repo_.Write(".git/index.lock", "");
  EXPECT_THAT(Paths(), IsEmpty());
  EXPECT_EQ(repo_.Read(".git/index"), before);
}

TEST_F(StatusGitTest, OutsideOfARepositoryIsAnError) {
  const auto status = ReadStatus(git_.In(repo_.outside().path()));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("not a git repository"));
}

}  // namespace
}  // namespace belay
