#include "merge/landing.h"

#include <fmt/core.h>

#include <utility>

#include "adapters/git/follow_checkout.h"
#include "adapters/git/objects.h"
#include "base/utf8.h"
#include "engine/merge/merge_text.h"
#include "engine/merge/queue_order.h"
#include "merge/checkout_move.h"
#include "merge/entry_refs.h"
#include "merge/failure_cause.h"
#include "merge/finalize.h"
#include "merge/target_branch.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// A program that was being started when its belay was killed holds the lock until it begins.
constexpr Duration kPatience = std::chrono::milliseconds(200);
// A stand-in process holds it too, while it finishes the work of a killed belay.
constexpr Duration kLandingPatience = std::chrono::seconds(10);
constexpr int kMostKills = 4;  // of our git, while one entry lands
// consecutive ones of one entry: the user, or a gate, keeps moving things
constexpr int kMostBeginnings = 10;

std::string GoneLine(const MergeEntry& entry, const std::string& stands_for) {
  return fmt::format("the branch {} {}{}; its last commit is kept as {}", entry.branch,
                     stands_for.empty() ? "no longer exists" : "is now a symbolic ref to ",
                     stands_for, EntryRef(entry, "head"));
}

Result<void> Bring(const MergeEnv& env, const std::string& target, const GitWorktree& worktree,
                   const ObjectId& from, const ObjectId& tip) {
  const TargetAdvance advance{
      .target = target, .from = from, .to = tip, .moves_ref = false, .keep_blocked = true};
  const GitWorktree worktrees[] = {worktree};
  BELAY_TRY_ASSIGN(const AdvanceEnd end, AdvanceWithCheckouts(env, advance, worktrees));
  switch (end.kind) {
    case AdvanceEnd::Kind::kMoved:
      return ForgetBehind(env.files, worktree);
    case AdvanceEnd::Kind::kWaits:
    case AdvanceEnd::Kind::kCantFollow:
      env.say(fmt::format("{} is still behind {}: {}", worktree.folder, target, end.why));
      return {};
    case AdvanceEnd::Kind::kElsewhere:
      return {};
  }
  __builtin_unreachable();
}

}  // namespace

Result<Lander> Lander::Begin(const MergeEnv& env, MergeLedger& ledger) {
  const Duration patience = IsMoveUnfinished(env.files, env.project) ? kLandingPatience : kPatience;
  Result<StateLock> lock =
      StateLock::Acquire(env.files, env.project.LockFile(kMergeRunLock), patience);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    return Error{
        ErrorCode::kBusy,
        fmt::format("another process is already processing the queue: {}", lock.error().message),
        "belay merge-queue status shows its progress"};
  }
  if (!lock) return lock.error();
  for (const std::string& folder : {env.project.MergeFolder(), env.project.MergeLogFolder()}) {
    BELAY_TRY(EnsureFolder(env.files, folder));
  }
  // First of all, since git is blocked there.
  BELAY_TRY_ASSIGN(const std::string recovered,
                   RecoverMove({env.files, env.git, env.project, env.common_folder}));
  if (!recovered.empty()) env.say(recovered);
  Lander lander(env, ledger, *std::move(lock));
  BELAY_TRY(lander.gates_.EndLeftOnes());
  return lander;
}

Result<std::optional<MergeEntry>> Lander::LandNext(const std::string& target) {
  BELAY_TRY(ledger_.CatchUp());
  if (ledger_.book().Target(target).paused) return std::nullopt;
  BELAY_TRY(NoticeDrift(env_, ledger_, gates_, target));
  if (env_.interrupted()) return std::nullopt;
  if (const std::vector<LostWait> lost = LostWaits(ledger_.book(), target); !lost.empty()) {
    const std::string why = LostWaitLine(ledger_.book(), lost.front());
    const MergeEntry waiting = *lost.front().entry;
    BELAY_TRY_ASSIGN(const MergeEntry ended, Park(waiting, MergeStatus::kCancelled, why));
    BELAY_TRY_ASSIGN(MergeEntry finalized, Finalize(env_, ledger_, ended));
    return finalized;
  }
  for (;;) {
    const MergeEntry* next = NextEntry(ledger_.book(), target, env_.clock.Wall(), waited_);
    if (next == nullptr) return std::nullopt;
    BELAY_TRY_ASSIGN(MergeEntry landed, Land(*next));
    if (HasWaited(landed)) continue;  // others go on
    if (IsInQueue(landed.status)) return std::nullopt;
    return landed;
  }
}

