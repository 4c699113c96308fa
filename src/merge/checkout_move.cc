#include "merge/checkout_move.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "adapters/git/checkout_facts.h"
#include "adapters/git/refs.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "merge/checkout_install.h"
#include "merge/checkout_prepare.h"
#include "merge/entry_refs.h"
#include "merge/failure_cause.h"
#include "merge/move_note.h"
#include "os/clock.h"
#include "os/rescue_process.h"
#include "store/durable_file.h"
#include "store/state_lock.h"

namespace belay {
namespace {

constexpr std::size_t kMostNote = std::size_t{1} << 30U;
constexpr int kTries = 25;
constexpr Duration kBetweenTries = std::chrono::milliseconds(40);
constexpr Duration kRescueProcessPatience = std::chrono::seconds(10);
constexpr int kRefTries = 15;  // each waits a little for the lock of the ref

bool IsThere(const FileSystem& files, const GitWorktree& worktree) {
  return !worktree.is_bare && !worktree.is_prunable && !worktree.git_folder.empty() &&
         files.Inspect(worktree.folder).ok();
}

// Returns the files that were kept because a program wrote to them late.
Result<std::vector<std::string>> Cleanup(FileSystem& files, const Layout& project,
                                         const MoveNote& note) {
  std::vector<std::string> kept;
  for (const CheckoutPlan& plan : note.checkouts) {
    BELAY_TRY_ASSIGN(const std::vector<std::string> late, KeepLateWrites(files, plan));
    kept.insert(kept.end(), late.begin(), late.end());
    if (plan.files_folder != plan.staging) BELAY_TRY(files.RemoveTree(plan.files_folder));
  }
  BELAY_TRY(files.RemoveTree(project.CheckoutMoveNote()));
  BELAY_TRY(files.RemoveTree(project.CheckoutMoveFolder()));
  return kept;
}

// First everything is undone, then the locks are removed: so a missing lock shows that the rest is
// done.
Result<void> UndoAll(FileSystem& files, const std::vector<CheckoutPlan>& plans) {
  for (const CheckoutPlan& plan : plans) {
    const bool seen = IsInstalled(files, plan);
    BELAY_TRY(UndoInstall(files, plan));
    if (seen) AwaitEarlyReaders(files, plan);
  }
  for (const CheckoutPlan& plan : plans) BELAY_TRY(UnlockIndex(files, plan));
  return {};
}

Result<void> UnlockAll(FileSystem& files, const std::vector<CheckoutPlan>& plans) {
  for (const CheckoutPlan& plan : plans) BELAY_TRY(UnlockIndex(files, plan));
  return {};
}

// Each has its new index by now.
Result<void> UnlockMoved(FileSystem& files, const std::vector<CheckoutPlan>& plans) {
  for (const CheckoutPlan& plan : plans) AwaitEarlyReaders(files, plan);
  return UnlockAll(files, plans);
}

// The git folder of the first checkout whose index is locked; empty: none.
std::string HeldIndex(const FileSystem& files, const std::vector<BranchUse>& uses) {
  for (const BranchUse& use : uses) {
    const bool used = use.kind == BranchUse::Kind::kCheckedOut && IsThere(files, use.worktree);
    if (used && files.Inspect(JoinPath(use.worktree.git_folder, "index.lock"))) {
      return use.worktree.git_folder;
    }
  }
  return {};
}

std::string BusyLine(const std::string& target, const std::string& git_folder) {
  return fmt::format(
      "another git process is running in a checkout of {}: {} exists; the entry lands "
      "automatically when that file is gone (if no git process is running there, remove it)",
      target, JoinPath(git_folder, "index.lock"));
}

std::string RebasedLine(const std::string& target, const BranchUse& use) {
  return fmt::format(
      "{} is being rebased in {}; the entry lands automatically when the rebase is done", target,
      use.worktree.folder);
}

std::string HiddenLine(const std::string& target) {
  return fmt::format(
      "{} is checked out in a folder that git doesn't list; the entry lands when you run belay "
      "there",
      target);
}

// The files there keep changing.
std::string ChangingLine(const std::string& target, const std::string& folder,
                         const std::string& path) {
  return fmt::format(
      "files in the checkout of {} in {} keep changing{}; the entry lands automatically when they "
      "stop",
      target, folder, path.empty() ? "" : fmt::format(", or {} is blocked", Quote(path)));
}

std::string BranchOf(const MoveNote& note) {
  return note.ref.substr(std::string_view("refs/heads/").size());
}

std::string KeptLine(const std::vector<std::string>& kept) {
  return fmt::format("a program wrote to files while belay replaced them; its output is in {}",
                     Join(kept, ", "));
}

RefMove MoveOf(const MoveNote& note) { return {note.ref, note.from, note.to, note.reason}; }

RecoveryEnv RecoveryOf(const MergeEnv& env) {
  return {env.files, env.git, env.project, env.common_folder};
}

// Whether one of our gits was killed and left locks.
bool FreeLocksOf(const RecoveryEnv& env, const MoveNote& note) {
  const Result<FileInfo> written = env.files.Inspect(env.project.CheckoutMoveNote());
  return written && FreeRefLocks(env.files, env.common_folder, note, written->modified);
}

// Moves one target, once.
class Advancer {
 public:
  enum class Try { kMoved, kAgain, kBusy };

