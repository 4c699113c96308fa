#include "merge/checkout_install.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/path.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/process_tree.h"

namespace belay {
namespace {

constexpr std::size_t kMostLock = 4096;
constexpr std::size_t kMostCommand = 256;
constexpr int kMostKept = 1000;  // versions of one file
constexpr std::uint32_t kFolderMode = 0777;
// From reading the index to locking it: milliseconds, more in a very large checkout.
constexpr Duration kYoung = std::chrono::seconds(10);
constexpr Duration kReaderPatience = std::chrono::seconds(3);

// NOLINTNEXTLINE(misc-no-recursion): as deep as the path.
Result<void> MakeParents(FileSystem& files, const std::string& path) {
  const std::string parent(ParentPath(path));
  if (files.Inspect(parent)) return {};
  BELAY_TRY(MakeParents(files, parent));
  const Result<void> made = files.CreateFolder(parent, kFolderMode);
  return made || files.Inspect(parent) ? Result<void>() : made;
}

// Removes the folders that became empty between a path and the top.
void RemoveEmptyParents(FileSystem& files, const CheckoutPlan& plan, const PathMove& move) {
  for (std::string_view above = ParentPath(move.path); above != "."; above = ParentPath(above)) {
    if (!files.RemoveEmptyFolder(JoinPath(plan.folder, above))) return;
  }
}

// Whether a git with this command line may be about to lock the index. The listed commands never
// do, and a pager may keep them running for long.
bool MayWriteIndex(std::string_view command) {
  constexpr std::array kReaders = {"log",      "show", "cat-file", "rev-list", "ls-tree",
                                   "ls-files", "grep", "blame",    "shortlog", "reflog",
                                   "fetch",    "push", "clone",    "config",   "for-each-ref"};
  for (const std::string_view word : Split(command.substr(0, command.find(" -- ")), ' ')) {
    const bool is_program = word.data() == command.data();
    if (is_program || word.starts_with('-') || word.empty()) continue;
    // The first plain word is the command, or the value of an option like -C: then it isn't in the
    // list.
    return std::ranges::find(kReaders, word) == kReaders.end();
  }
  return true;
}

// Never replaces a file: kRefused. Not every file system can guarantee that.
Result<void> MoveNew(FileSystem& files, const std::string& from, const std::string& to) {
  Result<void> moved = files.RenameNew(from, to);
  if (moved || moved.error().code == ErrorCode::kRefused) return moved;
  if (files.Inspect(to)) return Error{ErrorCode::kRefused, fmt::format("{} exists", to)};
  return files.Rename(from, to);
}

bool IsReplaced(const PathMove& move) { return move.comes.IsThere() && move.goes.IsThere(); }

// False when it isn't the file that was inspected.
Result<bool> PutAside(FileSystem& files, const CheckoutPlan& plan, std::size_t number) {
  const PathMove& move = plan.moves[number];
  if (!IsUntouched(files, plan.InCheckout(move), move.goes)) return false;
  const Result<void> moved = files.Rename(plan.InCheckout(move), plan.Aside(number));
  if (IsMissing(moved)) return false;
  if (!moved) return moved.error();
  return HasMarked(files, plan.Aside(number), move.goes);
}

// Removed paths make room first, with their empty folders.
Result<std::string> TakeOut(FileSystem& files, const CheckoutPlan& plan) {
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    const PathMove& move = plan.moves[i];
    if (move.comes.IsThere()) continue;
    BELAY_TRY_ASSIGN(const bool aside, PutAside(files, plan, i));
    if (!aside) return move.path;
    RemoveEmptyParents(files, plan, move);
  }
  return std::string();
}

bool IsFolder(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> info = files.Inspect(path);
  return info && info->kind == FileKind::kFolder;
}

// Removes a folder that holds only folders; never a file.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the folder.
bool RemoveEmptyFolders(FileSystem& files, const std::string& path) {
  const Result<std::vector<std::string>> names = files.List(path);
  if (!names) return false;
  for (const std::string& name : *names) {
    if (!RemoveEmptyFolders(files, JoinPath(path, name))) return false;
  }
  return files.RemoveEmptyFolder(path).ok();
}

Result<bool> BringNew(FileSystem& files, const CheckoutPlan& plan, const PathMove& move) {
  const std::string path = plan.InCheckout(move);
  BELAY_TRY(MakeParents(files, path));
  Result<void> moved = MoveNew(files, plan.Ready(move), path);
  if (!moved && moved.error().code == ErrorCode::kRefused && IsFolder(files, path)) {
    if (IsFolder(files, plan.Ready(move))) return true;  // a submodule's, already there
    if (RemoveEmptyFolders(files, path)) moved = MoveNew(files, plan.Ready(move), path);
  }
  if (!moved && moved.error().code == ErrorCode::kRefused) return false;
  if (!moved) return moved.error();
  return true;
}

// The two files change places, so that the path always has one. Where the file system can't do
// that, it is missing for a moment.
Result<bool> Replace(FileSystem& files, const CheckoutPlan& plan, std::size_t number) {
  const PathMove& move = plan.moves[number];
  if (!IsUntouched(files, plan.InCheckout(move), move.goes)) return false;
  if (files.RenameSwap(plan.Ready(move), plan.InCheckout(move))) {
    return HasMarked(files, plan.Ready(move), move.goes);
  }
  BELAY_TRY_ASSIGN(const bool aside, PutAside(files, plan, number));
  if (!aside) return false;
  return BringNew(files, plan, move);
}

Result<std::string> BringIn(FileSystem& files, const CheckoutPlan& plan) {
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    const PathMove& move = plan.moves[i];
    if (!move.comes.IsThere()) continue;
    BELAY_TRY_ASSIGN(const bool in,
                     IsReplaced(move) ? Replace(files, plan, i) : BringNew(files, plan, move));
    if (!in) return move.path;
  }
  return std::string();
}