// Stays queued when the target is paused.
Result<MergeEntry> Lander::Land(MergeEntry entry) {
  int beginnings = 0;
  int kills = 0;
  while (IsInQueue(entry.status)) {
    if (HasWaited(entry)) return entry;
    // An announced move is completed; it takes no time.
    if (entry.status != MergeStatus::kMerging && env_.interrupted()) return entry;
    BELAY_TRY(ledger_.CatchUp());
    if (ledger_.book().Target(entry.target).paused) return entry;
    Result<MergeEntry> taken = TakeStep(entry);
    // Each step can be repeated.
    const bool again = !taken && WasKilled(taken.error()) && ++kills < kMostKills &&
                       !IsMoveUnfinished(env_.files, env_.project);
    if (again) {
      BELAY_TRY(ledger_.CatchUp());
      entry = *ledger_.book().Find(entry.number);
      continue;
    }
    if (!taken) taken = AfterFailure(entry, taken.error());
    if (!taken) return taken.error();
    entry = *std::move(taken);
    const bool starts_over = entry.status == MergeStatus::kTargetMoved ||
                             entry.status == MergeStatus::kQueued ||
                             entry.status == MergeStatus::kRebasing;
    if (starts_over && ++beginnings == kMostBeginnings) {
      BELAY_TRY_ASSIGN(
          entry,
          Park(entry, MergeStatus::kGateUnrunnable,
               entry.status == MergeStatus::kRebasing
                   ? fmt::format("its candidate was lost {} times while git gc or git prune ran",
                                 beginnings)
                   : fmt::format("{} or {} moved {} times while it was tested", entry.branch,
                                 entry.target, beginnings)));
    }
  }
  BELAY_TRY_ASSIGN(entry, Finalize(env_, ledger_, entry, std::exchange(worktrees_, {})));
  return entry;
}

// Once the move of the target is announced, a failure is about that move, not about the entry.
Result<MergeEntry> Lander::AfterFailure(const MergeEntry& entry, const Error& error) {
  const MergeEntry* known = ledger_.book().Find(entry.number);
  if (known == nullptr || !IsInQueue(known->status) || known->status == MergeStatus::kMerging) {
    return error;
  }
  const MergeEntry now = *known;
  const bool built = now.status == MergeStatus::kTesting || IsWaiting(now.status);
  if (built && !IsTemporary(env_, error)) {
    BELAY_TRY_ASSIGN(const std::string missing, MissingOf(env_, now.candidate, now.base));
    if (!missing.empty() && IsTargetReadable(env_, now.target)) return BeginRebuild(now);
  }
  BELAY_TRY_ASSIGN(const std::string why, EntryProblem(env_, now, error));
  return Park(now, MergeStatus::kGateUnrunnable, why);
}

Result<MergeEntry> Lander::TakeStep(const MergeEntry& entry) {
  const std::string whole = std::exchange(whole_, {});  // valid just now, not later
  const auto check = !whole.empty() && whole == entry.candidate ? CandidateCheck::kWasJustRead
                                                                : CandidateCheck::kRead;
  BELAY_TRY_ASSIGN(const LandingFacts facts, ReadLandingFacts(env_, entry, check));
  if (facts.target_tip.empty()) {
    return NoTarget(env_.git, entry.target, entry.target == env_.settings.target);
  }
  switch (NextLandingStep(entry, facts)) {
    case LandingStep::kNothing:
      return entry;
    case LandingStep::kGone:
      return Park(entry, MergeStatus::kCancelled, GoneLine(entry, facts.branch_stands_for));
    case LandingStep::kTakeNewHead:
      return TakeNewHead(entry, facts.branch_tip);
    case LandingStep::kBuild:
      return Build(entry, facts.target_tip);
    case LandingStep::kTargetMoved:
      return StartOver(entry);
    case LandingStep::kTest:
      return Test(entry);
    case LandingStep::kAdvance:
      return Advance(entry);
    case LandingStep::kFinish:
      return Finish(entry, entry.candidate, "landed");
    case LandingStep::kRebuild:
      return BeginRebuild(entry);
    case LandingStep::kTryCheckout:
      return TryCheckout(entry, facts.target_tip);
  }
  __builtin_unreachable();
}

Result<MergeEntry> Lander::Park(const MergeEntry& entry, MergeStatus status,
                                const std::string& error) {
  return Update(entry, error, [&](MergeEntry& changed, const MergeTarget&) {
    changed.status = status;
    changed.last_error = error;
    changed.reported = false;
    return Result<void>();
  });
}

Result<MergeEntry> Lander::Update(const MergeEntry& seen, const std::string& why,
                                  const MergeLedger::Edit& edit) {
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env_.files, env_.project));
  BELAY_TRY_ASSIGN(
      const MergeEntry now,
      ledger_.Change(lock, seen.number, why, [&](MergeEntry& entry, MergeTarget& target) {
        const bool same = entry.status == seen.status && entry.head == seen.head;
        return same ? edit(entry, target) : Result<void>();
      }));
  // Gates may take long; the other steps are over before anyone could read about them.
  const bool tested = now.status == MergeStatus::kTesting && seen.status != MergeStatus::kTesting;
  if (tested) (void)ledger_.Render(lock);
  return now;
}

Result<void> Lander::FinalizeAll(const std::string& target) {
  BELAY_TRY(ledger_.CatchUp());
  BELAY_TRY(UpdateLeftBehindCheckouts(env_, target));
  std::vector<MergeEntry> open;
  for (const auto& [number, entry] : ledger_.book().entries()) {
    const bool ended = !IsInQueue(entry.status);
    if (ended && entry.target == target && (!entry.reported || entry.IsPending())) {
      open.push_back(entry);
    }
  }
  Result<void> all;
  for (const MergeEntry& entry : open) {
    const Result<MergeEntry> finalized = Finalize(env_, ledger_, entry);
    if (!finalized && all) all = finalized.error();
  }
  return all;
}

