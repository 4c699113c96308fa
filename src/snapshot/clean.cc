#include "snapshot/clean.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/checkout_facts.h"
#include "base/path.h"
#include "snapshot/restore_checkout.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_present.h"
#include "snapshot/restore_wanted.h"

namespace belay {
namespace {

using CleanedPaths = std::set<std::string, std::less<>>;

constexpr std::string_view kFileChanged = "changed since the snapshot";
constexpr std::string_view kIndexChanged = "its index entry changed since the snapshot";
constexpr std::string_view kInTheWay = "another file is in its place";

IndexState BaseIndex(const PathToRestore& path) { return {.entry = path.base}; }

bool IsSubmodule(const PathToRestore& path) {
  return path.base.mode == kSubmoduleMode || path.target.mode == kSubmoduleMode;
}

// Something is where it, or a folder above it, would be.
bool IsBlocked(const PathToRestore& path) {
  return !path.blockers.empty() || path.now == FileNow::kFolder;
}

bool HasCapturedFile(const PathToRestore& path) {
  if (path.target.IsThere()) return path.now == FileNow::kTarget;
  return path.now == FileNow::kNothing || path.now == FileNow::kFolder;
}

bool HasBaseFile(const PathToRestore& path) {
  if (path.base.IsThere()) return path.now == FileNow::kBase;
  // A folder, because HEAD has files in it, or nothing, because HEAD has a file in place of its
  // folder: the captured file isn't there.
  return path.now == FileNow::kFolder || path.now == FileNow::kNothing;
}

// Why the path stays; empty: it goes back.
std::string_view WhyLeft(const PathToRestore& path) {
  const bool file = path.target != path.base;
  if (IsSubmodule(path)) return "a submodule";
  if (file && !HasCapturedFile(path) && !HasBaseFile(path)) return kFileChanged;
  const bool index = path.index_now == path.target_index || path.index_now == BaseIndex(path);
  return index ? std::string_view() : kIndexChanged;
}

bool IsChangedAtAll(const PathToRestore& path) {
  if (path.IsSettings()) return false;
  return path.target != path.base || path.target_index != BaseIndex(path);
}

// A file to check out needs its place: what is there must be among the removals.
bool IsFreed(const PathToRestore& path, const CleanedPaths& removals,
             const std::vector<PathToRestore>& all) {
  for (const std::string& blocker : path.blockers) {
    if (!removals.contains(blocker)) return false;
  }
  if (path.now != FileNow::kFolder) return true;
  const std::string below = path.path + "/";
  // Files that the snapshot doesn't know are found when the folder is removed.
  return std::none_of(all.begin(), all.end(), [&](const PathToRestore& other) {
    return other.path.starts_with(below) && other.now != FileNow::kNothing &&
           !removals.contains(other.path);
  });
}

bool IsAttributesFile(const std::string& path) { return FileName(path) == ".gitattributes"; }

// Of these paths only: git needn't look at all the others.
Result<GitStatus> StatusOf(const Git& git, const WantedPaths& paths) {
  constexpr std::size_t kMostPaths = 500;
  if (paths.size() > kMostPaths) return ReadStatus(git);
  GitCall call{.arguments = {"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
                             "--untracked-files=all", "--ignore-submodules=none", "--no-renames",
                             "--"}};
  for (const auto& [path, wanted] : paths) call.arguments.push_back(path);
  BELAY_TRY_ASSIGN(const GitAnswer answer, git.Run(call));
  return ParseStatus(answer.out);
}

// One cleaning, from the first look to the last sync.
class Cleaner {
 public:
  Cleaner(const Worktree& worktree, const SavedSnapshot& snapshot)
      : worktree_(worktree), snapshot_(snapshot), root_(worktree.place.worktree) {}

  Result<Cleaned> Run();

 private:
  Result<void> Inspect();
  std::string WhyNothing() const;
  Result<void> RecogniseBase(WorkFolder& staging);
  void LeaveFullFolders();
  Result<void> Write();
  Result<void> CheckOut(FileRestorer& files, WorkFolder& staging, bool attributes);
  Result<std::vector<StagedFile>> Stage(WorkFolder& staging, const std::vector<std::string>& paths);

