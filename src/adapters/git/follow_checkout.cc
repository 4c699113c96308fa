#include "adapters/git/follow_checkout.h"

#include <fmt/core.h>

#include <set>

#include "adapters/git/status.h"
#include "base/path.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kMostFollowNote = 1000;

std::string FollowNotePath(const GitWorktree& worktree) {
  return JoinPath(worktree.git_folder, "belay-follow");
}

std::string NoteText(const FollowRequest& request) {
  return fmt::format("{} {}\n", request.from.text(), request.to.text());
}

Result<void> WriteNote(const Checkout& checkout, const FollowRequest& request) {
  BELAY_TRY_ASSIGN(File file,
                   checkout.files.OpenForWriting(FollowNotePath(checkout.worktree), 0600));
  BELAY_TRY(file.Truncate(0));
  return file.Write(NoteText(request));
}

// Work begun before a kill gets its new entries and files first; then it no longer blocks.
Result<void> Redo(const Checkout& checkout, const std::vector<TreeChange>& done,
                  const FollowRequest& request) {
  if (done.empty()) return {};
  const std::string none(request.to.text().size(), '0');
  std::string entries;
  std::string paths;
  for (const TreeChange& change : done) {
    const bool stays = change.after.IsThere();
    entries += fmt::format("{:o} {}\t", change.after.mode, stays ? change.after.id.text() : none);
    entries += change.path + '\0';
    if (stays) paths += change.path + '\0';
  }
  BELAY_TRY(checkout.Run(
      {.arguments = {"update-index", "-z", "--index-info"}, .input = InputOf(std::move(entries))}));
  if (paths.empty()) return {};
  BELAY_TRY(checkout.Run({.arguments = {"checkout-index", "-f", "-u", "-q", "-z", "--stdin"},
                          .input = InputOf(std::move(paths))}));
  return {};
}

// A file that was touched but not changed blocks git until the index is refreshed.
Result<void> ReadTrees(const Checkout& checkout, const FollowRequest& request) {
  const GitCall call{
      .arguments = {"read-tree", "-m", "-u", request.from.text(), request.to.text()}};
  const auto first = checkout.Run(call);
  if (first) return {};
  if (first.error().message.find("not uptodate") == std::string::npos) return first.error();
  BELAY_TRY(checkout.Run({.arguments = {"update-index", "-q", "--refresh"}}));
  BELAY_TRY(checkout.Run(call));
  return {};
}

// Git checks everything before it changes anything.
bool ChangedNothing(const Error& error) {
  for (const char* const sign :
       {"would be overwritten", "would be removed", "would lose", "not uptodate"}) {
    if (error.message.find(sign) != std::string::npos) return true;
  }
  return error.code == ErrorCode::kBusy;
}

Result<void> Move(const Checkout& checkout, const FollowPlan& plan, const FollowRequest& request) {
  BELAY_TRY(WriteNote(checkout, request));
  BELAY_TRY(Redo(checkout, plan.done, request));
  Result<void> moved = ReadTrees(checkout, request);
  const bool ended = moved || (plan.done.empty() && ChangedNothing(moved.error()));
  if (ended) BELAY_TRY(checkout.files.RemoveTree(FollowNotePath(checkout.worktree)));
  return moved;
}

Result<Followed> Follow(const Git& git, FileSystem& files, const GitWorktree& worktree,
                        const FollowRequest& request) {
  const auto note = files.Read(FollowNotePath(worktree), kMostFollowNote);
  const Git there = git.In(worktree.folder);
  Checkout checkout{
      .git = there,
      .files = files,
      .worktree = worktree,
      .environment = {{"GIT_DIR", worktree.git_folder}, {"GIT_WORK_TREE", worktree.folder}},
      .unfinished = note && *note == NoteText(request)};
  BELAY_TRY_ASSIGN(const LocalPrograms programs, FindLocalPrograms(there, checkout.environment));
  for (const auto& [name, value] : programs.off) checkout.environment.emplace(name, value);
  BELAY_TRY_ASSIGN(const FollowPlan plan, PlanFollowing(checkout, request, programs));
  if (plan.index_is_new && plan.done.empty()) {
    if (note) BELAY_TRY(files.RemoveTree(FollowNotePath(worktree)));
    return Followed{Followed::End::kAlreadyThere};
  }
  BELAY_TRY(Move(checkout, plan, request));
  return Followed{Followed::End::kFollowed};
}

// Half-done work can only be finished the way it was begun. A refusal means that the user has work
// there.
Followed::End EndBy(const Error& error, const FileSystem& files, const GitWorktree& worktree,
                    const FollowRequest& request) {
  if (error.code == ErrorCode::kRefused) return Followed::End::kLeft;
  const auto note = files.Read(FollowNotePath(worktree), kMostFollowNote);
  const bool begun = note && *note == NoteText(request);
  return begun ? Followed::End::kUnfinished : Followed::End::kLater;
}

