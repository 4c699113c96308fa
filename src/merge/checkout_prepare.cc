#include "merge/checkout_prepare.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "merge/failure_cause.h"
#include "os/file_system.h"

namespace belay {
namespace {

constexpr std::size_t kMostIndex = std::size_t{1} << 31U;
constexpr std::size_t kMostHead = 4096;
constexpr std::size_t kNamed = 5;

// The first few, each once.
std::string Whys(const std::vector<PathNote>& notes) {
  std::vector<std::string> whys;
  for (const PathNote& note : notes) {
    if (std::ranges::find(whys, note.why) == whys.end()) whys.push_back(note.why);
  }
  std::string text = Join(std::span(whys).first(std::min(whys.size(), kNamed)), ", ");
  if (whys.size() > kNamed) text += fmt::format(" and {} more", whys.size() - kNamed);
  return text;
}

// The obstacle, and how to remove it.
std::string BlockedLine(const std::vector<PathNote>& blocked, const std::string& folder,
                        const std::string& target) {
  return fmt::format(
      "the checkout of {} in {} has changes in files that would be updated: {}; commit, stash or "
      "move them, and the entry lands automatically",
      target, folder, Whys(blocked));
}

// The user's own git runs the filters of that checkout, so it can do what belay doesn't.
std::string FilteredLine(const std::vector<PathNote>& filtered, const std::string& folder,
                         const std::string& target) {
  return fmt::format(
      "the checkout of {} in {} can't be updated: {}, and belay doesn't run programs from a "
      "repository's own configuration; to land it, run git -C {} switch --detach, belay "
      "merge-queue process, git -C {} switch {}",
      target, folder, Whys(filtered), ShellQuoted(folder), ShellQuoted(folder),
      ShellQuoted(target));
}

std::string UnwritableLine(const std::vector<PathNote>& unwritable, const std::string& folder,
                           const std::string& target) {
  return fmt::format(
      "the checkout of {} in {} can't be updated: {}; the entry lands automatically once that is "
      "fixed",
      target, folder, Whys(unwritable));
}

class Preparer {
 public:
  Preparer(const MergeEnv& env, const TargetAdvance& advance, const GitWorktree& worktree,
           std::size_t number)
      : env_(env),
        advance_(advance),
        git_(env.git.In(worktree.folder)),
        checkout_{
            .git = git_,
            .files = env.files,
            .worktree = worktree,
            .environment = {{"GIT_DIR", worktree.git_folder}, {"GIT_WORK_TREE", worktree.folder}}} {
    ready_.worktree = worktree;
    CheckoutPlan& plan = ready_.plan;
    plan.folder = worktree.folder;
    plan.git_folder = worktree.git_folder;
    plan.staging = JoinPath(env.project.CheckoutMoveFolder(), std::to_string(number));
    plan.files_folder = plan.staging;
  }

  Result<PreparedCheckout> Run(bool stage);

 private:
  std::string WhyNot(const CheckoutInspection& look) const;
  Result<void> Stage(const CheckoutInspection& look);
  Result<void> MakeFolders();
  Result<void> CopyIndex(const std::string& to, std::uint32_t mode);
  Result<void> ReadTrees();
  Result<GitAnswer> RunOnIndex(GitCall call, bool in_new_files) const;
  Result<GitAnswer> RunGit(GitCall call, bool in_new_files) const;
  // Blocked paths: first reset to `from`, so that git can continue; then unmerged.
  Result<void> ResetBlocked(const CheckoutInspection& look) const;
  Result<void> Unmerge(const CheckoutInspection& look) const;
  Result<void> SetEntries(std::string entries) const;
  Result<GitEntry> PersonsEntry(const CheckoutInspection& look, const TreeChange& change) const;
  // Paths without a file because the new index puts them outside of a sparse checkout.
  Result<std::set<std::string, std::less<>>> SkippedPaths() const;
  Result<void> PlanMoves(const CheckoutInspection& look);
  Result<void> WriteLock();