// Where the replaced file is now.
std::string OldOf(const FileSystem& files, const CheckoutPlan& plan, std::size_t number) {
  const PathMove& move = plan.moves[number];
  const bool swapped = IsReplaced(move) && !files.Inspect(plan.Aside(number));
  return swapped ? plan.Ready(move) : plan.Aside(number);
}

// The first path whose old file was written to by an editor that had it open. Empty: none.
std::string TouchedOld(const FileSystem& files, const CheckoutPlan& plan) {
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    const PathMove& move = plan.moves[i];
    if (!move.goes.IsThere()) continue;
    if (!HasMarked(files, OldOf(files, plan, i), move.goes)) return move.path;
  }
  return {};
}

// Returns its name there.
Result<std::string> KeepBeside(FileSystem& files, const std::string& old, const std::string& path) {
  for (int number = 1;; ++number) {
    const std::string name =
        path + ".kept-by-belay" + (number == 1 ? "" : fmt::format(".{}", number));
    const Result<void> moved = MoveNew(files, old, name);
    if (moved) return name;
    if (moved.error().code != ErrorCode::kRefused || number == kMostKept) return moved.error();
  }
}

// The user has written a new file to a path. The content of the old one is in git, or is also the
// user's and is kept beside it.
Result<void> KeepOld(FileSystem& files, const CheckoutPlan& plan, const PathMove& move,
                     const std::string& old) {
  if (!files.Inspect(old) || HasMarked(files, old, move.goes)) return {};
  BELAY_TRY(KeepBeside(files, old, plan.InCheckout(move)));
  return {};
}

Result<void> PutBack(FileSystem& files, const CheckoutPlan& plan, std::size_t number) {
  const PathMove& move = plan.moves[number];
  if (!files.Inspect(plan.Aside(number))) return {};
  BELAY_TRY(MakeParents(files, plan.InCheckout(move)));
  Result<void> moved = MoveNew(files, plan.Aside(number), plan.InCheckout(move));
  if (moved || moved.error().code != ErrorCode::kRefused) return moved;
  return KeepOld(files, plan, move, plan.Aside(number));
}

Result<void> UndoReplace(FileSystem& files, const CheckoutPlan& plan, std::size_t number) {
  const PathMove& move = plan.moves[number];
  const std::string path = plan.InCheckout(move);
  const bool is_new = HasMarked(files, path, move.comes);
  if (files.Inspect(plan.Aside(number))) {
    if (is_new) BELAY_TRY(files.Rename(path, plan.Ready(move)));
    return PutBack(files, plan, number);
  }
  if (HasMarked(files, plan.Ready(move), move.comes)) return {};  // they never changed places
  if (is_new) return files.RenameSwap(plan.Ready(move), path);
  return KeepOld(files, plan, move, plan.Ready(move));
}

Result<void> UndoNew(FileSystem& files, const CheckoutPlan& plan, const PathMove& move) {
  const std::string path = plan.InCheckout(move);
  if (files.Inspect(plan.Ready(move)) || !HasMarked(files, path, move.comes)) return {};
  BELAY_TRY(files.Rename(path, plan.Ready(move)));
  RemoveEmptyParents(files, plan, move);
  return {};
}

}  // namespace