  const Worktree& worktree_;
  const SavedSnapshot& snapshot_;
  const std::string& root_;
  std::optional<FileInfo> index_file_;
  GitStatus status_;
  Wanted wanted_;
  Present present_;
  CleanPlan plan_;
};

Result<void> Cleaner::Inspect() {
  BELAY_TRY_ASSIGN(index_file_,
                   IfThere(worktree_.files.Inspect(JoinPath(worktree_.place.git_folder, "index"))));
  BELAY_TRY_ASSIGN(wanted_, ReadWanted(worktree_.git, snapshot_, snapshot_.base));
  BELAY_TRY_ASSIGN(status_, StatusOf(worktree_.git, wanted_.paths));
  BELAY_TRY_ASSIGN(present_, InspectPresent(worktree_, snapshot_, wanted_, status_));
  return {};
}

std::string Cleaner::WhyNothing() const {
  const ObjectId base = snapshot_.record.has_base ? snapshot_.base : ObjectId();
  if (status_.head != base) return "HEAD has moved since the snapshot";
  const std::string under_way = OperationUnderWay(worktree_.files, worktree_.place.git_folder);
  return under_way.empty() ? std::string() : under_way + " is under way";
}

// A killed cleaning may have checked a file out that git converts: its bytes are neither captured
// nor those of the base, and its index entry still differs from HEAD.
Result<void> Cleaner::RecogniseBase(WorkFolder& staging) {
  std::vector<std::string> doubtful;
  for (const PathToRestore& path : present_.paths) {
    const bool differs = path.target != path.base && path.base.IsThere() && !IsSubmodule(path);
    if (differs && path.now == FileNow::kOther && path.now_regular) doubtful.push_back(path.path);
  }
  BELAY_TRY_ASSIGN(const std::vector<StagedFile> staged,
                   StageFromBase(worktree_, staging, snapshot_.base, doubtful));
  for (const StagedFile& file : staged) {
    BELAY_TRY_ASSIGN(const bool same,
                     HaveSameBytes(worktree_.files, file.staged, JoinPath(root_, file.path)));
    const auto at = std::ranges::find(present_.paths, file.path, &PathToRestore::path);
    if (same && at != present_.paths.end()) at->now = FileNow::kBase;
  }
  return {};
}

Result<void> Cleaner::CheckOut(FileRestorer& files, WorkFolder& staging, bool attributes) {
  std::vector<std::string> paths;
  for (const std::string& path : plan_.checkouts) {
    if (IsAttributesFile(path) == attributes) paths.push_back(path);
  }
  BELAY_TRY_ASSIGN(const std::vector<StagedFile> staged, Stage(staging, paths));
  if (staged.empty()) return {};
  BELAY_TRY(worktree_.files.SyncDisk(root_));
  return files.MoveIn(staged);
}

// If another git changes the index at the same time, what it named counts for nothing.
Result<std::vector<StagedFile>> Cleaner::Stage(WorkFolder& staging,
                                               const std::vector<std::string>& paths) {
  const bool staged_changes = std::ranges::any_of(present_.paths, [](const PathToRestore& path) {
    return path.index_now != BaseIndex(path) || IsAttributesFile(path.path);
  });
  if (!staged_changes && IsIndexFileAsSeen(worktree_, index_file_)) {
    auto staged = StageFromBase(worktree_, staging, snapshot_.base, paths, StageIndex::kOfWorktree);
    if (staged && IsIndexFileAsSeen(worktree_, index_file_)) return staged;
  }
  return StageFromBase(worktree_, staging, snapshot_.base, paths);
}

// A folder with files that the snapshot doesn't know stays, and so does the path of HEAD's file.
void Cleaner::LeaveFullFolders() {
  const CleanedPaths removals(plan_.removals.begin(), plan_.removals.end());
  for (const PathToRestore& path : present_.paths) {
    const auto at = std::ranges::find(plan_.checkouts, path.path);
    if (path.now != FileNow::kFolder || at == plan_.checkouts.end()) continue;
    if (HoldsOnlyPaths(worktree_.files, root_, path.path, removals)) continue;
    plan_.checkouts.erase(at);
    std::erase_if(plan_.index, [&](const auto& change) { return change.path == path.path; });
    plan_.left.push_back({path.path, std::string(kInTheWay)});
  }
}

// HEAD's attributes decide how its other files are checked out, so they come first.
Result<void> Cleaner::Write() {
  const std::string start = JoinPath(root_, kStagingStart);
  WorkFolder::Sweep(worktree_.files, start);
  BELAY_TRY_ASSIGN(WorkFolder staging, WorkFolder::Create(worktree_.files, start));
  BELAY_TRY(RecogniseBase(staging));
  plan_ = PlanClean(present_.paths);
  LeaveFullFolders();
  FileRestorer files(worktree_.files, root_, present_.seen, staging);
  BELAY_TRY(files.Check(plan_.removals));
  BELAY_TRY(files.Check(plan_.checkouts));
  BELAY_TRY(files.Remove(plan_.removals));
  BELAY_TRY(CheckOut(files, staging, true));
  BELAY_TRY(CheckOut(files, staging, false));
  files.RemoveEmptied(plan_.removals);
  if (!plan_.index.empty()) {
    BELAY_TRY(CheckIndexAsSeen(worktree_, {index_file_, wanted_, status_.head}, plan_.index));
    BELAY_TRY(ChangeIndex(worktree_.git, plan_.index, snapshot_.commit.format()));
  }
  return {};
}

Result<Cleaned> Cleaner::Run() {
  BELAY_TRY(CheckIndexLock(worktree_, "clean"));
  BELAY_TRY(Inspect());
  Cleaned cleaned;
  if (const std::string why = WhyNothing(); !why.empty()) {
    for (const PathToRestore& path : present_.paths) {
      if (IsChangedAtAll(path)) cleaned.left.push_back({path.path, why});
    }
    return cleaned;
  }
  Result<void> written = Write();
  if (!written) {
    return Error{
        written.error().code == ErrorCode::kBusy ? ErrorCode::kFailed : written.error().code,
        "clean the worktree: " + written.error().message, written.error().hint};
  }
  BELAY_TRY(worktree_.files.SyncFolder(worktree_.place.git_folder));
  CleanedPaths paths(plan_.removals.begin(), plan_.removals.end());
  paths.insert(plan_.checkouts.begin(), plan_.checkouts.end());
  for (const PlannedIndex& change : plan_.index) paths.insert(change.path);
  cleaned.files.assign(paths.begin(), paths.end());
  cleaned.left = std::move(plan_.left);
  return cleaned;
}

}  // namespace

CleanPlan PlanClean(const std::vector<PathToRestore>& paths) {
  CleanPlan plan;
  CleanedPaths removals;
  for (const PathToRestore& path : paths) {
    const bool removed = IsChangedAtAll(path) && path.target.IsThere() && !path.base.IsThere() &&
                         path.now == FileNow::kTarget && WhyLeft(path).empty();
    if (removed) removals.insert(path.path);
  }
  // A file as captured in the place of a folder of HEAD is removed for it; so is its replacement.
  for (const PathToRestore& path : paths) {
    if (!IsChangedAtAll(path)) continue;
    std::string_view why = WhyLeft(path);
    const bool file = path.target != path.base && !HasBaseFile(path);
    const bool checkout = file && path.base.IsThere();
    if (why.empty() && checkout && IsBlocked(path) && !IsFreed(path, removals, paths)) {
      why = kInTheWay;
    }
    if (!why.empty()) {
      plan.left.push_back({path.path, std::string(why)});
      continue;
    }
    if (checkout) plan.checkouts.push_back(path.path);
    if (path.index_now != BaseIndex(path)) {
      plan.index.push_back({path.path, BaseIndex(path), path.index_now});
    }
  }
  plan.removals.assign(removals.begin(), removals.end());
  return plan;
}

Result<Cleaned> CleanWorktree(const Worktree& worktree, const SavedSnapshot& snapshot) {
  return Cleaner(worktree, snapshot).Run();
}

}  // namespace belay
