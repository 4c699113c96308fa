#include "adapters/git/git.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class GitRunTest : public GitTest {};

TEST_F(GitRunTest, GivesWhatGitPrints) {
  EXPECT_EQ(*git_.Ask({"rev-parse", "--abbrev-ref", "HEAD"}), "main\n");
  EXPECT_EQ(git_.folder(), repo_.path());
}

TEST_F(GitRunTest, RunsInTheFolderThatIsNamed) {
  repo_.outside().MakeFolder("repo/sub");
  EXPECT_EQ(*git_.In(repo_ / "sub").Ask({"rev-parse", "--show-prefix"}), "sub/\n");
}

TEST_F(GitRunTest, PassesInputOn) {
  const auto answer =
      git_.Run({.arguments = {"hash-object", "--stdin"}, .input = InputOf("hello\n")});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, "ce013625030ba8dba906f756967f9e9ca394464a\n");
}

TEST_F(GitRunTest, GivesTheOutputPieceByPiece) {
  std::string got;
  const auto answer = git_.Run({.arguments = {"cat-file", "blob", "HEAD:tracked.txt"},
                                .output = [&](std::string_view piece) -> Result<void> {
                                  got += piece;
                                  return {};
                                }});
  ASSERT_TRUE(answer);
  EXPECT_EQ(got, "first\n");
  EXPECT_EQ(answer->out, "");
}

TEST_F(GitRunTest, TakesOneMoreVariable) {
  const GitCall call{.arguments = {"rev-parse", "--git-path", "index"},
                     .environment = {{"GIT_INDEX_FILE", "/elsewhere"}}};
  EXPECT_EQ(git_.Run(call)->out, "/elsewhere\n");
}

TEST_F(GitRunTest, GivesAnExitCodeThatIsGood) {
  const auto answer =
      git_.Run({.arguments = {"show-ref", "--verify", "--quiet", "refs/x"}, .good_exits = {0, 1}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->exit_code, 1);
}

TEST_F(GitRunTest, ReportsGitsComplaint) {
  const Error error = git_.Ask({"rev-parse", "--verify", "nothing"}).error();
  EXPECT_EQ(error.code, ErrorCode::kFailed);
  EXPECT_EQ(error.message, "git rev-parse: Needed a single revision");
}

TEST_F(GitRunTest, ReportsTheExitCodeWhenGitPrintsNothing) {
  EXPECT_EQ(git_.Ask({"show-ref", "--verify", "--quiet", "refs/x"}).error().message,
            "git show-ref: exit code 1");
}

TEST_F(GitRunTest, ReportsInEnglishWhateverTheLanguage) {
  const Git other = GitWith({{"LC_ALL", "de_DE.UTF-8"}, {"LANGUAGE", "de"}, {"LANG", "de"}});
  EXPECT_EQ(other.Ask({"rev-parse", "--verify", "nothing"}).error().message,
            "git rev-parse: Needed a single revision");
}

TEST_F(GitRunTest, ReportsAHeldLock) {
  repo_.Write(".git/index.lock", "");
  const Error error = git_.Ask({"update-index", "--refresh", "--force-remove", "x"}).error();
  EXPECT_EQ(error.code, ErrorCode::kBusy) << error.message;
  EXPECT_THAT(error.message, HasSubstr("index.lock"));
  EXPECT_THAT(error.hint, HasSubstr("remove that file"));
}

TEST_F(GitRunTest, WithoutGitIsNotFound) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", repo_.outside().path().c_str(), 1);
  const auto answer = git_.Ask({"--version"});
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound) << answer.error().message;
  EXPECT_THAT(answer.error().message, HasSubstr("git"));
}

TEST_F(GitRunTest, InAFolderThatIsGoneIsAnError) {
  EXPECT_FALSE(git_.In(repo_ / "gone").Ask({"--version"}));
}

// An alias that is a shell command simulates anything that hangs: a filter, a slow disk.
TEST_F(GitRunTest, IsEndedWhenItsTimeIsUp) {
  repo_.Git({"config", "alias.hang", "!exec sleep 1000"});
  const auto answer = git_.Run({.arguments = {"hang"}, .limit = std::chrono::milliseconds(50)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kFailed);
}

TEST_F(GitRunTest, GivesNoneOfOurOwnGitVariables) {
  const Git other = GitWith({{"GIT_DIR", "/nowhere"},
                             {"GIT_WORK_TREE", "/nowhere"},
                             {"GIT_INDEX_FILE", "/nowhere/index"},
                             {"GIT_OBJECT_DIRECTORY", "/nowhere/objects"},
                             {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "/nowhere/objects"},
                             {"GIT_NAMESPACE", "elsewhere"},
                             {"GIT_PREFIX", "x/"},
                             {"GIT_TRACE", "1"},
                             {"GIT_EXTERNAL_DIFF", "false"},
                             {"GIT_CONFIG_PARAMETERS", "'core.bare'='true'"},
                             {"GIT_CONFIG_COUNT", "0"},
                             {"GIT_ICASE_PATHSPECS", "1"},
                             {"GIT_QUARANTINE_PATH", "/nowhere"}});
  const auto answer = other.Run({.arguments = {"rev-parse", "--show-toplevel", "HEAD"}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->out, repo_.path() + "\n" + Resolve("HEAD").text() + "\n");
  EXPECT_EQ(answer->warnings, "");
  EXPECT_TRUE(other.Ask({"update-ref", "refs/belay/x", "HEAD"}).ok());
  EXPECT_EQ(Resolve("refs/belay/x"), Resolve("HEAD"));
}

TEST_F(GitRunTest, TakesPathsAsTheyAre) {
  repo_.Write("*", "x");
  repo_.Write(":(top)a", "x");
  repo_.Git({"--literal-pathspecs", "add", "*", ":(top)a"});
  EXPECT_EQ(*git_.Ask({"ls-files", "--", "*"}), "*\n");
  EXPECT_EQ(*git_.Ask({"ls-files", "--", ":(top)a"}), ":(top)a\n");
}

TEST_F(GitRunTest, SeesObjectsAsTheyAreNotAsTheyWereReplaced) {
  const std::string first = Resolve("HEAD:tracked.txt").text();
  repo_.Write("tracked.txt", "second\n");
  repo_.CommitAll("second");
  repo_.Git({"replace", Resolve("HEAD:tracked.txt").text(), first});
  EXPECT_EQ(*git_.Ask({"cat-file", "blob", "HEAD:tracked.txt"}), "second\n");
}

TEST_F(GitRunTest, SeesTheHistoryAsItIsNotAsItWasGrafted) {
  const ObjectId first = Resolve("HEAD");
  repo_.Write("tracked.txt", "second\n");
  repo_.CommitAll("second");
  const ObjectId second = Resolve("HEAD");
  repo_.Git({"checkout", "-q", "-b", "other", first.text()});
  repo_.Write("tracked.txt", "third\n");
  repo_.CommitAll("third");
  repo_.Write(".git/info/grafts", Resolve("HEAD").text() + " " + second.text() + "\n");
  const GitCall call{.arguments = {"merge-base", "--is-ancestor", second.text(), "other"},
                     .good_exits = {0, 1}};
  const auto answer = git_.Run(call);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->exit_code, 1);
  EXPECT_EQ(answer->warnings, "");
  EXPECT_EQ(repo_.TryGit(call.arguments), 0) << "a graft that counts";
}

}  // namespace
}  // namespace belay
