#include <gtest/gtest.h>

#include "snapshot/saved_snapshot.h"
#include "snapshot/test_place.h"

namespace belay {
namespace {

class DiffTest : public ::testing::Test {
 protected:
  DiffTest() : place_(repository_.path()) {}

  std::string DiffOf(const SavedSnapshot& snapshot) {
    std::string text;
    const Result<void> written =
        WriteSnapshotDiff(place_.git(), snapshot, [&](std::string_view piece) -> Result<void> {
          text += piece;
          return {};
        });
    EXPECT_TRUE(written.ok()) << written.error().message;
    return text;
  }
  // The patch turns a clean worktree into the snapshot's state.
  void ExpectPatch() {
    const auto files = repository_.Files();
    const Result<Taken> taken = place_.Take();
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    repository_.Git({"reset", "-q", "--hard"});
    repository_.Git({"clean", "-q", "-ffdx"});
    repository_.outside().Write("patch", DiffOf(taken->snapshot));
    repository_.Git({"apply", "--binary", "--whitespace=nowarn", repository_.outside() / "patch"});
    EXPECT_EQ(repository_.Files(), files);
  }

  GitRepository repository_;
  TestPlace place_;
};

TEST_F(DiffTest, IsAPatchThatGitTakes) {
  repository_.Write("binary", std::string("\0\1\2", 3));
  repository_.Write("deleted", "base\n");
  repository_.Write("mode", "base\n");
  repository_.Write("to-link", "base\n");
  repository_.Write("to-folder", "base\n");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed, without a last newline");
  repository_.Write("binary", std::string("\0\3\4", 3));
  repository_.Remove("deleted");
  repository_.SetMode("mode", 0755);
  repository_.Remove("to-link");
  repository_.MakeLink("nowhere", "to-link");
  repository_.Remove("to-folder");
  repository_.Write("to-folder/inside", "untracked\n");
  repository_.Write("new\nline", "untracked\n");
  repository_.Write("empty", "");
  repository_.Write("new-binary", std::string("\0\xff", 2));
  ExpectPatch();
}

TEST_F(DiffTest, AFileThatIsNoLongerTrackedIsThereOnce) {
  repository_.Git({"rm", "-q", "--cached", "tracked.txt"});
  repository_.Write("tracked.txt", "untracked now\n");
  ExpectPatch();
}

TEST_F(DiffTest, IsNotChangedBySettings) {
  repository_.Git({"config", "diff.external", "false"});
  repository_.Git({"config", "diff.noprefix", "true"});
  repository_.Git({"config", "diff.up.textconv", "tr a-z A-Z <"});
  repository_.Write(".gitattributes", "*.txt diff=up\n");
  repository_.Write("new.txt", "untracked\n");
  repository_.Write("tracked.txt", "changed\n");
  ExpectPatch();
}

TEST_F(DiffTest, OfNothingIsEmpty) { EXPECT_EQ(DiffOf(place_.Take()->snapshot), ""); }

}  // namespace
}  // namespace belay