  const MergeEnv& env_;
  const TargetAdvance& advance_;
  Git git_;
  Checkout checkout_;
  PreparedCheckout ready_;
  std::int64_t index_modified_ = 0;
};

Result<void> Preparer::MakeFolders() {
  CheckoutPlan& plan = ready_.plan;
  BELAY_TRY_ASSIGN(const FileInfo checkout, env_.files.Inspect(plan.folder));
  BELAY_TRY_ASSIGN(const FileInfo ours, env_.files.Inspect(env_.project.MergeFolder()));
  // Renames don't work across disks.
  if (checkout.device != ours.device) {
    plan.files_folder = JoinPath(plan.folder, ".belay-checkout-move");
  }
  BELAY_TRY(env_.files.RemoveTree(plan.staging));
  BELAY_TRY(env_.files.RemoveTree(plan.files_folder));
  if (!env_.files.Inspect(env_.project.CheckoutMoveFolder())) {
    BELAY_TRY(env_.files.CreateFolder(env_.project.CheckoutMoveFolder(), 0700));
  }
  BELAY_TRY(env_.files.CreateFolder(plan.staging, 0700));
  if (plan.files_folder != plan.staging) {
    BELAY_TRY(env_.files.CreateFolder(plan.files_folder, 0700));
    // It is in the user's checkout: git add must not see it.
    BELAY_TRY_ASSIGN(File ignore,
                     env_.files.OpenForWriting(JoinPath(plan.files_folder, ".gitignore"), 0600));
    BELAY_TRY(ignore.Write("*\n"));
  }
  BELAY_TRY(env_.files.CreateFolder(JoinPath(plan.files_folder, "new"), 0700));
  return env_.files.CreateFolder(JoinPath(plan.files_folder, "old"), 0700);
}

// Its time decides which files git examines closely, so it stays that of the index.
Result<void> Preparer::CopyIndex(const std::string& to, std::uint32_t mode) {
  {
    BELAY_TRY_ASSIGN(File file, env_.files.OpenForWriting(to, mode));
    BELAY_TRY(file.Write(ready_.index_bytes));
  }
  return SetModifiedTime(to, index_modified_);
}

// Git compares the content of a file that is not older than the index, since it could have been
// written twice in that second. When git writes an index, it checks those files and remembers the
// ones that differ; but not here, where the work tree is empty. So the new index keeps the time of
// the old one, and git goes on comparing them.
Result<GitAnswer> Preparer::RunOnIndex(GitCall call, bool in_new_files) const {
  BELAY_TRY_ASSIGN(GitAnswer answer, RunGit(std::move(call), in_new_files));
  BELAY_TRY(SetModifiedTime(ready_.plan.ReadyIndex(), index_modified_));
  return answer;
}

Result<GitAnswer> Preparer::RunGit(GitCall call, bool in_new_files) const {
  call.environment.insert_or_assign("GIT_INDEX_FILE", ready_.plan.ReadyIndex());
  if (in_new_files) {
    const std::string folder = JoinPath(ready_.plan.files_folder, "new");
    call.environment.insert_or_assign("GIT_WORK_TREE", folder);
    call.settings.emplace_back("core.fsync=none");
    for (const auto& [name, value] : checkout_.environment) call.environment.emplace(name, value);
    return git_.In(folder).Run(call);
  }
  return checkout_.Run(std::move(call));
}

Result<void> Preparer::SetEntries(std::string entries) const {
  if (entries.empty()) return {};
  BELAY_TRY(RunOnIndex(
      {.arguments = {"update-index", "-z", "--index-info"}, .input = InputOf(std::move(entries))},
      false));
  return {};
}

std::string EntryText(const GitEntry& entry, int stage, const std::string& path,
                      const std::string& none) {
  std::string text =
      fmt::format("{:o} {} {}\t", entry.mode, entry.IsThere() ? entry.id.text() : none, stage);
  return text + path + '\0';
}

Result<void> Preparer::ResetBlocked(const CheckoutInspection& look) const {
  const std::string none(advance_.to.text().size(), '0');
  std::string entries;
  for (const PathNote& note : look.blocked) {
    const auto change = look.changes.find(note.path);
    if (change == look.changes.end()) continue;
    entries += EntryText(change->second.before, 0, note.path, none);
  }
  return SetEntries(std::move(entries));
}

// The user's version: the staged one, which would otherwise be lost; else the file's; else none.
// The file itself stays unchanged.
Result<GitEntry> Preparer::PersonsEntry(const CheckoutInspection& look,
                                        const TreeChange& change) const {
  const auto staged = look.staged.find(change.path);
  if (staged != look.staged.end()) return staged->second;
  const auto info = env_.files.Inspect(JoinPath(ready_.plan.folder, change.path));
  if (!info || info->kind != FileKind::kFile) return GitEntry{};
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   checkout_.Run({.arguments = {"hash-object", "-w", "--", change.path}}));
  BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(answer.out.substr(0, answer.out.find('\n'))));
  return GitEntry{info->IsExecutable() ? kProgramMode : kFileMode, std::move(id)};
}

