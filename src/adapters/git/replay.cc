#include "adapters/git/replay.h"

#include <algorithm>

#include "adapters/git/publish_objects.h"
#include "adapters/git/replay_steps.h"
#include "adapters/git/whole_commit.h"

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

// Into the repository. The branch's own commits are there already, and a ref of theirs holds them.
Result<Replay> Publish(const ReplayScene& scene, BuiltReplay built) {
  const MergeRoom& room = scene.room;
  const ObjectId& head = scene.request.head;
  Replay& replay = built.replay;
  std::vector<ObjectId> known = {room.target()};
  if (!built.to_sync.empty()) {
    // Git has looked at their files only as far as merging needs them.
    BELAY_TRY(room.Run({.arguments = WholeCommitQuestion(head.text(), room.target().text())}));
    BELAY_TRY(SyncCommits(room, built.to_sync));
    known.push_back(head);
  }
  if (replay.candidate == head) return std::move(replay);
  BELAY_TRY_ASSIGN(replay.keep_file, PublishCommit(room, replay.candidate, known));
  return std::move(replay);
}

}  // namespace

bool HasChanges(const BranchHistory& history, const CommitMap& commits) {
  return std::any_of(history.commits.begin(), history.commits.end(), [&](const BranchCommit& one) {
    return std::none_of(one.parents.begin(), one.parents.end(), [&](const ObjectId& parent) {
      const auto found = commits.find(parent);
      return found != commits.end() && found->second.tree() == commits.at(one.id).tree();
    });
  });
}

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
  if (!HasChanges(history, commits)) {
    return Replay{.end = Replay::End::kEmpty,
                  .strategy = request.strategy,
                  .landing = LandingProof::kNothingToLand};
  }
  BELAY_TRY_ASSIGN(BuiltReplay built, Build(scene));
  if (built.replay.end == Replay::End::kContained) return WithProof(scene, std::move(built.replay));
  if (built.replay.end == Replay::End::kBuilt) return Publish(scene, std::move(built));
  return std::move(built.replay);
}

}  // namespace belay
