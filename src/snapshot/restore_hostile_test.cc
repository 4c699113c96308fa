// Snapshots that belay never took, from fetched refs.

#include <gmock/gmock.h>

#include "snapshot/restore.h"
#include "snapshot/test_place.h"

namespace belay {
namespace {

class RestoreHostileTest : public RestoreTestBase {
 protected:
  // A real snapshot, with another tree in place of its untracked files.
  SavedSnapshot WithUntracked(const std::string& tree) {
    SavedSnapshot snapshot = Take();
    snapshot.untracked = Id(repository_.Git({"commit-tree", tree, "-m", "untracked"}));
    return snapshot;
  }
  // Trees that git itself wouldn't make: "MODE NAME\0" and the bytes of the id.
  std::string Tree(std::string_view mode, std::string_view name, const std::string& id) {
    std::string bytes = std::string(mode) + " " + std::string(name) + '\0';
    for (std::size_t i = 0; i < 40; i += 2) {
      bytes += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    }
    repository_.outside().Write("tree", bytes);
    return Trimmed(repository_.Git(
        {"hash-object", "--literally", "-t", "tree", "-w", repository_.outside() / "tree"}));
  }
  std::string Blob(std::string_view content) {
    repository_.outside().Write("blob", content);
    return Trimmed(repository_.Git({"hash-object", "-w", repository_.outside() / "blob"}));
  }
  static std::string Trimmed(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  static ObjectId Id(const std::string& text) { return *ObjectId::Parse(Trimmed(text)); }

  void ExpectRefused(const SavedSnapshot& snapshot) {
    const auto outside = GitRepository::FilesOf(repository_.outside().path());
    for (const bool into : {false, true}) {
      const Result<Restored> restored =
          into ? RestoreInto(place_.worktree(), snapshot, repository_.outside() / "into")
               : Try(snapshot);
      ASSERT_FALSE(restored.ok());
      EXPECT_EQ(restored.error().code, ErrorCode::kRefused) << restored.error().message;
      EXPECT_EQ(GitRepository::FilesOf(repository_.outside().path()), outside);
    }
  }
};

TEST_F(RestoreHostileTest, WritesNothingIntoAGitFolder) {
  for (const char* name : {".git", ".GIT", ".Git"}) {
    const std::string hooks = Tree("100755", "post-checkout", Blob("#!/bin/sh\n"));
    ExpectRefused(WithUntracked(Tree("40000", name, Tree("40000", "hooks", hooks))));
    ExpectRefused(WithUntracked(Tree("100644", name, Blob("gitdir: elsewhere\n"))));
    ExpectRefused(WithUntracked(Tree("40000", "sub", Tree("100644", name, Blob("x")))));
  }
}

TEST_F(RestoreHostileTest, WritesNothingOutsideOfTheWorktree) {
  ExpectRefused(WithUntracked(Tree("40000", "..", Tree("100644", "escaped", Blob("x")))));
  ExpectRefused(
      WithUntracked(Tree("40000", "a", Tree("40000", "..", Tree("100644", "b", Blob("x"))))));
  ExpectRefused(WithUntracked(Tree("100644", "/tmp-escaped", Blob("x"))));
  ExpectRefused(WithUntracked(Tree("100644", "../escaped", Blob("x"))));
}

// The tracked files have the link, the untracked ones a file in it.
TEST_F(RestoreHostileTest, WritesNothingThroughALinkOfItsOwn) {
  SavedSnapshot snapshot =
      WithUntracked(Tree("40000", "link", Tree("100644", "inside", Blob("x"))));
  const std::string link = Tree("120000", "link", Blob(".."));
  snapshot.commit = Id(repository_.Git({"commit-tree", link, "-m", "tracked"}));
  ExpectRefused(snapshot);
}

TEST_F(RestoreHostileTest, LeavesBelaysOwnPlacesAlone) {
  const std::string state = Tree("40000", "state", Tree("100644", "agents.json", Blob("x")));
  const SavedSnapshot snapshot = WithUntracked(Tree("40000", ".claude", state));
  const Restored restored = Restore(snapshot);
  EXPECT_EQ(WhySkipped(restored, ".claude/state/agents.json"), "a path that belay uses itself");
  EXPECT_EQ(repository_.Read(".claude/state/agents.json"), "(missing)");
}

TEST_F(RestoreHostileTest, ASnapshotThatLostAFileIsDamaged) {
  repository_.Write("good", "content\n");
  const SavedSnapshot snapshot =
      WithUntracked(Tree("100644", "lost", "0123456789012345678901234567890123456789"));
  const auto files = repository_.Files();
  const Result<Restored> restored = Try(snapshot);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(repository_.Files(), files);
}

}  // namespace
}  // namespace belay
