#include <gtest/gtest.h>

#include "adapters/git/refs.h"
#include "testing/git_repository.h"

namespace belay {
namespace {

class LooseRefTest : public ::testing::Test {
 protected:
  std::optional<ObjectId> Read(const std::string& name) {
    return ReadLooseRef(files_, repo_.path() + "/.git", name);
  }

  GitRepository repo_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(LooseRefTest, AgreesWithGit) {
  const auto id = Read("refs/heads/main");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->text() + "\n", repo_.Git({"rev-parse", "main"}));
}

TEST_F(LooseRefTest, AMoveIsSeenAtOnce) {
  ASSERT_TRUE(Read("refs/heads/main"));
  repo_.Write("a", "second");
  repo_.CommitAll("second");
  EXPECT_EQ(Read("refs/heads/main")->text() + "\n", repo_.Git({"rev-parse", "main"}));
}

TEST_F(LooseRefTest, OnlyGitKnowsWhatIsPacked) {
  repo_.Git({"pack-refs", "--all"});
  EXPECT_FALSE(Read("refs/heads/main"));
}

TEST_F(LooseRefTest, OnlyGitKnowsWhereASymbolicOneLeads) {
  repo_.Git({"symbolic-ref", "refs/heads/other", "refs/heads/main"});
  EXPECT_FALSE(Read("refs/heads/other"));
}

TEST_F(LooseRefTest, AFileThatIsNoRefHasNoValue) {
  repo_.Git({"branch", "a/b"});
  EXPECT_FALSE(Read("refs/heads/a"));
  EXPECT_FALSE(Read("refs/heads/none"));
  EXPECT_FALSE(Read("refs/heads/../heads/main"));
  repo_.Write(".git/refs/heads/torn", repo_.Git({"rev-parse", "main"}).substr(0, 20));
  EXPECT_FALSE(Read("refs/heads/torn"));
}

}  // namespace
}  // namespace belay