Result<void> LockIndex(FileSystem& files, const CheckoutPlan& plan) {
  Result<void> locked = MoveNew(files, plan.ReadyLock(), plan.Lock());
  if (locked || locked.error().code != ErrorCode::kRefused) return locked;
  return Error{ErrorCode::kBusy,
               fmt::format("another git process is running there: {} exists", plan.Lock())};
}

bool IsLockedByUs(const FileSystem& files, const CheckoutPlan& plan) {
  const Result<std::string> text = files.Read(plan.Lock(), kMostLock);
  return text && *text == plan.lock_text;
}

void AwaitEarlyReaders(const FileSystem& files, const CheckoutPlan& plan) {
  const Result<std::string> folder = files.Resolve(plan.folder);
  const SystemClock clock;
  const MonotonicTime end = clock.Monotonic() + kReaderPatience;
  for (Process& git : YoungLeaves("git", folder ? *folder : plan.folder, kYoung)) {
    const Duration left = end - clock.Monotonic();
    if (left <= Duration::zero()) return;
    if (MayWriteIndex(CommandLineOf(git.pid(), kMostCommand))) (void)git.WaitAtMost(left);
  }
}

Result<bool> HoldIndexAgain(FileSystem& files, const CheckoutPlan& plan, bool target_is_as_before) {
  if (IsLockedByUs(files, plan)) return true;
  const bool known = IsInstalled(files, plan) || HasMarked(files, plan.Index(), plan.old_index) ||
                     HasMarked(files, plan.Index(), plan.old_copy);
  if ((!known && !target_is_as_before) || !files.Inspect(plan.staging)) return false;
  {
    BELAY_TRY_ASSIGN(File file, files.OpenForWriting(plan.ReadyLock(), 0600));
    BELAY_TRY(file.Truncate(0));
    BELAY_TRY(file.Write(plan.lock_text));
    BELAY_TRY(file.Sync());
  }
  BELAY_TRY(LockIndex(files, plan));
  return true;
}

Result<void> UnlockIndex(FileSystem& files, const CheckoutPlan& plan) {
  if (!IsLockedByUs(files, plan)) return {};
  return files.RemoveFile(plan.Lock());
}

Result<std::string> InstallCheckout(FileSystem& files, const CheckoutPlan& plan) {
  BELAY_TRY_ASSIGN(std::string stopped_at, TakeOut(files, plan));
  if (stopped_at.empty()) {
    BELAY_TRY_ASSIGN(stopped_at, BringIn(files, plan));
  }
  if (stopped_at.empty()) stopped_at = TouchedOld(files, plan);
  if (stopped_at.empty()) BELAY_TRY(files.Rename(plan.ReadyIndex(), plan.Index()));
  return stopped_at;
}

// The index comes last.
bool IsInstalled(const FileSystem& files, const CheckoutPlan& plan) {
  return HasMarked(files, plan.Index(), plan.index);
}

bool WasInstalled(const FileSystem& files, const CheckoutPlan& plan) {
  if (IsInstalled(files, plan)) return true;
  return !files.Inspect(plan.ReadyIndex()) && files.Inspect(plan.OldIndex()).ok();
}

Result<void> UndoInstall(FileSystem& files, const CheckoutPlan& plan) {
  if (IsInstalled(files, plan)) BELAY_TRY(files.Rename(plan.OldIndex(), plan.Index()));
  for (const PathMove& move : plan.moves) {
    if (move.comes.IsThere() && !move.goes.IsThere()) BELAY_TRY(UndoNew(files, plan, move));
  }
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    BELAY_TRY(IsReplaced(plan.moves[i]) ? UndoReplace(files, plan, i) : PutBack(files, plan, i));
  }
  return {};
}

Result<std::vector<std::string>> KeepLateWrites(FileSystem& files, const CheckoutPlan& plan) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    const PathMove& move = plan.moves[i];
    const std::string old = OldOf(files, plan, i);
    const Result<FileInfo> info = files.Inspect(old);
    if (!move.goes.IsThere() || !info || info->kind != FileKind::kFile) continue;
    if (HasMarked(files, old, move.goes) || HasMarked(files, old, move.comes)) continue;
    BELAY_TRY(MakeParents(files, plan.InCheckout(move)));
    BELAY_TRY_ASSIGN(std::string name, KeepBeside(files, old, plan.InCheckout(move)));
    kept.push_back(std::move(name));
  }
  return kept;
}

}  // namespace belay
