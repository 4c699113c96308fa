// Snapshots in all states of a repository.

#include <gmock/gmock.h>

#include "snapshot/test_survive.h"

namespace belay {
namespace {

class SurviveStatesTest : public SurviveTest {
 protected:
  // Two branches, main and other, that both changed tracked.txt.
  void Diverge() {
    repository_.Git({"switch", "-q", "-c", "other"});
    repository_.Write("tracked.txt", "theirs\n");
    repository_.CommitAll("theirs");
    repository_.Git({"switch", "-q", "main"});
    repository_.Write("tracked.txt", "ours\n");
    repository_.CommitAll("ours");
  }
  std::string Blob(const std::string& name) { return repository_.Git({"cat-file", "blob", name}); }
};

TEST_F(SurviveStatesTest, CleanTree) { EXPECT_EQ(TakeAll().record.files, 0U); }

TEST_F(SurviveStatesTest, OrdinaryChanges) {
  repository_.Write("gone", "x");
  repository_.CommitAll("gone");
  repository_.Remove("gone");
  ChangeSome(repository_.path());
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(snapshot.record.files, 4U);
  EXPECT_EQ(snapshot.record.branch, "main");
  EXPECT_EQ(Blob(snapshot.index.text() + ":staged"), "staged\n");
  EXPECT_EQ(Blob(snapshot.index.text() + ":gone"), "x");
}

// Git's own tools can read it.
TEST_F(SurviveStatesTest, OrdinaryChangesAsAStash) {
  ChangeSome(repository_.path());
  const auto before = repository_.Files();
  const SavedSnapshot snapshot = TakeAll();
  const std::string shown =
      repository_.Git({"stash", "show", "-p", "--include-untracked", snapshot.commit.text()});
  EXPECT_THAT(shown, ::testing::HasSubstr("+changed"));
  EXPECT_THAT(shown, ::testing::HasSubstr("new/file"));
  repository_.Git({"reset", "-q", "--hard"});
  repository_.Git({"clean", "-fdxq"});
  repository_.Git({"stash", "apply", "-q", "--index", snapshot.commit.text()});
  EXPECT_EQ(repository_.Files(), before);
  EXPECT_EQ(repository_.Git({"diff", "--cached", "--name-only"}), "staged\n");
}

TEST_F(SurviveStatesTest, LinkedWorktree) {
  const std::string linked = repository_.outside() / "linked";
  repository_.Git({"worktree", "add", "-q", "-b", "branch", linked});
  ChangeSome(linked);
  repository_.Write("only-in-main", "x");
  const SavedSnapshot snapshot = TakeAll(linked);
  EXPECT_EQ(snapshot.id.text(), "linked/1");
  EXPECT_EQ(snapshot.record.branch, "branch");
  EXPECT_EQ(TakeAll().id.text(), "main/1");
}

TEST_F(SurviveStatesTest, WorktreeOfABareRepository) {
  const std::string bare = repository_.outside() / "bare.git";
  const std::string linked = repository_.outside() / "linked";
  repository_.Git({"clone", "-q", "--bare", repository_.path(), bare});
  repository_.GitIn(bare, {"worktree", "add", "-q", linked, "main"});
  ChangeSome(linked);
  TakeAll(linked);
}

TEST_F(SurviveStatesTest, SeparateGitFolder) {
  const std::string other = repository_.outside() / "other";
  repository_.Git({"clone", "-q", "--separate-git-dir", repository_.outside() / "apart",
                   repository_.path(), other});
  ChangeSome(other);
  EXPECT_EQ(TakeAll(other).id.text(), "main/1");
}

TEST_F(SurviveStatesTest, DetachedHead) {
  repository_.Git({"checkout", "-q", "--detach"});
  ChangeSome(repository_.path());
  EXPECT_EQ(TakeAll().record.branch, "");
}

TEST_F(SurviveStatesTest, NoCommitsYet) {
  const std::string fresh = repository_.outside() / "fresh";
  repository_.GitIn(repository_.outside().path(), {"init", "-q", fresh});
  EXPECT_FALSE(TakeAll(fresh).record.has_base);
  ChangeSome(fresh);
  repository_.GitIn(fresh, {"add", "-N", "tracked.txt"});
  const SavedSnapshot snapshot = TakeAll(fresh);
  EXPECT_FALSE(snapshot.record.has_base);
  EXPECT_EQ(snapshot.id.text(), "main/2");
  EXPECT_EQ(FilesIn(git().In(fresh), snapshot.index.text()).size(), 1U);
}

TEST_F(SurviveStatesTest, OrphanBranch) {
  repository_.Git({"switch", "-q", "--orphan", "empty"});
  repository_.Write("new", "x");
  EXPECT_FALSE(TakeAll().record.has_base);
}

TEST_F(SurviveStatesTest, InTheMiddleOfAMerge) {
  Diverge();
  EXPECT_EQ(repository_.TryGit({"merge", "-q", "other"}), 1);
  repository_.Write("new", "x");
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(Blob(snapshot.rest.text() + ":stage1/tracked.txt"), "first\n");
  EXPECT_EQ(Blob(snapshot.rest.text() + ":stage2/tracked.txt"), "ours\n");
  EXPECT_EQ(Blob(snapshot.rest.text() + ":stage3/tracked.txt"), "theirs\n");
  EXPECT_EQ(Blob(snapshot.index.text() + ":tracked.txt"), "ours\n");
}

TEST_F(SurviveStatesTest, InTheMiddleOfAMergeWhereOneSideDeleted) {
  repository_.Git({"switch", "-q", "-c", "other"});
  repository_.Git({"rm", "-q", "tracked.txt"});
  repository_.Git({"commit", "-q", "-m", "theirs"});
  repository_.Git({"switch", "-q", "main"});
  repository_.Write("tracked.txt", "ours\n");
  repository_.CommitAll("ours");
  EXPECT_EQ(repository_.TryGit({"merge", "-q", "other"}), 1);
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(FilesIn(git(), snapshot.rest.text()).size(), 2U);
  repository_.Remove("tracked.txt");
  EXPECT_EQ(FilesIn(git(), TakeAll().rest.text()).size(), 2U);
}

TEST_F(SurviveStatesTest, InTheMiddleOfARebase) {
  Diverge();
  EXPECT_EQ(repository_.TryGit({"rebase", "-q", "other"}), 1);
  ChangeSome(repository_.path());
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(Blob(snapshot.rest.text() + ":stage3/tracked.txt"), "ours\n");
  repository_.Git({"rebase", "--abort"});
}

TEST_F(SurviveStatesTest, InTheMiddleOfABisect) {
  for (const char* text : {"2\n", "3\n", "4\n"}) {
    repository_.Write("tracked.txt", text);
    repository_.CommitAll(text);
  }
  repository_.Git({"bisect", "start", "HEAD", "HEAD~3"});
  ChangeSome(repository_.path());
  TakeAll();
  repository_.Git({"reset", "-q", "--hard"});
  repository_.Git({"bisect", "good"});
}

TEST_F(SurviveStatesTest, SparseCheckout) {
  repository_.Write("in/a", "a");
  repository_.Write("out/b", "b");
  repository_.CommitAll("two folders");
  repository_.Git({"sparse-checkout", "set", "--cone", "in"});
  EXPECT_EQ(repository_.Read("out/b"), "(missing)");
  repository_.Write("in/a", "changed");
  repository_.Write("in/new", "new");
  const auto files = FilesOf(Take());
  EXPECT_EQ(files.at("in/a").content, "changed");
  EXPECT_EQ(files.at("in/new").content, "new");
  EXPECT_EQ(files.at("out/b").content, "b");
}

TEST_F(SurviveStatesTest, SparseIndex) {
  repository_.Write("in/a", "a");
  repository_.Write("out/b", "b");
  repository_.CommitAll("two folders");
  repository_.Git({"sparse-checkout", "set", "--cone", "--sparse-index", "in"});
  repository_.Write("in/a", "changed");
  const auto files = FilesOf(Take());
  EXPECT_EQ(files.at("in/a").content, "changed");
  EXPECT_EQ(files.at("out/b").content, "b");
}

TEST_F(SurviveStatesTest, ShallowClone) {
  Diverge();
  const std::string shallow = repository_.outside() / "shallow";
  repository_.Git({"clone", "-q", "--depth=1", "file://" + repository_.path(), shallow});
  ChangeSome(shallow);
  TakeAll(shallow);
}

TEST_F(SurviveStatesTest, CloneThatBorrowsObjects) {
  const std::string borrower = repository_.outside() / "borrower";
  repository_.Git({"clone", "-q", "-s", repository_.path(), borrower});
  ChangeSome(borrower);
  TakeAll(borrower);
}

TEST_F(SurviveStatesTest, Sha256) {
  const std::string long_ids = repository_.outside() / "long";
  repository_.GitIn(repository_.outside().path(),
                    {"init", "-q", "--object-format=sha256", long_ids});
  ChangeSome(long_ids);
  EXPECT_EQ(TakeAll(long_ids).commit.format(), ObjectFormat::kSha256);
  repository_.GitIn(long_ids, {"commit", "-q", "-m", "staged"});
  TakeAll(long_ids);
}

TEST_F(SurviveStatesTest, PathsWithAnything) {
  for (const std::string name : {"a b", "it's", "a\"b\"", "a:b", "new\nline", "ü", "\xff\xfe",
                                 "$(x) `y`", "#", "a\\b", "\"q:", "-x", "*?[a]", " lead"}) {
    const std::string folder = repository_.outside() / name;
    repository_.Git({"clone", "-q", repository_.path(), folder});
    ChangeSome(folder);
    TakeAll(folder);
  }
}

TEST_F(SurviveStatesTest, WorktreesWithOddNames) {
  for (const std::string name : {"main", "wt-main", "a b", "a.lock", "ü", "日本語の名前"}) {
    const std::string folder = repository_.outside() / ("trees/" + name);
    repository_.Git({"worktree", "add", "-q", "--detach", folder});
    ChangeSome(folder);
    EXPECT_EQ(TakeAll(folder).id.number, 1U) << name;
  }
}

TEST_F(SurviveStatesTest, IndexLockHeld) {
  ChangeSome(repository_.path());
  repository_.Write(".git/index.lock", "");
  TakeAll();
}

TEST_F(SurviveStatesTest, WhateverIsConfigured) {
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"pack.indexVersion", "1"},
      {"pack.compression", "0"},
      {"pack.writeBitmaps", "true"},
      {"pack.writeReverseIndex", "true"},
      {"pack.depth", "1"},
      {"core.bigFileThreshold", "1"},
      {"core.splitIndex", "true"},
      {"core.untrackedCache", "true"},
      {"feature.manyFiles", "true"},
      {"core.sharedRepository", "group"},
      {"core.multiPackIndex", "true"},
      {"commit.gpgSign", "true"},
      {"user.useConfigOnly", "true"},
      {"i18n.commitEncoding", "utf-16"},
      {"gc.auto", "1"},
      {"gc.autoPackLimit", "1"},
      {"transfer.fsckObjects", "true"},
      {"core.logAllRefUpdates", "always"},
      {"core.preferSymlinkRefs", "true"},
      {"submodule.recurse", "true"},
      {"diff.external", "false"},
      {"core.quotePath", "true"},
      {"status.showUntrackedFiles", "no"},
      {"core.packedGitLimit", "1"},
      {"core.fsync", "none"},
      {"fastimport.unpackLimit", "100000"},
      {"core.looseCompression", "0"},
      {"safe.bareRepository", "explicit"},
      {"core.checkStat", "minimal"},
      {"protocol.allow", "never"}};
  for (const auto& [key, value] : settings) repository_.Git({"config", key, value});
  repository_.Git({"update-index", "--split-index", "--untracked-cache"});
  ChangeSome(repository_.path());
  TakeAll();
  repository_.Git({"gc", "-q"});
  repository_.Write("after", "gc");
  TakeAll();
}

