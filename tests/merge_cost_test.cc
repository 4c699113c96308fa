// What a landing costs, counted: bench/merge_bench measures it. Most of it are starts of git.

#include "merge_sandbox.h"

namespace belay {
namespace {

class MergeCostTest : public MergeSandbox {
 protected:
  // A git before the real one that writes down that it was started.
  int GitStartsOf(const std::vector<std::string>& arguments) {
    repo_.outside().Write("bin/git", "#!/bin/sh\necho \"$*\" >> '" + (repo_.outside() / "starts") +
                                         "'\nPATH=${PATH#*:} exec git \"$@\"\n");
    EXPECT_EQ(chmod((repo_.outside() / "bin/git").c_str(), 0755), 0);
    repo_.outside().Write("starts", "");
    const RunOutcome outcome = Queue(
        arguments, {.environment = {{"PATH", (repo_.outside() / "bin") + ":" + getenv("PATH")}}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    int starts = 0;
    const std::string all = repo_.outside().Read("starts");
    for (const char c : all) starts += c == '\n' ? 1 : 0;
    return starts;
  }
};

TEST_F(MergeCostTest, AFewStartsOfGitAreFixedAndTwoComeWithEachCommit) {
  repo_.outside().MakeFolder("bin");
  AddBranch("first", {{"first", "1\n"}});
  Land();  // makes the scratch worktree
  std::vector<int> starts;
  for (const int commits : {3, 5}) {
    const std::string name = "work" + std::to_string(commits);
    std::vector<Files> work;
    for (int i = 0; i < commits; ++i) work.push_back({{name + std::to_string(i), "1\n"}});
    Branch(name, work, "main~1");
    Add(name);
    starts.push_back(GitStartsOf({"process", "--next"}));
  }
  EXPECT_GT(starts[0], 6);
  EXPECT_LE(starts[0], 23);  // two of them put the candidate into the repository, one reads it
  EXPECT_EQ(starts[1] - starts[0], 4);
}

TEST_F(MergeCostTest, WaitingEntriesCostNoStartOfGit) {
  repo_.outside().MakeFolder("bin");
  AddBranch("first", {{"first", "1\n"}});
  Land();
  AddBranch("a", {{"a", "1\n"}});
  const int alone = GitStartsOf({"process", "--next"});
  for (int i = 0; i < 10; ++i) AddBranch("w" + std::to_string(i), {{"w", std::to_string(i)}});
  EXPECT_EQ(GitStartsOf({"process", "--next"}), alone);
  EXPECT_EQ(GitStartsOf({"list"}), 0);
}

}  // namespace
}  // namespace belay
