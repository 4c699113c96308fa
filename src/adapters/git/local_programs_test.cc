#include "adapters/git/local_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LocalProgramsTest : public GitTest {
 protected:
  static std::string Effective(const Git& git, const std::string& key) {
    const auto programs = FindLocalPrograms(git);
    EXPECT_TRUE(programs.ok()) << (programs ? "" : programs.error().message);
    const auto answer = git.Run({.arguments = {"config", "--get", key},
                                 .environment = programs->off,
                                 .good_exits = {0, 1}});
    return answer->exit_code == 0 ? answer->out : "(unset)";
  }
};

TEST_F(LocalProgramsTest, OfTheRepositoryAreOff) {
  repo_.Git({"config", "filter.a.b=c.smudge", "touch x"});
  repo_.Git({"config", "filter.a.b=c.required", "true"});
  repo_.Git({"config", "merge.m.driver", "touch x"});
  EXPECT_EQ(Effective(git_, "filter.a.b=c.smudge"), "\n");
  EXPECT_EQ(Effective(git_, "filter.a.b=c.required"), "false\n");
  EXPECT_THAT(Effective(git_, "merge.m.driver"), ::testing::HasSubstr("merge-file"));
  EXPECT_THAT(FindLocalPrograms(git_)->filters, ElementsAre("a.b=c"));
  EXPECT_EQ(Effective(git_, "core.hooksPath"), "/dev/null\n");  // our other settings still count
}

TEST_F(LocalProgramsTest, OfAWorktreeAndOfIncludedFilesAreOffToo) {
  repo_.Git({"config", "extensions.worktreeConfig", "true"});
  repo_.Git({"config", "--worktree", "filter.w.clean", "touch x"});
  repo_.outside().Write("more", "[filter \"i\"]\nprocess = touch x\n");
  repo_.Git({"config", "include.path", repo_.outside() / "more"});
  EXPECT_THAT(FindLocalPrograms(git_)->filters, ElementsAre("i", "w"));
  EXPECT_EQ(Effective(git_, "filter.w.clean"), "\n");
  EXPECT_EQ(Effective(git_, "filter.i.process"), "\n");
}

TEST_F(LocalProgramsTest, OfTheUserStay) {
  repo_.outside().Write("user", "[filter \"lfs\"]\nsmudge = theirs\nrequired = true\n");
  const Git git = GitWith({{"GIT_CONFIG_GLOBAL", repo_.outside() / "user"}});
  EXPECT_THAT(FindLocalPrograms(git)->filters, IsEmpty());
  EXPECT_EQ(Effective(git, "filter.lfs.smudge"), "theirs\n");
  repo_.Git({"config", "filter.lfs.smudge", "evil"});
  EXPECT_EQ(Effective(git, "filter.lfs.smudge"), "theirs\n");
  EXPECT_EQ(Effective(git, "filter.lfs.required"), "true\n");
}

TEST_F(LocalProgramsTest, ThatHaveOnlyANameAreDriversToo) {
  repo_.Git({"config", "merge.m.name", "only a name"});
  EXPECT_THAT(Effective(git_, "merge.m.driver"), ::testing::HasSubstr("merge-file"));
}

TEST(ParseLocalPrograms, CutAnywhereIsAnErrorOrABeginning) {
  const std::string all("local\0filter.x.clean\ny\0", 23);
  for (std::size_t length = 1; length < all.size(); ++length) {
    EXPECT_FALSE(ParseLocalPrograms(all.substr(0, length), 0)) << length;
  }
  EXPECT_TRUE(ParseLocalPrograms(all, 0).ok());
}

}  // namespace
}  // namespace belay
