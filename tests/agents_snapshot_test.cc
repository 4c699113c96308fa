// belay snapshot of an agent.

#include <gmock/gmock.h>

#include <filesystem>

#include "agents_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class AgentsSnapshotTest : public AgentsSandbox {};

TEST_F(AgentsSnapshotTest, IsTakenInItsWorktreeUnderItsName) {
  Git({"-C", "repo", "worktree", "add", "-q", folder_ / "linked"});
  Identity agent = Spawn("worker-a#2");
  agent.worktree_path = folder_ / "linked";
  Save(agent);
  folder_.Write("repo/elsewhere.txt", "1");
  folder_.Write("linked/mine.txt", "1");
  const Json taken = BelayJson({"snapshot", "take", "a", "--message", "why"});
  EXPECT_EQ(TextOf(taken, "id"), "agent-worker-a/1");
  EXPECT_EQ(TextOf(taken, "agent_id"), "worker-a#2");
  EXPECT_EQ(TextOf(taken, "reason"), "why");
  EXPECT_EQ(WriteJson(*taken.Find("paths")), R"(["mine.txt"])");
  EXPECT_EQ(*taken.Find("paths_count")->AsInteger(), 1);
  EXPECT_EQ(TextOf(taken, "head"), TextOf(taken, "base_commit"));
  const Json list = BelayJson({"snapshot", "list", "worker-a"});
  EXPECT_EQ(list.Find("snapshots")->AsArray()->size(), 1U);
  EXPECT_EQ(BelayJson({"snapshot", "list"}).Find("snapshots")->AsArray()->size(), 0U);
}

TEST_F(AgentsSnapshotTest, InItsWorktreeItIsListedAndFoundByItsNumber) {
  Git({"-C", "repo", "worktree", "add", "-q", folder_ / "linked"});
  Identity agent = Spawn("worker-a#2");
  agent.worktree_path = folder_ / "linked";
  Save(agent);
  folder_.Write("linked/mine.txt", "1");
  ASSERT_EQ(Belay({"snapshot", "take", "a"}).exit_code, 0);
  EXPECT_THAT(Belay({"snapshot", "list", "--root", folder_ / "linked"}).out,
              HasSubstr("agent-worker-a/1"));
  EXPECT_THAT(Belay({"snapshot", "show", "1", "--root", folder_ / "linked"}).out,
              HasSubstr("mine.txt"));
  std::filesystem::remove(folder_ / "linked/mine.txt");
  ASSERT_EQ(Belay({"snapshot", "restore", "1", "--root", folder_ / "linked"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("linked/mine.txt"), "1");
}

TEST_F(AgentsSnapshotTest, WorktreesAreStillFoundByName) {
  Spawn("worker-a#1");
  folder_.Write("repo/b.txt", "1");
  EXPECT_EQ(TextOf(BelayJson({"snapshot", "take", "main"}), "id"), "main/1");
  EXPECT_EQ(Belay({"snapshot", "list", "main"}).exit_code, 0);
  EXPECT_EQ(Belay({"snapshot", "list", "a"}).exit_code, 0);
  ExpectError({"snapshot", "take", "nobody"}, 3, "no worktree");
  ExpectError({"snapshot", "list", "nobody"}, 3, "nobody");
}

TEST_F(AgentsSnapshotTest, AWorktreeThatIsGoneIsNamed) {
  Identity agent = Spawn("worker-a#1");
  agent.worktree_path = folder_ / "gone";
  Save(agent);
  ExpectError({"snapshot", "take", "a"}, 3, "worker-a#1 worked in");
}

TEST_F(AgentsSnapshotTest, DamagedIdentitiesDoNotHideWorktrees) {
  folder_.Write("repo/.git/belay/journals/identities.jsonl", "nonsense\n{}\nmore\n");
  folder_.Write("repo/b.txt", "1");
  EXPECT_EQ(TextOf(BelayJson({"snapshot", "take", "main"}), "id"), "main/1");
  ExpectError({"snapshot", "take", "a"}, 5, "identities");
}

TEST_F(AgentsSnapshotTest, ManyPathsAreCounted) {
  Spawn("worker-a#1");
  for (int i = 0; i < 510; ++i) folder_.Write("repo/f" + std::to_string(i), "1");
  const Json taken = BelayJson({"snapshot", "take", "a"});
  EXPECT_EQ(*taken.Find("paths_count")->AsInteger(), 510);
  EXPECT_EQ(taken.Find("paths")->AsArray()->size(), 500U);
}

}  // namespace
}  // namespace belay