  Advancer(const MergeEnv& env, const TargetAdvance& advance) : env_(env), advance_(advance) {
    note_.ref = BranchRef(advance.target);
    note_.from = advance.from;
    note_.to = advance.to;
    note_.reason = advance.reason;
    note_.moves_ref = advance.moves_ref;
  }

  Result<AdvanceEnd> Run(std::span<const GitWorktree> worktrees);

 private:
  Result<std::optional<AdvanceEnd>> MakeReady(const std::vector<BranchUse>& uses);
  Result<void> DetachMissing();
  Result<void> Detach(const GitWorktree& worktree) const;
  Result<Try> TryOnce();
  Result<Try> TryGuarded();
  Result<Try> MoveLocked();
  Result<bool> InstallAll();
  Result<AdvanceEnd> CantFollow(const Error& error) const;
  Result<AdvanceEnd> AfterFailure(const Error& error) const;
  std::string WhyAgain(Try tried) const;
  void Report() const;

  const MergeEnv& env_;
  const TargetAdvance& advance_;
  MoveNote note_;
  std::vector<PreparedCheckout> ready_;
  std::vector<GitWorktree> missing_;  // checkouts whose folder doesn't exist
  std::set<std::string> detached_;    // their git folders
  bool unknown_ = false;              // whether the target has moved
  std::string changing_;              // the path at which the last try gave up
  std::optional<Error> trouble_;      // with a checkout, in the last try
};

// A checkout whose folder is elsewhere now, moved or on a disk that isn't mounted, can't follow.
// Its next commit would undo what lands, so it is detached at its present commit.
Result<void> Advancer::Detach(const GitWorktree& worktree) const {
  if (worktree.git_folder.empty() || worktree.is_main || !advance_.moves_ref) return {};
  GitCall call{.arguments = {"update-ref", "--no-deref", "-m", "belay: its folder doesn't exist",
                             "HEAD", advance_.from.text()}};
  call.environment.insert_or_assign("GIT_DIR", worktree.git_folder);
  BELAY_TRY(env_.git.In(env_.common_folder).Run(call));
  const std::string text = fmt::format(
      "{} was checked out in {}, which doesn't exist: belay detached that checkout at {}, so that "
      "its next commit can't undo what lands; once it is back, run git switch {} there",
      advance_.target, worktree.folder, advance_.from.Short(), advance_.target);
  env_.say(text);
  NotifyPerson(env_, text);
  return {};
}

Result<void> Advancer::DetachMissing() {
  for (const GitWorktree& worktree : missing_) {
    if (detached_.insert(worktree.git_folder).second) BELAY_TRY(Detach(worktree));
  }
  return {};
}

Result<AdvanceEnd> Advancer::CantFollow(const Error& error) const {
  if (AffectsEveryEntry(env_, error) || WasKilled(error)) return error;
  return AdvanceEnd{AdvanceEnd::Kind::kCantFollow, error.message};
}

Result<std::optional<AdvanceEnd>> Advancer::MakeReady(const std::vector<BranchUse>& uses) {
  ready_.clear();
  missing_.clear();
  note_.checkouts.clear();
  for (const BranchUse& use : uses) {
    if (use.kind == BranchUse::Kind::kBisected) continue;
    if (use.worktree.is_hidden) {
      return AdvanceEnd{AdvanceEnd::Kind::kWaits, HiddenLine(advance_.target)};
    }
    if (!IsThere(env_.files, use.worktree)) {
      if (use.kind == BranchUse::Kind::kCheckedOut) missing_.push_back(use.worktree);
      continue;
    }
    if (use.kind == BranchUse::Kind::kRebased) {
      return AdvanceEnd{AdvanceEnd::Kind::kWaits, RebasedLine(advance_.target, use)};
    }
    Result<PreparedCheckout> ready =
        PrepareCheckout(env_, advance_, use.worktree, ready_.size(), true);
    if (!ready) {
      BELAY_TRY_ASSIGN(AdvanceEnd end, CantFollow(ready.error()));
      return end;
    }
    if (ready->elsewhere) return AdvanceEnd{AdvanceEnd::Kind::kElsewhere};
    if (!ready->why_not.empty()) return AdvanceEnd{AdvanceEnd::Kind::kWaits, ready->why_not};
    note_.checkouts.push_back(ready->plan);
    ready_.push_back(*std::move(ready));
  }
  return std::nullopt;
}

Result<bool> Advancer::InstallAll() {
  for (const PreparedCheckout& ready : ready_) {
    const Result<std::string> stopped_at = InstallCheckout(env_.files, ready.plan);
    if (!stopped_at) {
      trouble_ = CheckoutTrouble(advance_.target, ready.plan.folder, stopped_at.error());
      return *trouble_;
    }
    changing_ = *stopped_at;
    if (!changing_.empty()) return false;
  }
  return true;
}

// An error may come when the target has moved already; as long as that is unknown, everything stays
// locked, and the next run finds out.
Result<Advancer::Try> Advancer::MoveLocked() {
  for (const PreparedCheckout& ready : ready_) {
    if (!StillFits(env_.files, ready, note_.ref)) return Try::kAgain;
  }
  const auto install = [this] { return InstallAll(); };
  const Result<bool> moved =
      note_.moves_ref
          ? MoveRefAround(env_.git, env_.files, env_.common_folder, MoveOf(note_), install)
          : install();
  if (moved) return *moved ? Try::kMoved : Try::kAgain;
  if (!note_.moves_ref) return moved.error();
  const bool was_killed = FreeLocksOf(RecoveryOf(env_), note_);
  const Result<ObjectId> tip = BranchTip(env_, advance_.target);
  if (!tip) unknown_ = true;
  if (tip && *tip == note_.to) return Try::kMoved;
  return was_killed && tip ? Result<Try>(Try::kAgain) : moved.error();
}

Result<Advancer::Try> Advancer::TryOnce() {
  for (const CheckoutPlan& plan : note_.checkouts) {
    const Result<void> locked = LockIndex(env_.files, plan);
    if (locked) continue;
    BELAY_TRY(UnlockAll(env_.files, note_.checkouts));
    return locked.error().code == ErrorCode::kBusy ? Result<Try>(Try::kBusy) : locked.error();
  }
  Result<Try> moved = MoveLocked();
  if (moved && *moved == Try::kMoved) {
    BELAY_TRY(UnlockMoved(env_.files, note_.checkouts));
    return Try::kMoved;
  }
  if (!unknown_) BELAY_TRY(UndoAll(env_.files, note_.checkouts));
  return moved;
}

// Reports what the user has to do although the move succeeded.
void Advancer::Report() const {
  for (const PreparedCheckout& ready : ready_) {
    const std::string& folder = ready.plan.folder;
    if (!ready.kept.empty()) {
      const std::string text = fmt::format(
          "{} has moved, and {} in {} {} changed there too: now unmerged, with your version in the "
          "files. Merge both sides, then run git add; git commit -a would overwrite what has "
          "landed",
          advance_.target, Join(ready.kept, ", "), folder, ready.kept.size() == 1 ? "is" : "are");
      env_.say(text);
      NotifyPerson(env_, text);
    }
    if (!ready.modules.empty()) {
      env_.say(fmt::format("{} has new submodule commits: run git -C {} submodule update",
                           advance_.target, ShellQuoted(folder)));
    }
  }
}

// With the note on the disk, and a stand-in process that finishes after a kill.
Result<Advancer::Try> Advancer::TryGuarded() {
  BELAY_TRY(ReplaceFile(env_.files, env_.project.CheckoutMoveNote(), WriteMoveNote(note_)));
  const RecoveryEnv recovery = RecoveryOf(env_);
  BELAY_TRY_ASSIGN(RescueProcess rescue,
                   RescueProcess::Start([&] { (void)RecoverMove(recovery); }));
  Result<Try> tried = TryOnce();
  // The next run needs what couldn't be undone.
  const bool over = std::ranges::none_of(
      note_.checkouts, [&](const CheckoutPlan& plan) { return IsLockedByUs(env_.files, plan); });
  const Result<std::vector<std::string>> clean =
      over ? Cleanup(env_.files, env_.project, note_) : std::vector<std::string>();
  rescue.Dismiss();
  if (clean && !clean->empty()) env_.say(KeptLine(*clean));
  if (clean || !tried) return tried;
  if (*tried != Try::kMoved) return clean.error();
  env_.say(clean.error().message);  // the next run does it
  return tried;
}

Result<AdvanceEnd> Advancer::AfterFailure(const Error& error) const {
  const bool undone = !IsMoveUnfinished(env_.files, env_.project);
  return trouble_ && undone ? CantFollow(*trouble_) : error;
}

std::string Advancer::WhyAgain(Try tried) const {
  const CheckoutPlan& first = ready_.front().plan;
  return tried == Try::kBusy ? BusyLine(advance_.target, first.git_folder)
                             : ChangingLine(advance_.target, first.folder, changing_);
}

Result<AdvanceEnd> Advancer::Run(std::span<const GitWorktree> worktrees) {
  const std::vector<BranchUse> uses = FindBranchUses(env_.files, worktrees, note_.ref);
  std::string busy;
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) SleepFor(kBetweenTries);
    const std::string held = HeldIndex(env_.files, uses);
    busy = BusyLine(advance_.target, held);
    if (!held.empty()) continue;
    BELAY_TRY_ASSIGN(const std::optional<AdvanceEnd> end, MakeReady(uses));
    if (end) {
      BELAY_TRY(Cleanup(env_.files, env_.project, note_));
      return *end;
    }
    BELAY_TRY(DetachMissing());
    changing_.clear();
    const Result<Try> tried = TryGuarded();
    if (!tried) return AfterFailure(tried.error());
    if (*tried == Try::kMoved) {
      Report();
      return AdvanceEnd{AdvanceEnd::Kind::kMoved};
    }
    if (!ready_.empty()) busy = WhyAgain(*tried);  // else one of our gits was killed
  }
  return AdvanceEnd{AdvanceEnd::Kind::kWaits, busy};
}

