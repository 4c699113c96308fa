#include "adapters/git/replay_steps.h"

namespace belay {
namespace {

constexpr std::string_view kNobody = "belay <belay@localhost> 0 +0000";

// Puts commits on top of the target, one by one.
class Rebase {
 public:
  explicit Rebase(const ReplayScene& scene)
      : scene_(scene),
        tip_(scene.room.target()),
        tree_(scene.target().tree()),
        ours_(scene.room.target()) {}

  Result<BuiltReplay> Run();

 private:
  bool WasEmpty(const BranchCommit& commit) const {
    return scene_.commits.at(commit.id).tree() == scene_.commits.at(commit.parents[0]).tree();
  }
  bool NeedsMerge(std::size_t number) const {
    if (number >= scene_.history.commits.size()) return false;
    return !WasEmpty(scene_.history.commits[number]);
  }
  Result<void> Advance(std::size_t number, const ObjectId& tree);

  const ReplayScene& scene_;
  ObjectId tip_;   // of what is built so far
  ObjectId tree_;  // of `tip_`
  ObjectId ours_;  // what the next commit is merged with: the tree is that of `tip_`
  std::vector<ReplayedCommit> done_;
  bool has_changes_ = false;  // one of those that were written changes something
};

// Writes what commit `number` became, unless it is left out. And git merges by common ancestors,
// while the next commit has to be compared with its parent: so a commit is written that has the
// tree so far and the same parent. Nothing ever refers to it.
Result<void> Rebase::Advance(std::size_t number, const ObjectId& tree) {
  const BranchCommit& commit = scene_.history.commits[number];
  const bool left_out = tree == tree_ && !WasEmpty(commit);
  std::vector<std::string> bytes;
  if (!left_out) {
    bytes.push_back(
        scene_.commits.at(commit.id).Elsewhere(tree, {&tip_, 1}, scene_.request.committed_at));
  }
  if (NeedsMerge(number + 1)) {
    bytes.push_back(CommitBytes(
        {tree, {commit.id}, std::string(kNobody), std::string(kNobody), "a step of a rebase\n"}));
  }
  std::vector<ObjectId> ids;
  if (!bytes.empty()) {
    BELAY_TRY_ASSIGN(ids, scene_.room.WriteCommits(bytes));
  }
  done_.push_back({commit.id, left_out ? ObjectId() : ids[0]});
  if (!left_out) tip_ = ids[0];
  if (tree != tree_) has_changes_ = true;
  if (NeedsMerge(number + 1)) ours_ = ids.back();
  tree_ = tree;
  return {};
}

Result<BuiltReplay> Rebase::Run() {
  for (std::size_t i = 0; i < scene_.history.commits.size(); ++i) {
    ObjectId tree = tree_;
    if (NeedsMerge(i)) {
      const ObjectId& commit = scene_.history.commits[i].id;
      BELAY_TRY_ASSIGN(MergeOutcome merge, MergeCommits(scene_.room, ours_, commit));
      if (!merge.clean) {
        return ReportConflict(scene_, LandingStrategy::kRebase, commit, std::move(merge));
      }
      tree = merge.tree;
    }
    BELAY_TRY(Advance(i, tree));
  }
  return BuiltReplay{.replay = {.end = has_changes_ ? Replay::End::kBuilt : Replay::End::kContained,
                                .strategy = LandingStrategy::kRebase,
                                .candidate = has_changes_ ? tip_ : ObjectId(),
                                .commits = std::move(done_)},
                     .to_sync = {}};
}

BuiltReplay AsItIs(const ReplayScene& scene) {
  Replay replay{.end = Replay::End::kBuilt,
                .strategy = LandingStrategy::kRebase,
                .candidate = scene.request.head};
  for (const BranchCommit& commit : scene.history.commits) {
    replay.commits.push_back({commit.id, commit.id});
  }
  return {std::move(replay), OwnCommits(scene)};
}

}  // namespace

// The first commit's parent is the only common ancestor of it and the target: there git compares
// with the right one by itself.
Result<BuiltReplay> RebaseBranch(const ReplayScene& scene) {
  if (scene.history.StandsOn(scene.room.target())) return AsItIs(scene);
  return Rebase(scene).Run();
}

}  // namespace belay
