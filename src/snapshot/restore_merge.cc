#include "snapshot/restore_merge.h"

#include <algorithm>

#include "base/path.h"
#include "snapshot/restore_blobs.h"

namespace belay {
namespace {

constexpr std::uint32_t kExecutable = 0111;

// Clean, any number of conflicts up to what an exit code can say, or not to be merged at all.
std::vector<int> MergeExits() {
  std::vector<int> exits(128);
  for (int i = 0; i < 128; ++i) exits[static_cast<std::size_t>(i)] = i;
  exits.push_back(255);
  return exits;
}

// What a git call prints, as a file. Its exit code.
Result<int> RunInto(const Worktree& worktree, const std::string& path, GitCall call,
                    std::uint32_t mode) {
  BELAY_TRY_ASSIGN(File file, worktree.files.OpenForWriting(path, 0666));
  call.output = [&](std::string_view piece) { return file.Write(piece); };
  BELAY_TRY_ASSIGN(const GitAnswer answer, worktree.git.Run(call));
  BELAY_TRY(file.SetMode(mode));
  return answer.exit_code;
}

// Whoever changed the permissions to run it against the base wins.
std::uint32_t MergedMode(const PathToRestore& path, const FileInfo& now) {
  const bool runs = now.IsExecutable();
  const bool base_runs = path.base.mode == kProgramMode;
  const bool target_runs = path.target.mode == kProgramMode;
  if (runs != base_runs || target_runs == base_runs) return now.mode & 0777U;
  if (!target_runs) return now.mode & 0777U & ~kExecutable;
  return (now.mode & 0777U) | ((now.mode & 0444U) >> 2U);  // for those who may read it
}

// False: not cleanly.
Result<bool> Merge(const Worktree& worktree, WorkFolder& staging, const PathToRestore& path,
                   const FileInfo& now, const std::string& to) {
  const std::string base = staging.NewPath();
  const std::string target = staging.NewPath();
  BELAY_TRY(RunInto(
      worktree, base,
      {.arguments = {"cat-file", "--filters", "--path=" + path.path, path.base.id.text()}}, 0600));
  BELAY_TRY(WriteBlobs(worktree.git, worktree.files, {{target, {kFileMode, path.target.id}}}));
  BELAY_TRY_ASSIGN(
      const int conflicts,
      RunInto(worktree, to,
              {.arguments = {"merge-file", "-p", JoinPath(worktree.place.worktree, path.path), base,
                             target},
               .good_exits = MergeExits()},
              MergedMode(path, now)));
  return conflicts == 0;
}

}  // namespace

Result<std::optional<std::vector<StagedFile>>> StageMerges(const Worktree& worktree,
                                                           WorkFolder& staging,
                                                           const RestorePlan& plan,
                                                           const Present& present) {
  using Staged = std::optional<std::vector<StagedFile>>;
  std::vector<StagedFile> staged;
  for (const PlannedConflict& conflict : plan.conflicts) {
    if (!conflict.in_file) continue;
    const auto path =
        std::find_if(present.paths.begin(), present.paths.end(),
                     [&](const PathToRestore& other) { return other.path == conflict.path; });
    const auto seen = present.seen.find(conflict.path);
    const bool can =
        conflict.can_merge && path != present.paths.end() && seen != present.seen.end();
    if (!can) return Staged();
    staged.push_back({staging.NewPath(), conflict.path});
    BELAY_TRY_ASSIGN(const bool clean,
                     Merge(worktree, staging, *path, seen->second.info, staged.back().staged));
    if (!clean) return Staged();
  }
  return Staged(std::move(staged));
}

}  // namespace belay
