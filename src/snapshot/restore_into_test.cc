#include <gmock/gmock.h>

#include "snapshot/restore.h"
#include "snapshot/test_place.h"

namespace belay {
namespace {

using ::testing::ElementsAre;

class RestoreIntoTest : public RestoreTestBase {
 protected:
  RestoreIntoTest() : folder_(repository_.outside() / "into") {}

  Result<Restored> Into(const SavedSnapshot& snapshot, const std::string& folder) {
    return RestoreInto(place_.worktree(), snapshot, folder);
  }
  ErrorCode CodeOf(const Result<Restored>& restored) {
    EXPECT_FALSE(restored.ok());
    return restored ? ErrorCode::kFailed : restored.error().code;
  }

  std::string folder_;
};

TEST_F(RestoreIntoTest, HasAllFilesAsTheyWere) {
  repository_.Git({"config", "filter.rot.clean", "tr a-z n-za-m"});
  repository_.Git({"config", "filter.rot.smudge", "tr a-z n-za-m"});
  repository_.Write(".gitattributes", "*.rot filter=rot\n*.crlf text eol=crlf\n");
  repository_.Write("a.rot", "hello\n");
  repository_.Write("b.crlf", "one\r\ntwo\r\n");
  repository_.Write("deleted/x", "base\n");
  repository_.Write("file", "base\n");
  repository_.Write("deep/er/unchanged", "base\n");
  repository_.MakeLink("nowhere", "link");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed\r\n");
  repository_.Remove("deleted");
  repository_.Remove("file");
  repository_.Write("file/new\nline", "untracked\n");
  repository_.SetMode("file/new\nline", 0600);
  repository_.Write("staged", "staged\n");
  repository_.Git({"add", "staged"});
  const auto files = repository_.Files();
  const SavedSnapshot snapshot = Take();
  Wipe();
  const auto wiped = repository_.Files();
  const std::string index = repository_.Index();
  const Result<Restored> restored = Into(snapshot, folder_);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(GitRepository::FilesOf(folder_), files);
  EXPECT_THAT(restored->files, ElementsAre("file/new\nline", "staged", "tracked.txt"));
  EXPECT_EQ(repository_.Files(), wiped);
  EXPECT_EQ(repository_.Index(), index);
  EXPECT_THAT(*place_.files().List(repository_.outside().path()), ElementsAre("into", "repo"));
}

TEST_F(RestoreIntoTest, UsesTheAttributesOfTheSnapshot) {
  repository_.Write("a.txt", "one\n");
  repository_.Write("b.txt", "as it is\n");
  repository_.CommitAll("base");
  repository_.Write(".gitattributes", "*.txt text eol=crlf\n");
  repository_.Remove("a.txt");
  repository_.Git({"checkout", "-q", "a.txt"});
  const SavedSnapshot snapshot = Take();
  Wipe();
  ASSERT_TRUE(Into(snapshot, folder_).ok());
  EXPECT_EQ(repository_.outside().Read("into/a.txt"), "one\r\n");
  EXPECT_EQ(repository_.outside().Read("into/b.txt"), "as it is\n");
}

TEST_F(RestoreIntoTest, TakesAnEmptyFolderAndNoOther) {
  const SavedSnapshot snapshot = Take();
  repository_.outside().MakeFolder("into");
  EXPECT_TRUE(Into(snapshot, folder_ + "/").ok());
  EXPECT_EQ(CodeOf(Into(snapshot, folder_)), ErrorCode::kRefused);
  EXPECT_EQ(CodeOf(Into(snapshot, repository_.path())), ErrorCode::kRefused);
  repository_.outside().Write("file", "x");
  EXPECT_EQ(CodeOf(Into(snapshot, repository_.outside() / "file")), ErrorCode::kRefused);
  EXPECT_EQ(CodeOf(Into(snapshot, repository_.outside() / "no/such")), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf(Into(snapshot, "")), ErrorCode::kUsage);
  EXPECT_EQ(CodeOf(Into(snapshot, repository_ / ".git/into")), ErrorCode::kRefused);
  EXPECT_EQ(CodeOf(Into(snapshot, repository_.outside() / "no/..")), ErrorCode::kNotFound);
}

TEST_F(RestoreIntoTest, WorksWithoutAnyCommit) {
  const GitRepository unborn(GitRepository::Start::kNoCommit);
  TestPlace place(unborn.path());
  unborn.Write("new", "untracked\n");
  const SavedSnapshot snapshot = place.Take()->snapshot;
  ASSERT_TRUE(RestoreInto(place.worktree(), snapshot, folder_).ok());
  EXPECT_EQ(repository_.outside().Read("into/new"), "untracked\n");
}

TEST_F(RestoreIntoTest, ASparseCheckoutBecomesAFullOne) {
  repository_.Write("in/a", "base\n");
  repository_.Write("out/b", "base\n");
  repository_.CommitAll("base");
  repository_.Git({"sparse-checkout", "set", "in"});
  ASSERT_EQ(repository_.Read("out/b"), "(missing)");
  repository_.Write("in/a", "changed\n");
  const SavedSnapshot snapshot = Take();
  ASSERT_TRUE(Into(snapshot, folder_).ok());
  EXPECT_EQ(repository_.outside().Read("into/in/a"), "changed\n");
  EXPECT_EQ(repository_.outside().Read("into/out/b"), "base\n");
}

TEST_F(RestoreIntoTest, ASubmoduleIsAnEmptyFolder) {
  const GitRepository inner;
  repository_.Git(
      {"-c", "protocol.file.allow=always", "submodule", "-q", "add", inner.path(), "sub"});
  const SavedSnapshot added = Take();
  const Result<Restored> restored = Into(added, folder_);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_THAT(WhySkipped(*restored, "sub"), testing::StartsWith("a submodule: it had "));
  EXPECT_THAT(*place_.files().List(folder_ + "/sub"), testing::IsEmpty());
  repository_.CommitAll("with submodule");
  repository_.Write("new", "untracked\n");
  ASSERT_TRUE(Into(Take(), repository_.outside() / "again").ok());
  EXPECT_THAT(*place_.files().List(repository_.outside() / "again/sub"), testing::IsEmpty());
}

}  // namespace
}  // namespace belay