bool IsEveryInstalled(const FileSystem& files, const std::vector<CheckoutPlan>& plans) {
  return std::ranges::all_of(plans,
                             [&](const CheckoutPlan& plan) { return WasInstalled(files, plan); });
}

// A git that was started to move the target may still do it: so first we move the target here, or
// make sure that it is elsewhere, before anything is decided.
Result<bool> FinishTarget(const RecoveryEnv& env, const MoveNote& note) {
  for (int tries = 0; tries < kRefTries; ++tries) {
    if (MoveRef(env.git, env.files, env.common_folder, MoveOf(note))) return true;
    BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(env, BranchOf(note)));
    if (tip == note.from) continue;
    if (tip.IsNone()) return false;
    return IsInHistory(env.git, note.to.text(), tip.text());
  }
  return false;  // a lock of the ref that is never released: the queue tries again later
}

}  // namespace

Result<AdvanceEnd> AdvanceWithCheckouts(const MergeEnv& env, const TargetAdvance& advance,
                                        std::span<const GitWorktree> worktrees) {
  return Advancer(env, advance).Run(worktrees);
}

Result<std::string> WhyCheckoutsWait(const MergeEnv& env, const TargetAdvance& advance,
                                     std::span<const GitWorktree> worktrees, WaitCheck check) {
  const std::vector<BranchUse> uses =
      FindBranchUses(env.files, worktrees, BranchRef(advance.target));
  const std::string held = HeldIndex(env.files, uses);
  if (!held.empty()) return BusyLine(advance.target, held);
  for (const BranchUse& use : uses) {
    if (use.kind == BranchUse::Kind::kRebased) return RebasedLine(advance.target, use);
    if (use.worktree.is_hidden) return HiddenLine(advance.target);
    if (use.kind != BranchUse::Kind::kCheckedOut || !IsThere(env.files, use.worktree)) continue;
    BELAY_TRY_ASSIGN(const PreparedCheckout ready,
                     PrepareCheckout(env, advance, use.worktree, 0, check == WaitCheck::kStage));
    if (!ready.why_not.empty()) return ready.why_not;
    if (check == WaitCheck::kStage) BELAY_TRY(DropStaged(env.files, ready.plan));
  }
  return std::string();
}