TEST_F(SurviveStatesTest, FilesThatGitIsSetToIgnore) {
  for (const char* name : {"assumed", "skipped"}) repository_.Write(name, "x");
  repository_.CommitAll("files");
  repository_.Git({"update-index", "--assume-unchanged", "assumed"});
  repository_.Git({"update-index", "--skip-worktree", "skipped"});
  for (const char* name : {"assumed", "skipped"}) repository_.Write(name, "changed");
  TakeAll();
}

// Names that git forbids to protect other systems.
TEST_F(SurviveStatesTest, NamesThatGitRefusesToAdd) {
  for (const char* name : {"git~1", ".git ", ".GIT ", ".git.", "a/.git::$INDEX_ALLOCATION",
                           "\xe2\x80\x8c.git", ".gitmodules.", "con", "aux.txt", "a\\..\\b"}) {
    repository_.Write(name, "x");
  }
  TakeAll();
}

TEST_F(SurviveStatesTest, StashesOfTheUser) {
  repository_.Write("tracked.txt", "stashed\n");
  repository_.Git({"stash", "-q"});
  ChangeSome(repository_.path());
  TakeAll();
  repository_.Git({"reset", "-q", "--hard"});
  repository_.Git({"stash", "pop", "-q"});
  EXPECT_EQ(repository_.Read("tracked.txt"), "stashed\n");
}

}  // namespace
}  // namespace belay
