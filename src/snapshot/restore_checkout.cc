#include "snapshot/restore_checkout.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "snapshot/restore_wanted.h"
#include "snapshot/take.h"

namespace belay {
namespace {

constexpr auto kLimit = std::chrono::hours(2);

std::string Listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + '\0';
  return text;
}

using RescuedPaths = std::set<std::string, std::less<>>;

// Removed by the plan, with bytes that are neither in the base nor in the restored snapshot.
std::vector<PathToRestore> KeptNowhere(const Present& present, const RestorePlan& plan) {
  const std::vector<std::string> paths = TakenAway(plan);
  const RescuedPaths taken_away(paths.begin(), paths.end());
  std::vector<PathToRestore> kept_nowhere;
  for (const PathToRestore& path : present.paths) {
    const auto seen = present.seen.find(path.path);
    if (!taken_away.contains(path.path) || seen == present.seen.end()) continue;
    const ObjectId& id = seen->second.entry.id;
    if (id != path.base.id && id != path.target.id) kept_nowhere.push_back(path);
  }
  return kept_nowhere;
}

bool IsKept(const GitEntries& entries, const Present& present, const std::string& path) {
  const auto entry = entries.find(path);
  return entry != entries.end() && entry->second.id == present.seen.find(path)->second.entry.id;
}

Error NotKept(const SavedSnapshot& snapshot, const SavedSnapshot& rescue, const std::string& path) {
  std::string_view why = "its content isn't in the snapshot of the current state";
  for (const SkippedPath& skipped : rescue.record.skipped) {
    if (skipped.path == path) why = SkipReasonMeaning(skipped.reason);
  }
  return {ErrorCode::kRefused,
          fmt::format("restore {}: would replace {}, which can't be saved first: {}",
                      snapshot.id.text(), QuotePath(path), why),
          "move it away, then restore again"};
}

}  // namespace

Result<std::vector<StagedFile>> StageFromBase(const Worktree& worktree, WorkFolder& staging,
                                              const ObjectId& base,
                                              const std::vector<std::string>& paths,
                                              StageIndex from) {
  std::vector<StagedFile> staged;
  if (paths.empty()) return staged;
  const std::vector<std::string> unsynced = {"core.fsync=none"};  // the caller syncs the files
  Environment::Variables index;
  if (from == StageIndex::kOfBase) {
    index.emplace("GIT_INDEX_FILE", staging.NewPath());
    BELAY_TRY(worktree.git.Run({.arguments = {"read-tree", "--no-sparse-checkout", base.text()},
                                .settings = unsynced,
                                .environment = index}));
  }
  const std::string folder = staging.NewPath() + "/";
  BELAY_TRY(worktree.git.Run({.arguments = {"checkout-index", "-z", "--stdin",
                                            "--ignore-skip-worktree-bits", "--prefix=" + folder},
                              .settings = unsynced,
                              .input = InputOf(Listed(paths)),
                              .environment = index,
                              .limit = kLimit}));
  for (const std::string& path : paths) staged.push_back({folder + path, path});
  return staged;
}

Result<void> CheckOutBase(const Worktree& worktree, WorkFolder& staging, const ObjectId& base,
                          const std::vector<std::string>& left_out, const std::string& folder) {
  const Git git = worktree.git.In(folder);
  const Environment::Variables there = {{"GIT_DIR", worktree.place.git_folder},
                                        {"GIT_WORK_TREE", folder},
                                        {"GIT_INDEX_FILE", staging.NewPath()}};
  BELAY_TRY(git.Run(
      {.arguments = {"read-tree", "--no-sparse-checkout", base.text()}, .environment = there}));
  std::vector<PlannedIndex> gone;
  for (const std::string& path : left_out) gone.push_back({path, {}});
  BELAY_TRY(git.Run({.arguments = {"update-index", "-z", "--index-info"},
                     .input = InputOf(IndexInfo(gone, base.format())),
                     .environment = there}));
  BELAY_TRY(git.Run({.arguments = {"checkout-index", "--all", "--ignore-skip-worktree-bits"},
                     .environment = there,
                     .limit = kLimit}));
  return {};
}

namespace {

void Put(const GitEntry& entry, std::size_t stage, const std::string& path, std::string& out) {
  if (!entry.IsThere()) return;
  out += fmt::format("{:o} {} {}\t", entry.mode, entry.id.text(), stage);
  out += path;
  out += '\0';
}

}  // namespace

