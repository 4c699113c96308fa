#include "snapshot/take.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "snapshot/test_place.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

class TakeTest : public ::testing::Test {
 protected:
  TakeTest() : place_(repository_.path()) {}

  SavedSnapshot Take() {
    Result<Taken> taken = place_.Take();
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    EXPECT_TRUE(taken->is_new);
    return taken->snapshot;
  }
  std::string Show(const SavedSnapshot& snapshot, const std::string& path) {
    return repository_.Git({"cat-file", "blob", snapshot.commit.text() + path});
  }

  GitRepository repository_;
  TestPlace place_;
};

TEST_F(TakeTest, CapturesChangedStagedAndUntrackedFiles) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new/file", "untracked\n");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(snapshot.id.text(), "main/1");
  EXPECT_EQ(Show(snapshot, ":tracked.txt"), "changed\n");
  EXPECT_EQ(Show(snapshot, "^2:tracked.txt"), "staged\n");
  EXPECT_EQ(Show(snapshot, "^3:new/file"), "untracked\n");
  EXPECT_EQ(repository_.Git({"rev-parse", snapshot.commit.text() + "^1"}),
            repository_.Git({"rev-parse", "HEAD"}));
  EXPECT_EQ(snapshot.record.files, 2U);
}

TEST_F(TakeTest, TouchesNothingOfTheUsers) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const auto files = repository_.Files();
  const std::string refs = repository_.Git({"for-each-ref", "refs/heads", "refs/stash"});
  const auto before = place_.files().Inspect(repository_ / ".git/index");
  Take();
  const auto after = place_.files().Inspect(repository_ / ".git/index");
  EXPECT_EQ(repository_.Files(), files);
  EXPECT_EQ(repository_.Git({"for-each-ref", "refs/heads", "refs/stash"}), refs);
  EXPECT_EQ(before->changed, after->changed);
  EXPECT_EQ(before->inode, after->inode);
}

TEST_F(TakeTest, GivesTheLastOneBackWhenNothingChanged) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot first = Take();
  const Result<Taken> second = place_.Take();
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(second->snapshot.id, first.id);
  repository_.Write("new", "other bits\n");
  EXPECT_EQ(Take().id.text(), "main/2");
}

TEST_F(TakeTest, IsWholeInAPackOfItsOwn) {
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  repository_.Git({"fsck", "--strict"});
  EXPECT_EQ(repository_.Git({"rev-parse", snapshot.id.Ref()}), snapshot.commit.text() + "\n");
  const auto objects = place_.files().List(repository_ / ".git/objects");
  for (const std::string& name : *objects) EXPECT_FALSE(name.starts_with("belay-")) << name;
  const auto packs = place_.files().List(repository_ / ".git/objects/pack");
  for (const std::string& name : *packs) EXPECT_FALSE(name.ends_with(".keep")) << name;
}

TEST_F(TakeTest, ObjectsAndRefAreOnTheDiskBeforeItIsAcknowledged) {
  repository_.Write("new", "untracked\n");
  const std::string git = repository_ / ".git";
  std::string opened;
  std::vector<std::string> before_ref;
  std::vector<std::string> after_ref;
  RealFileCalls real;
  WatchedCalls watched(real, [&](const WatchedCall& call) {
    if (call.kind == CallKind::kOpen) opened = call.path;
    if (call.kind != CallKind::kSync) return;
    const bool is_there = std::filesystem::exists(git + "/refs/belay/keep/main/1");
    (is_there ? after_ref : before_ref).push_back(opened);
  });
  ASSERT_TRUE(TestPlace(repository_.path(), &watched).Take().ok());
  EXPECT_THAT(before_ref, ::testing::Contains(git + "/objects/pack/"));
  for (const std::string folder :
       {"", "/refs", "/refs/belay", "/refs/belay/keep", "/refs/belay/keep/main"}) {
    EXPECT_THAT(after_ref, ::testing::Contains(git + folder));
  }
}

TEST_F(TakeTest, HasTheShapeOfAStash) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  const std::string shown =
      repository_.Git({"stash", "show", "-p", "--include-untracked", snapshot.commit.text()});
  EXPECT_NE(shown.find("+changed"), std::string::npos);
  EXPECT_NE(shown.find("+untracked"), std::string::npos);
  repository_.Git({"clean", "-fdxq"});
  repository_.Git({"reset", "-q", "--hard"});
  repository_.Git({"stash", "apply", "-q", snapshot.commit.text()});
  EXPECT_EQ(repository_.Read("tracked.txt"), "changed\n");
  EXPECT_EQ(repository_.Read("new"), "untracked\n");
}

TEST_F(TakeTest, KeepsStagesAndIntentions) {
  repository_.Git({"switch", "-q", "-c", "other"});
  repository_.Write("tracked.txt", "theirs\n");
  repository_.CommitAll("theirs");
  repository_.Git({"switch", "-q", "main"});
  repository_.Write("tracked.txt", "ours\n");
  repository_.CommitAll("ours");
  EXPECT_EQ(repository_.TryGit({"merge", "-q", "other"}), 1);
  repository_.Write("intended", "later\n");
  repository_.Git({"add", "-N", "intended"});
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(Show(snapshot, "^4:stage1/tracked.txt"), "first\n");
  EXPECT_EQ(Show(snapshot, "^4:stage3/tracked.txt"), "theirs\n");
  EXPECT_EQ(Show(snapshot, "^4:intent-to-add/intended"), "");
  EXPECT_EQ(Show(snapshot, ":intended"), "later\n");
}

