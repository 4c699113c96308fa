#include "adapters/git/replay.h"

#include "adapters/git/replay_steps.h"

namespace belay {
namespace {

Result<BuiltReplay> Build(const ReplayScene& scene) {
  switch (scene.request.strategy) {
    case LandingStrategy::kRebase:
      return scene.history.HasMerges() && !scene.history.StandsOn(scene.room.target())
                 ? MergeBranch(scene)
                 : RebaseBranch(scene);
    case LandingStrategy::kSquash:
      return SquashBranch(scene);
    case LandingStrategy::kMerge:
      return MergeBranch(scene);
  }
  return Error{ErrorCode::kUsage, "replay: an unknown strategy"};
}

Result<Replay> WithProof(const ReplayScene& scene, Replay replay) {
  const ReplayRequest& request = scene.request;
  BELAY_TRY_ASSIGN(replay.landing, ProveLanding(scene.room, request.head, request.start));
  replay.end = IsLanded(replay.landing) ? Replay::End::kContained : Replay::End::kEmpty;
  return replay;
}

}  // namespace

std::vector<CommitToSync> OwnCommits(const ReplayScene& scene) {
  std::vector<CommitToSync> all;
  for (const BranchCommit& commit : scene.history.commits) {
    all.push_back({commit.id, commit.parents.empty() ? ObjectId() : commit.parents[0],
                   scene.commits.at(commit.id).tree()});
  }
  return all;
}

Result<Replay> ReplayBranch(MergeRoom& room, const ReplayRequest& request) {
  BELAY_TRY_ASSIGN(const BranchHistory history, ReadBranchHistory(room, request.head));
  BELAY_TRY_ASSIGN(const CommitMap commits, ReadHistoryCommits(room, history, request.head));
  const ReplayScene scene{room, request, history, commits};
  if (history.commits.empty() || request.head == request.start) {
    return WithProof(scene, {.end = Replay::End::kContained, .strategy = request.strategy});
  }
  const ObjectId& base = history.StandsOn(room.target()) ? room.target() : history.bases[0];
  if ((history.bases.size() == 1 || base == room.target()) &&
      commits.at(base).tree() == scene.head().tree()) {
    return Replay{.end = Replay::End::kEmpty, .strategy = request.strategy};
  }
  BELAY_TRY_ASSIGN(BuiltReplay built, Build(scene));
  if (built.replay.end == Replay::End::kContained) return WithProof(scene, std::move(built.replay));
  if (built.replay.end == Replay::End::kBuilt) BELAY_TRY(SyncCommits(room, built.to_sync));
  return std::move(built.replay);
}

}  // namespace belay