bool IsMoveUnfinished(const FileSystem& files, const Layout& project) {
  return files.Inspect(project.CheckoutMoveNote()).ok();
}

Result<std::string> RecoverMove(const RecoveryEnv& env) {
  BELAY_TRY_ASSIGN(const std::optional<std::string> text,
                   IfThere(env.files.Read(env.project.CheckoutMoveNote(), kMostNote)));
  if (!text) return std::string();
  BELAY_TRY_ASSIGN(MoveNote note, ParseMoveNote(*text));
  (void)FreeLocksOf(env, note);
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(env, BranchOf(note)));
  std::vector<CheckoutPlan> held;
  for (const CheckoutPlan& plan : note.checkouts) {
    const bool as_before = note.moves_ref && tip == note.from;
    BELAY_TRY_ASSIGN(const bool holds, HoldIndexAgain(env.files, plan, as_before));
    if (holds) held.push_back(plan);
  }
  std::string said;
  if (!held.empty()) {
    bool moved = IsEveryInstalled(env.files, held);
    if (moved && note.moves_ref) {
      BELAY_TRY_ASSIGN(moved, FinishTarget(env, note));
    }
    BELAY_TRY(moved ? UnlockMoved(env.files, held) : UndoAll(env.files, held));
    said = fmt::format("a move of {} to {} was interrupted in {}: {}", note.ref, note.to.Short(),
                       held.front().folder, moved ? "finished" : "undone");
  }
  BELAY_TRY_ASSIGN(const std::vector<std::string> kept, Cleanup(env.files, env.project, note));
  if (!kept.empty()) said += (said.empty() ? "" : "; ") + KeptLine(kept);
  return said;
}

Result<std::string> FinishInterruptedMove(const RecoveryEnv& env) {
  if (!IsMoveUnfinished(env.files, env.project)) return std::string();
  BELAY_TRY_ASSIGN(
      const StateLock lock,
      StateLock::Acquire(env.files, env.project.LockFile(kMergeRunLock), kRescueProcessPatience));
  return RecoverMove(env);
}

}  // namespace belay
