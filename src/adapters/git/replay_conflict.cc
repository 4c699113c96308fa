#include <fmt/core.h>

#include "adapters/git/replay_steps.h"
#include "base/split.h"

namespace belay {
namespace {

// Those of `with` but not of `without` that touched one of the files; a name that a file had on
// either side counts.
Result<std::vector<ObjectId>> Touching(const MergeRoom& room, const ObjectId& with,
                                       const ObjectId& without,
                                       const std::vector<ConflictedFile>& files) {
  GitCall call{.arguments = {"rev-list", fmt::format("--max-count={}", kMostNamedCommits),
                             "--topo-order", with.text(), "^" + without.text(), "--"}};
  for (std::size_t i = 0; i < files.size() && i < kMostRangedFiles; ++i) {
    call.arguments.push_back(files[i].path);
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer, room.Run(call));
  std::vector<ObjectId> ids;
  for (const std::string_view line : Split(answer.out, '\n')) {
    if (line.empty()) continue;
    BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(line));
    ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace

Result<BuiltReplay> ReportConflict(const ReplayScene& scene, LandingStrategy strategy,
                                   const ObjectId& commit, MergeOutcome outcome) {
  BELAY_TRY(AddRanges(scene.room, outcome));
  ReplayConflict conflict{
      .commit = commit, .files = std::move(outcome.files), .in_target = {}, .in_branch = {commit}};
  const ObjectId& target = scene.room.target();
  const ObjectId& head = scene.request.head;
  BELAY_TRY_ASSIGN(conflict.in_target, Touching(scene.room, target, head, conflict.files));
  if (strategy != LandingStrategy::kRebase) {
    BELAY_TRY_ASSIGN(conflict.in_branch, Touching(scene.room, head, target, conflict.files));
  }
  return BuiltReplay{.replay = {.end = Replay::End::kConflict,
                                .strategy = strategy,
                                .conflict = std::move(conflict)},
                     .to_sync = {}};
}

}  // namespace belay
