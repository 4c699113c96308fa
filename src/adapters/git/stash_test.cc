#include "adapters/git/stash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "adapters/git/test_git.h"
#include "os/file_calls.h"

namespace belay {
namespace {

// Lets another process change the list right before an entry is dropped.
class MeddlingPrograms final : public Programs {
 public:
  explicit MeddlingPrograms(std::function<void()> meddle) : meddle_(std::move(meddle)) {}

  Result<ProgramResult> Run(const ProgramRequest& request) override {
    if (std::ranges::find(request.command, "drop") != request.command.end()) meddle_();
    return programs_.Run(request);
  }

 private:
  std::function<void()> meddle_;
  PosixPrograms programs_;
};

class StashTest : public GitTest {
 protected:
  void Push(const std::string& message) {
    repo_.Write("tracked.txt", message);
    repo_.Git({"stash", "push", "-q", "-m", message});
  }
  std::string List() { return repo_.Git({"stash", "list", "--format=%gs"}); }
  FileSystem Files() { return FileSystem(calls_); }

  RealFileCalls calls_;
};

TEST_F(StashTest, OnlyTheNamedCommitIsDropped) {
  Push("one");
  Push("two: it's \"quoted\"");
  Push("three");
  const ObjectId two = Resolve("stash@{1}");
  const FileSystem files = Files();
  EXPECT_EQ(StashedCommits(git_, files, repo_ / ".git")->count(two), 1U);
  EXPECT_EQ(ListStash(git_)->at(1).message, "On main: two: it's \"quoted\"");
  EXPECT_TRUE(*DropStash(git_, two));
  EXPECT_EQ(List(), "On main: three\nOn main: one\n");
  EXPECT_FALSE(*DropStash(git_, two));
  EXPECT_EQ(StashedCommits(git_, files, repo_ / ".git")->count(two), 0U);
}

TEST_F(StashTest, WithoutALogTheListIsEmptyUnlessGitKeepsItElsewhere) {
  const FileSystem files = Files();
  EXPECT_EQ(StashedCommits(git_, files, repo_ / ".git")->size(), 0U);
  Push("one");
  repo_.Write("../other/reftable/tables.list", "");
  EXPECT_EQ(StashedCommits(git_, files, repo_ / "../other")->size(), 1U) << "git was asked";
}

TEST_F(StashTest, AnEntryThatTookItsPositionIsPutBackWithItsMessage) {
  Push("somebody else's");
  Push("ours");
  const ObjectId ours = Resolve("stash@{0}");
  MeddlingPrograms programs([&] { repo_.Git({"stash", "drop", "-q", "stash@{0}"}); });
  const Git git(programs, Environment(TestVariables()), repo_.path());
  const Result<bool> dropped = DropStash(git, ours);
  ASSERT_FALSE(dropped.ok());
  EXPECT_EQ(dropped.error().code, ErrorCode::kBusy);
  EXPECT_EQ(List(), "On main: somebody else's\n");
}

}  // namespace
}  // namespace belay