Result<void> Preparer::Unmerge(const CheckoutInspection& look) const {
  const std::string none(advance_.to.text().size(), '0');
  std::string entries;
  for (const PathNote& note : look.blocked) {
    const auto found = look.changes.find(note.path);
    if (found == look.changes.end()) continue;
    const TreeChange& change = found->second;
    BELAY_TRY_ASSIGN(const GitEntry mine, PersonsEntry(look, change));
    entries += EntryText(GitEntry{}, 0, note.path, none);
    const GitEntry* const stages[] = {&change.before, &mine, &change.after};
    for (int stage = 1; stage <= 3; ++stage) {
      const GitEntry& entry = *stages[stage - 1];
      if (entry.IsThere()) entries += EntryText(entry, stage, note.path, none);
    }
  }
  return SetEntries(std::move(entries));
}

Result<void> Preparer::ReadTrees() {
  const auto read = RunOnIndex(
      {.arguments = {"read-tree", "-m", "-u", advance_.from.text(), advance_.to.text()}}, true);
  if (read) return {};
  if (read.error().code == ErrorCode::kBusy) return read.error();
  for (const char* const sign : {"would be overwritten", "would be removed", "would lose",
                                 "not uptodate", "resolve your current index"}) {
    if (read.error().message.find(sign) == std::string::npos) continue;
    ready_.why_not =
        BlockedLine({{"", OneLine(read.error().message)}}, ready_.plan.folder, advance_.target);
    return {};
  }
  return read.error();
}

Result<std::set<std::string, std::less<>>> Preparer::SkippedPaths() const {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   RunOnIndex({.arguments = {"ls-files", "-t", "-z"}}, true));
  std::set<std::string, std::less<>> skipped;
  for (const std::string_view line : Split(answer.out, '\0')) {  // "TAG PATH"
    if (line.starts_with("S ")) skipped.emplace(line.substr(2));
  }
  return skipped;
}

Result<void> Preparer::PlanMoves(const CheckoutInspection& look) {
  const WallTime now = env_.clock.Wall();
  std::optional<std::set<std::string, std::less<>>> skipped;
  for (const FreePath& free : look.free) {
    // A folder at that name belongs to other paths.
    PathMove move{.path = free.change.path};
    if (free.change.before.IsThere()) move.goes = free.mark;
    if (free.change.after.IsThere()) {
      move.comes = MarkOf(env_.files, ready_.plan.Ready(move), now);
    }
    if (!move.comes.IsThere() && !move.goes.IsThere()) continue;
    if (free.change.after.IsThere() && !move.comes.IsThere()) {
      if (!skipped) {
        BELAY_TRY_ASSIGN(skipped, SkippedPaths());
      }
      if (!skipped->contains(move.path)) {
        return Error{ErrorCode::kFailed,
                     fmt::format("git didn't create the file {}", Quote(move.path))};
      }
    }
    ready_.plan.moves.push_back(std::move(move));
  }
  ready_.plan.index = MarkOf(env_.files, ready_.plan.ReadyIndex(), now);
  ready_.plan.old_index = MarkOf(env_.files, ready_.plan.Index(), now);
  ready_.plan.old_copy = MarkOf(env_.files, ready_.plan.OldIndex(), now);
  return {};
}

Result<void> Preparer::WriteLock() {
  ready_.plan.lock_text = fmt::format("belay lands {} here {:016x}{:016x}\n", advance_.to.Short(),
                                      env_.random.Next64(), env_.random.Next64());
  BELAY_TRY_ASSIGN(File file, env_.files.OpenForWriting(ready_.plan.ReadyLock(), 0600));
  BELAY_TRY(file.Write(ready_.plan.lock_text));
  return file.Sync();
}