Result<void> Lander::CleanUp() {
  BELAY_TRY(ledger_.CatchUp());
  BELAY_TRY(ReleaseLeftPacks(env_.files, env_.common_folder));
  return DropLeftCandidates(env_, ledger_.book());
}

Result<void> UpdateLeftBehindCheckouts(const MergeEnv& env, const std::string& target) {
  if (!IsAnyBehind(env.files, env.common_folder)) return {};
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(env.git, env.files, env.common_folder));
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(env, target));
  if (tip.IsNone()) return {};
  for (const BranchUse& use : FindBranchUses(env.files, worktrees, BranchRef(target))) {
    const auto behind = BehindAt(env.files, use.worktree, BranchRef(target));
    if (behind) BELAY_TRY(Bring(env, target, use.worktree, *behind, tip));
  }
  return {};
}

namespace {

// Some tools leave nothing after "Ann <ann@x>: ".
std::string TrimmedLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with(": ")) text.remove_suffix(2);
  return std::string(CutCodePoints(ReplaceInvalidUtf8(text), 200));
}

// The reflog entry of the branch's last move: "Ann <ann@x>: commit: more". Every process can write
// there, so it is a hint, not a proof. For a move that isn't in it (the ref's file was written
// directly) only the commit is known.
std::string WhoMoved(const Git& git, const std::string& target, const ObjectId& tip) {
  const Result<std::string> moved =
      git.Ask({"log", "-g", "-1", "--format=%H %gn <%ge>: %gs", BranchRef(target), "--"});
  if (moved && moved->starts_with(tip.text() + " ")) {
    return TrimmedLine(std::string_view(*moved).substr(tip.text().size() + 1));
  }
  const Result<std::string> commit =
      git.Ask({"log", "-1", "--no-show-signature", "--format=%cn <%ce>: %s", tip.text(), "--"});
  if (!commit || commit->empty()) return "unknown author";
  return fmt::format("the reflog doesn't show the move; the commit is by {}", TrimmedLine(*commit));
}

Result<void> RecordDrift(const MergeEnv& env, MergeLedger& ledger, const MergeTarget& known,
                         const ObjectId& tip) {
  const bool first = known.commit.empty();
  const std::string what = first ? "seen for the first time"
                                 : fmt::format("{} moved from {} to {} without the queue ({})",
                                               known.branch, known.commit.substr(0, 10),
                                               tip.Short(), WhoMoved(env.git, known.branch, tip));
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  BELAY_TRY(ledger.ChangeTarget(lock, known.branch, what, [&](MergeTarget& changed) {
    changed.commit = tip.text();
    changed.green.reset();
    changed.red_gate.clear();
    changed.untested = !first;
    if (!first) changed.news = what;
  }));
  return {};
}

// After a kill in between it is sent twice; it is never lost.
Result<void> SendNews(const MergeEnv& env, MergeLedger& ledger, const std::string& target) {
  const std::string news = ledger.book().Target(target).news;
  if (news.empty()) return {};
  env.say(news);
  NotifyPerson(env, news);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  BELAY_TRY(ledger.ChangeTarget(lock, target, "reported to a person", [&](MergeTarget& changed) {
    if (changed.news == news) changed.news.clear();
  }));
  return {};
}

}  // namespace

Result<void> NoticeDrift(const MergeEnv& env, MergeLedger& ledger, Gates& gates,
                         const std::string& target) {
  BELAY_TRY_ASSIGN(const BranchValue branch, ReadBranch(env, target));
  const ObjectId& tip = branch.commit;
  const MergeTarget known = ledger.book().Target(target);
  const bool first = known.commit.empty();
  if (!branch.stands_for.empty()) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} {} a symbolic ref to {}: nothing lands on it", target,
                             first ? "is" : "has become", branch.stands_for),
                 first ? std::string("use that branch instead")
                       : fmt::format("git update-ref --no-deref {} {} makes it a branch again",
                                     BranchRef(target), known.commit)};
  }
  if (tip.IsNone() && !first) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the branch {} was deleted outside the queue", target),
                 fmt::format("git branch {} {} restores it", target, known.commit)};
  }
  // An announced move may have been made by a belay that was killed right after.
  const bool ours = known.move && known.move->to == tip.text();
  if (!tip.IsNone() && tip.text() != known.commit && !ours) {
    BELAY_TRY(RecordDrift(env, ledger, known, tip));
  }
  // Also the reports that a killed belay left.
  BELAY_TRY(SendNews(env, ledger, target));
  const MergeTarget now = ledger.book().Target(target);
  if (!now.untested || env.settings.gates.empty()) return {};
  BELAY_TRY(gates.JudgeTarget(target, now.commit));
  return SendNews(env, ledger, target);
}

}  // namespace belay