std::string OneLine(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text;
}

}  // namespace

Followed FollowCheckout(const Git& git, FileSystem& files, const GitWorktree& worktree,
                        const FollowRequest& request) {
  if (worktree.is_bare) return {Followed::End::kLeft, "it has no files"};
  if (worktree.is_prunable || worktree.git_folder.empty()) {
    return {Followed::End::kLeft, "its folder no longer exists"};
  }
  Result<Followed> followed = Follow(git, files, worktree, request);
  if (followed) return *std::move(followed);
  const Followed::End end = EndBy(followed.error(), files, worktree, request);
  return {end, OneLine(std::move(followed.error().message))};
}

namespace {

constexpr std::size_t kMostPresentFile = std::size_t{1} << 30U;

Error Refuse(std::string why) { return {ErrorCode::kRefused, std::move(why)}; }

Result<void> LookForOperations(const Checkout& checkout) {
  const std::string& folder = checkout.worktree.git_folder;
  if (checkout.files.Inspect(JoinPath(folder, "index.lock"))) {
    return Error{ErrorCode::kBusy,
                 fmt::format("another git process is running there, or was killed: {} exists",
                             JoinPath(folder, "index.lock"))};
  }
  const std::string operation = OperationUnderWay(checkout.files, folder);
  if (!operation.empty()) return Refuse(fmt::format("{} is in progress there", operation));
  return {};
}

// The first note is reason enough.
Result<void> RefuseIfAny(const std::vector<PathNote>& notes) {
  return notes.empty() ? Result<void>() : Refuse(notes.front().why);
}

Result<void> CheckHead(const GitStatus& status, const FollowRequest& request) {
  if ("refs/heads/" + status.branch != request.branch) return Refuse("it is on another branch");
  if (status.head != request.to) return Refuse("the branch has moved on");
  return {};
}

// Compares a file with its checked-out form.
enum class FileContent { kNothing, kNew, kBeginning, kOther };

Result<FileContent> InspectFile(const Checkout& checkout, const TreeChange& change) {
  const std::string path = JoinPath(checkout.worktree.folder, change.path);
  const auto info = checkout.files.Inspect(path);
  if (!info) {
    if (info.error().code != ErrorCode::kNotFound) return info.error();
    return change.after.IsThere() ? FileContent::kNothing : FileContent::kNew;
  }
  // A removed file that became a folder.
  if (!change.after.IsThere() && info->kind == FileKind::kFolder) return FileContent::kNew;
  const bool link = change.after.mode == kLinkMode;
  const bool wants_file = change.after.mode == kFileMode || change.after.mode == kProgramMode;
  if (info->kind != (link ? FileKind::kLink : FileKind::kFile) || (!link && !wants_file)) {
    return FileContent::kOther;
  }
  BELAY_TRY_ASSIGN(const std::string there, link ? checkout.files.ReadLink(path)
                                                 : checkout.files.Read(path, kMostPresentFile));
  GitCall call{
      .arguments = {"cat-file", "--filters", "--path=" + change.path, change.after.id.text()}};
  if (link) call.arguments = {"cat-file", "blob", change.after.id.text()};
  BELAY_TRY_ASSIGN(const GitAnswer wanted, checkout.Run(call));
  if (wanted.out == there) {
    const bool mode = link || info->IsExecutable() == (change.after.mode == kProgramMode);
    return mode ? FileContent::kNew : FileContent::kOther;
  }
  return wanted.out.starts_with(there) ? FileContent::kBeginning : FileContent::kOther;
}

class Planner {
 public:
  Planner(const Checkout& checkout, const PathChanges& changes)
      : checkout_(checkout), changes_(changes) {}

  // A status entry; its index entry and file match either side of the move.
  Result<void> TakeEntry(const StatusEntry& entry);
  // New files without a status entry: git doesn't track what may be there.
  Result<void> TakeNewFile(const TreeChange& change);
  FollowPlan Take() { return {index_is_new_, std::move(done_)}; }

 private:
  Result<void> TakeChanged(const TreeChange& change, std::string_view what);