// Removals come before additions, so that a file can become a folder.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format) {
  const std::string none(format == ObjectFormat::kSha256 ? 64 : 40, '0');
  std::string text;
  for (const PlannedIndex& change : changes) {
    text += fmt::format("0 {}\t", none);
    text += change.path;
    text += '\0';
  }
  for (const PlannedIndex& change : changes) {
    Put(change.state.entry, 0, change.path, text);
    for (std::size_t i = 0; i < change.state.stages.size(); ++i) {
      Put(change.state.stages[i], i + 1, change.path, text);
    }
  }
  return text;
}

Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format) {
  if (changes.empty()) return {};
  BELAY_TRY(git.Run({.arguments = {"update-index", "-z", "--index-info"},
                     .input = InputOf(IndexInfo(changes, format))}));
  std::string intents;
  for (const PlannedIndex& change : changes) {
    if (change.state.intent_to_add) intents += change.path + '\0';
  }
  if (intents.empty()) return {};
  BELAY_TRY(git.Run({.arguments = {"add", "--intent-to-add", "--force", "--sparse",
                                   "--pathspec-from-file=-", "--pathspec-file-nul"},
                     .input = InputOf(std::move(intents))}));
  return {};
}

bool IsIndexFileAsSeen(const Worktree& worktree, const std::optional<FileInfo>& seen) {
  const Result<FileInfo> now = worktree.files.Inspect(JoinPath(worktree.place.git_folder, "index"));
  return now && seen && now->inode == seen->inode && now->changed == seen->changed &&
         now->bytes == seen->bytes;
}

Result<void> CheckIndexAsSeen(const Worktree& worktree, const SeenIndex& seen,
                              const std::vector<PlannedIndex>& changes) {
  if (IsIndexFileAsSeen(worktree, seen.file)) return {};
  BELAY_TRY_ASSIGN(const GitStatus status, ReadStatus(worktree.git));
  const auto index = PresentIndex(seen.wanted, status);
  for (const PlannedIndex& change : changes) {
    const auto at = index.find(change.path);
    const bool changed = at == index.end() || at->second != change.before;
    if (status.head != seen.head || changed) return ChangedDuringRestore("the index");
  }
  return {};
}

Result<void> CheckIndexLock(const Worktree& worktree, std::string_view operation) {
  const std::string lock = JoinPath(worktree.place.git_folder, "index.lock");
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(worktree.files.Inspect(lock)));
  if (!info) return {};
  const Duration age = worktree.clock.Wall().time_since_epoch() - Duration(info->modified);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::max(age, Duration(0)));
  return Error{
      ErrorCode::kBusy,
      fmt::format("{}: {} exists, for {}", operation, lock, FormatDuration(seconds)),
      "another git is running there, or was killed: if no git process runs, remove that file"};
}

std::vector<std::string> TakenAway(const RestorePlan& plan) {
  std::vector<std::string> paths = plan.removals;
  for (const PlannedWrite& write : plan.writes) {
    if (write.replaces) paths.push_back(write.path);
  }
  for (const PlannedConflict& conflict : plan.conflicts) {
    if (conflict.can_merge) paths.push_back(conflict.path);
  }
  return paths;
}

void RefuseSecrets(const CaptureRules& rules, const Present& present, RestorePlan& plan) {
  for (const PathToRestore& path : KeptNowhere(present, plan)) {
    if (!rules.IsSecret(path.path)) continue;
    std::erase_if(plan.conflicts,
                  [&](const auto& other) { return other.in_file && other.path == path.path; });
    plan.conflicts.push_back({.path = path.path,
                              .why = "it looks like a secret, so no snapshot can save it first",
                              .in_file = true});
  }
}

Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan) {
  TakeRequest take{.keep = request.keep,
                   .message = "before restoring " + request.snapshot.id.text(),
                   .rules = request.rules};
  for (const PathToRestore& path : KeptNowhere(present, plan)) {
    (path.index_now.IsThere() ? take.also : take.also_untracked).push_back(path.path);
  }
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(worktree, take));
  std::vector<std::string> paths = take.also;
  paths.insert(paths.end(), take.also_untracked.begin(), take.also_untracked.end());
  for (const ObjectId& commit : {taken.snapshot.commit, taken.snapshot.untracked}) {
    BELAY_TRY_ASSIGN(const GitEntries entries, ReadEntries(worktree.git, commit, paths));
    std::erase_if(paths, [&](const std::string& path) { return IsKept(entries, present, path); });
  }
  if (!paths.empty()) return NotKept(request.snapshot, taken.snapshot, paths[0]);
  return std::move(taken.snapshot);
}

}  // namespace belay