TEST_F(TakeTest, RecordsPermissionsThatGitForgets) {
  repository_.Write("private", "x");
  repository_.SetMode("private", 0600);
  EXPECT_EQ(Take().record.modes, (std::map<std::string, std::uint32_t>{{"private", 0600}}));
}

TEST_F(TakeTest, LeavesOutSecretsAndNamesThem) {
  repository_.Write(".env", "TOKEN=1");
  repository_.Write("secrets/a", "2");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(repository_.TryGit({"cat-file", "-e", snapshot.commit.text() + "^3:.env"}), 128);
  EXPECT_EQ(snapshot.record.skipped,
            (std::vector<SkippedPath>{{".env", SkipReason::kSecret},
                                      {"secrets/a", SkipReason::kSecret}}));
}

TEST_F(TakeTest, TakesTheCommitOfASubmoduleFromWhereItIs) {
  GitRepository module;
  const std::string first = module.Git({"rev-parse", "HEAD"});
  repository_.Git(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.path(), "module"});
  repository_.CommitAll("with a submodule");
  repository_.GitIn(repository_ / "module", {"commit", "-q", "--allow-empty", "-m", "second"});
  const std::string second = repository_.GitIn(repository_ / "module", {"rev-parse", "HEAD"});
  const SavedSnapshot moved = Take();
  EXPECT_EQ(repository_.Git({"rev-parse", moved.commit.text() + ":module"}), second);
  EXPECT_EQ(repository_.Git({"rev-parse", moved.commit.text() + "^2:module"}), first);
  // Not checked out: git in its folder would answer for the outer repository.
  repository_.Git({"add", "module"});
  repository_.Git({"submodule", "--quiet", "deinit", "-f", "module"});
  const SavedSnapshot empty = Take();
  EXPECT_EQ(repository_.Git({"rev-parse", empty.commit.text() + ":module"}), second);
}

TEST_F(TakeTest, IgnoresAFileThatIsNeitherTrackedAnyMoreNorCaptured) {
  repository_.Git({"rm", "-q", "--cached", "tracked.txt"});
  repository_.Write(".gitignore", "tracked.txt\n");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(Show(snapshot, ":tracked.txt"), "first\n");
  EXPECT_NE(repository_.TryGit({"cat-file", "-e", snapshot.commit.text() + "^2:tracked.txt"}), 0);
}

TEST_F(TakeTest, KeepsWhatIsStagedOutsideOfASparseCheckout) {
  repository_.Write("in/a", "1\n");
  repository_.Write("out/b", "1\n");
  repository_.CommitAll("first");
  repository_.Write("out/b", "2\n");
  repository_.CommitAll("second");
  repository_.Git({"sparse-checkout", "set", "in"});
  repository_.Git({"reset", "-q", "--soft", "HEAD^"});
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(Show(snapshot, ":out/b"), "2\n");
  EXPECT_EQ(Show(snapshot, "^2:out/b"), "2\n");
}

TEST_F(TakeTest, KeepsNamesApartWhateverIsConfigured) {
  repository_.Git({"config", "core.ignoreCase", "true"});
  repository_.Write("u/Foo", "1");
  repository_.Write("u/foo", "2");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(Show(snapshot, "^3:u/Foo"), "1");
  EXPECT_EQ(Show(snapshot, "^3:u/foo"), "2");
}

TEST_F(TakeTest, NamesWhatGitWouldRefuseToCheckOut) {
  repository_.Write(".GIT/x", "1");
  EXPECT_EQ(Take().record.skipped, (std::vector<SkippedPath>{{".GIT/x", SkipReason::kGitName}}));
}

TEST_F(TakeTest, ReadsNothingThroughALink) {
  repository_.Write(".gitattributes", "* text=auto\n");
  repository_.Write("d/x", "inside\n");
  repository_.CommitAll("first");
  repository_.outside().Write("out/x", "outside, and longer\n");
  repository_.Git({"update-index", "--assume-unchanged", "d/x"});
  repository_.Remove("d");
  repository_.MakeLink(repository_.outside() / "out", "d");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(Show(snapshot, ":d/x"), "inside\n");
}

TEST_F(TakeTest, ASubmoduleWithoutCommitsKeepsNothingElseFromBeingCaptured) {
  GitRepository module;
  repository_.Git(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.path(), "module"});
  repository_.GitIn(repository_ / "module", {"checkout", "-q", "--orphan", "none"});
  repository_.Write("work", "precious\n");
  EXPECT_EQ(Show(Take(), "^3:work"), "precious\n");
}

TEST_F(TakeTest, ABrokenSubmoduleIsNamedAndTheRestIsCaptured) {
  GitRepository module;
  repository_.Git(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.path(), "module"});
  repository_.CommitAll("with a submodule");
  repository_.Remove(".git/modules/module");
  repository_.Write("work", "precious\n");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(Show(snapshot, "^3:work"), "precious\n");
  EXPECT_EQ(snapshot.record.skipped,
            (std::vector<SkippedPath>{{"module", SkipReason::kUnreadable}}));
}

}  // namespace
}  // namespace belay