  const Checkout& checkout_;
  const PathChanges& changes_;
  bool index_is_new_ = true;
  std::vector<TreeChange> done_;
};

Result<void> Planner::TakeChanged(const TreeChange& change, std::string_view what) {
  BELAY_TRY_ASSIGN(const FileContent content, InspectFile(checkout_, change));
  const bool unfinished = checkout_.unfinished &&
                          (content == FileContent::kBeginning || content == FileContent::kNothing);
  if (content != FileContent::kNew && !unfinished) {
    return Refuse(fmt::format("{} {}", Quote(change.path), what));
  }
  done_.push_back(change);
  return {};
}

Result<void> Planner::TakeEntry(const StatusEntry& entry) {
  const auto found = changes_.find(entry.path);
  const bool module = entry.index.mode == kSubmoduleMode;
  if (entry.kind != StatusEntry::Kind::kChanged || entry.intent_to_add) {
    return Refuse(fmt::format("{} has staged changes", Quote(entry.path)));
  }
  if (entry.index_changed) {
    index_is_new_ = false;
    if (found == changes_.end() || entry.index != found->second.before) {
      return Refuse(fmt::format("{} has staged changes", Quote(entry.path)));
    }
  }
  if (!entry.worktree_changed || module) return {};
  if (found == changes_.end()) return Refuse(fmt::format("{} is changed", Quote(entry.path)));
  return TakeChanged(found->second, "is changed");
}

Result<void> Planner::TakeNewFile(const TreeChange& change) {
  const std::string above = FileAbove(checkout_, change.path);
  if (!above.empty()) {
    // A removed file makes room, and the target of a link isn't where the new file will be.
    const auto known = changes_.find(above);
    if (known != changes_.end() && known->second.before.IsThere()) return {};
    return Refuse(fmt::format("{} is in the way, and git doesn't track it", Quote(above)));
  }
  const auto info = checkout_.files.Inspect(JoinPath(checkout_.worktree.folder, change.path));
  if (!info) return {};
  if (info->kind == FileKind::kFolder) {
    const bool free = change.after.mode == kSubmoduleMode ||
                      HoldsOnly(FilesThat::kGo, checkout_, changes_, change.path);
    if (free) return {};
    return Refuse(fmt::format("the folder {} is in the way", Quote(change.path)));
  }
  return TakeChanged(change, "is in the way, and git doesn't track it");
}

}  // namespace

Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs) {
  BELAY_TRY(LookForOperations(checkout));
  BELAY_TRY_ASSIGN(const GitStatus status, AskTrackedStatus(checkout));
  BELAY_TRY(CheckHead(status, request));
  BELAY_TRY_ASSIGN(const PathChanges changes, ReadPathChanges(checkout, request.from, request.to));
  Planner planner(checkout, changes);
  bool index_is_new = true;
  std::set<std::string_view> not_in_index;
  for (const StatusEntry& entry : status.entries) {
    index_is_new =
        index_is_new && !entry.index_changed && entry.kind == StatusEntry::Kind::kChanged;
    if (!entry.index.IsThere()) not_in_index.insert(entry.path);
  }
  if (index_is_new && !checkout.unfinished) return FollowPlan{true, {}};
  for (const StatusEntry& entry : status.entries) BELAY_TRY(planner.TakeEntry(entry));
  for (const auto& [path, change] : changes) {
    if (not_in_index.contains(path)) BELAY_TRY(planner.TakeNewFile(change));
  }
  BELAY_TRY(RefuseIfAny(FullSubmodulesAmong(checkout, changes)));
  BELAY_TRY_ASSIGN(const std::vector<PathNote> overlooked,
                   OverlookedAmong(checkout, changes, request.to.format()));
  BELAY_TRY(RefuseIfAny(overlooked));
  BELAY_TRY_ASSIGN(const std::vector<PathNote> filtered,
                   FilteredAmong(checkout, changes, programs));
  BELAY_TRY(RefuseIfAny(filtered));
  return planner.Take();
}

namespace {

constexpr std::size_t kMostNote = 8192;
constexpr std::string_view kName = "belay-behind";

std::string NotePath(const GitWorktree& worktree) { return JoinPath(worktree.git_folder, kName); }

}  // namespace

std::optional<ObjectId> BehindAt(const FileSystem& files, const GitWorktree& worktree,
                                 const std::string& branch) {
  const Result<std::string> text = files.Read(NotePath(worktree), kMostNote);
  if (!text || !text->starts_with(branch + " ") || !text->ends_with('\n')) return std::nullopt;
  const std::size_t start = branch.size() + 1;
  const Result<ObjectId> commit = ObjectId::Parse(text->substr(start, text->size() - 1 - start));
  if (!commit || commit->IsNone()) return std::nullopt;
  return *commit;
}

Result<void> ForgetBehind(FileSystem& files, const GitWorktree& worktree) {
  return files.RemoveTree(NotePath(worktree));
}

bool IsAnyBehind(const FileSystem& files, const std::string& common_folder) {
  if (files.Inspect(JoinPath(common_folder, kName))) return true;
  const std::string all = JoinPath(common_folder, "worktrees");
  const auto names = files.List(all);
  if (!names) return false;
  for (const std::string& name : *names) {
    if (files.Inspect(JoinPath(JoinPath(all, name), kName))) return true;
  }
  return false;
}

}  // namespace belay