Result<void> Preparer::Stage(const CheckoutInspection& look) {
  BELAY_TRY(MakeFolders());
  BELAY_TRY_ASSIGN(const FileInfo index, env_.files.Inspect(ready_.plan.Index()));
  index_modified_ = index.modified;
  BELAY_TRY(CopyIndex(ready_.plan.OldIndex(), index.mode));
  BELAY_TRY(CopyIndex(ready_.plan.ReadyIndex(), index.mode));
  if (!look.blocked.empty()) BELAY_TRY(ResetBlocked(look));
  BELAY_TRY(ReadTrees());
  if (!ready_.why_not.empty()) return {};
  if (!look.blocked.empty()) BELAY_TRY(Unmerge(look));
  for (const PathNote& note : look.blocked) ready_.kept.push_back(note.path);
  BELAY_TRY(PlanMoves(look));
  return WriteLock();
}

Result<PreparedCheckout> Preparer::Run(bool stage) {
  const auto bytes = env_.files.Read(ready_.plan.Index(), kMostIndex);
  if (IsMissing(bytes)) {
    ready_.why_not =
        fmt::format("the checkout of {} in {} has no index; git -C {} reset creates one",
                    advance_.target, ready_.plan.folder, ShellQuoted(ready_.plan.folder));
    return std::move(ready_);
  }
  if (!bytes) return bytes.error();
  ready_.index_bytes = *bytes;
  BELAY_TRY_ASSIGN(const LocalPrograms programs, FindLocalPrograms(git_, checkout_.environment));
  for (const auto& [name, value] : programs.off) checkout_.environment.emplace(name, value);
  BELAY_TRY_ASSIGN(const CheckoutInspection look,
                   InspectCheckout(checkout_,
                                   {BranchRef(advance_.target), advance_.from, advance_.to, !stage,
                                    !advance_.moves_ref},
                                   programs, env_.clock.Wall()));
  ready_.elsewhere = look.elsewhere;
  ready_.modules = look.submodules;
  if (look.elsewhere) return std::move(ready_);
  ready_.why_not = WhyNot(look);
  if (!stage || !ready_.why_not.empty()) return std::move(ready_);
  const Result<void> staged = Stage(look);
  if (!staged || !ready_.why_not.empty()) BELAY_TRY(DropStaged(env_.files, ready_.plan));
  if (!staged) return staged.error();
  return std::move(ready_);
}

std::string Preparer::WhyNot(const CheckoutInspection& look) const {
  const std::string& folder = ready_.plan.folder;
  if (!look.why_not.empty()) {
    return fmt::format("{} in {}; the entry lands automatically when that is done", look.why_not,
                       folder);
  }
  if (!look.unwritable.empty()) return UnwritableLine(look.unwritable, folder, advance_.target);
  if (!look.filtered.empty()) return FilteredLine(look.filtered, folder, advance_.target);
  if (look.blocked.empty() || advance_.keep_blocked) return {};
  return BlockedLine(look.blocked, folder, advance_.target);
}

}  // namespace

Result<PreparedCheckout> PrepareCheckout(const MergeEnv& env, const TargetAdvance& advance,
                                         const GitWorktree& worktree, std::size_t number,
                                         bool stage) {
  Result<PreparedCheckout> ready = Preparer(env, advance, worktree, number).Run(stage);
  if (!ready) return CheckoutTrouble(advance.target, worktree.folder, ready.error());
  return ready;
}

Error CheckoutTrouble(const std::string& target, const std::string& folder, const Error& error) {
  return {error.code,
          fmt::format("the checkout of {} in {} can't be updated: {}", target, folder,
                      OneLine(error.message)),
          error.hint};
}

Result<void> DropStaged(FileSystem& files, const CheckoutPlan& plan) {
  BELAY_TRY(files.RemoveTree(plan.files_folder));
  BELAY_TRY(files.RemoveTree(plan.staging));
  (void)files.RemoveEmptyFolder(std::string(ParentPath(plan.staging)));
  return {};
}

bool StillFits(const FileSystem& files, const PreparedCheckout& ready, const std::string& ref) {
  const CheckoutPlan& plan = ready.plan;
  const auto head = files.Read(JoinPath(plan.git_folder, "HEAD"), kMostHead);
  if (!head || *head != fmt::format("ref: {}\n", ref)) return false;
  if (!OperationUnderWay(files, plan.git_folder).empty()) return false;
  const auto index = files.Read(plan.Index(), kMostIndex);
  if (!index || *index != ready.index_bytes) return false;
  for (const PathMove& move : plan.moves) {
    if (move.goes.IsThere() && !IsUntouched(files, plan.InCheckout(move), move.goes)) return false;
  }
  return true;
}

}  // namespace belay
