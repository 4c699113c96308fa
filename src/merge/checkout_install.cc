#include "merge/checkout_install.h"

#include <fmt/core.h>

#include <vector>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostLock = 4096;
constexpr std::uint32_t kFolderMode = 0777;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the path.
Result<void> MakeParents(FileSystem& files, const std::string& path) {
  const std::string parent(ParentPath(path));
  if (files.Inspect(parent)) return {};
  BELAY_TRY(MakeParents(files, parent));
  const Result<void> made = files.CreateFolder(parent, kFolderMode);
  return made || files.Inspect(parent) ? Result<void>() : made;
}

// Of what is left empty between a path and the top.
void RemoveEmptyParents(FileSystem& files, const CheckoutPlan& plan, const PathMove& move) {
  for (std::string_view above = ParentPath(move.path); above != "."; above = ParentPath(above)) {
    if (!files.RemoveEmptyFolder(JoinPath(plan.folder, above))) return;
  }
}

// Replaces nothing: kRefused. Not every file system can promise that.
Result<void> MoveNew(FileSystem& files, const std::string& from, const std::string& to) {
  Result<void> moved = files.RenameNew(from, to);
  if (moved || moved.error().code == ErrorCode::kRefused) return moved;
  if (files.Inspect(to)) return Error{ErrorCode::kRefused, fmt::format("{} is there", to)};
  return files.Rename(from, to);
}

Result<bool> PutAside(FileSystem& files, const CheckoutPlan& plan) {
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    const PathMove& move = plan.moves[i];
    if (!move.goes.IsThere()) continue;
    if (!IsUntouched(files, plan.InCheckout(move), move.goes)) return false;
    const Result<void> moved = files.Rename(plan.InCheckout(move), plan.Aside(i));
    if (!moved && moved.error().code == ErrorCode::kNotFound) return false;
    if (!moved) return moved.error();
    if (!HasMarked(files, plan.Aside(i), move.goes)) return false;
    if (!move.comes.IsThere()) RemoveEmptyParents(files, plan, move);
  }
  return true;
}

Result<bool> BringIn(FileSystem& files, const CheckoutPlan& plan) {
  for (const PathMove& move : plan.moves) {
    if (!move.comes.IsThere()) continue;
    BELAY_TRY(MakeParents(files, plan.InCheckout(move)));
    const Result<void> moved = MoveNew(files, plan.Ready(move), plan.InCheckout(move));
    if (!moved && moved.error().code == ErrorCode::kRefused) return false;
    if (!moved) return moved.error();
  }
  return true;
}

// An editor that had a file open may have written to it after it was put aside.
bool IsAsideUntouched(const FileSystem& files, const CheckoutPlan& plan) {
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    const FileMark& goes = plan.moves[i].goes;
    if (goes.IsThere() && !HasMarked(files, plan.Aside(i), goes)) return false;
  }
  return true;
}

// What was put aside goes back where it was. If something new is there by now, that stays; and so
// does what a person has written into the old file, beside it.
Result<void> PutBack(FileSystem& files, const CheckoutPlan& plan, std::size_t number) {
  const PathMove& move = plan.moves[number];
  if (!files.Inspect(plan.Aside(number))) return {};
  BELAY_TRY(MakeParents(files, plan.InCheckout(move)));
  Result<void> moved = MoveNew(files, plan.Aside(number), plan.InCheckout(move));
  if (moved || moved.error().code != ErrorCode::kRefused) return moved;
  if (HasMarked(files, plan.Aside(number), move.goes)) return {};  // git has that
  return MoveNew(files, plan.Aside(number), plan.InCheckout(move) + ".kept-by-belay");
}

}  // namespace

Result<void> LockIndex(FileSystem& files, const CheckoutPlan& plan) {
  Result<void> locked = MoveNew(files, plan.ReadyLock(), plan.Lock());
  if (locked || locked.error().code != ErrorCode::kRefused) return locked;
  return Error{ErrorCode::kBusy, fmt::format("git is at work there: {} exists", plan.Lock())};
}

bool IsLockedByUs(const FileSystem& files, const CheckoutPlan& plan) {
  const Result<std::string> text = files.Read(plan.Lock(), kMostLock);
  return text && *text == plan.lock_text;
}

Result<bool> HoldIndexAgain(FileSystem& files, const CheckoutPlan& plan) {
  if (IsLockedByUs(files, plan)) return true;
  const bool known = IsInstalled(files, plan) || HasMarked(files, plan.Index(), plan.old_index) ||
                     HasMarked(files, plan.Index(), plan.old_copy);
  if (!known || !files.Inspect(plan.staging)) return false;
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

Result<bool> InstallCheckout(FileSystem& files, const CheckoutPlan& plan) {
  BELAY_TRY_ASSIGN(const bool aside, PutAside(files, plan));
  if (!aside) return false;
  BELAY_TRY_ASSIGN(const bool in, BringIn(files, plan));
  if (!in || !IsAsideUntouched(files, plan)) return false;
  BELAY_TRY(files.Rename(plan.ReadyIndex(), plan.Index()));
  return true;
}

// The index comes last.
bool IsInstalled(const FileSystem& files, const CheckoutPlan& plan) {
  return HasMarked(files, plan.Index(), plan.index);
}

Result<void> UndoInstall(FileSystem& files, const CheckoutPlan& plan) {
  if (IsInstalled(files, plan)) BELAY_TRY(files.Rename(plan.OldIndex(), plan.Index()));
  for (const PathMove& move : plan.moves) {
    const std::string path = plan.InCheckout(move);
    if (!move.comes.IsThere() || files.Inspect(plan.Ready(move))) continue;
    if (!HasMarked(files, path, move.comes)) continue;  // a person's by now, or not there yet
    BELAY_TRY(files.Rename(path, plan.Ready(move)));
    if (!move.goes.IsThere()) RemoveEmptyParents(files, plan, move);
  }
  for (std::size_t i = 0; i < plan.moves.size(); ++i) BELAY_TRY(PutBack(files, plan, i));
  return {};
}

}  // namespace belay
