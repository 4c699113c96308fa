#include "merge/aftermath.h"

#include <fmt/core.h>

#include <span>

#include "adapters/git/branch_uses.h"
#include "adapters/git/refs.h"
#include "base/path.h"
#include "merge/entry_refs.h"
#include "merge/escalation.h"

namespace belay {
namespace {

constexpr std::size_t kMostHeadFile = 4096;

// What is left to do.
struct Pending {
  bool branch = false;
  bool telling = false;
  std::string told = {};  // the recipients of the report; empty: it was sent before
};

struct BranchEnd {
  bool pending = false;
  std::string notice = {};
  bool deleted = false;  // together with its candidate's ref
};

// Why only the user may delete it; empty: no known reason.
std::string WhyItStays(const MergeDoors& doors, const MergeBook& book, const std::string& branch) {
  const Result<std::string> head =
      doors.files.Read(JoinPath(doors.common_folder, "HEAD"), kMostHeadFile);
  if (head && *head == fmt::format("ref: {}\n", BranchRef(branch))) return "it is the HEAD";
  const bool target = branch == doors.settings.target || book.targets().contains(branch);
  return target ? "work lands on it" : "";
}

// Another entry that needs the branch.
const MergeEntry* OtherOf(const MergeBook& book, const MergeEntry& entry) {
  for (const auto& [number, other] : book.entries()) {
    const bool open = number != entry.number && !IsFinished(other.status);
    if (open && other.branch == entry.branch) return &other;
  }
  return nullptr;
}

// Its commits stay reachable by refs/belay/merge/mN/head, and from the target.
Result<BranchEnd> DeleteBranch(const MergeDoors& doors, const MergeBook& book,
                               const MergeEntry& entry, std::span<const GitWorktree> worktrees) {
  BELAY_TRY_ASSIGN(const BranchValue branch, ReadBranch(doors, entry.branch));
  if (!branch.stands_for.empty()) {
    return BranchEnd{false, fmt::format("{} is now a symbolic ref to {}, and is kept", entry.branch,
                                        branch.stands_for)};
  }
  const ObjectId& tip = branch.commit;
  if (tip.IsNone()) return BranchEnd{};
  if (tip.text() != entry.head) {
    return BranchEnd{false, fmt::format("{} has new commits since, and is kept", entry.branch)};
  }
  if (const std::string why = WhyItStays(doors, book, entry.branch); !why.empty()) {
    return BranchEnd{false, fmt::format("{} is kept: {}", entry.branch, why)};
  }
  if (const MergeEntry* other = OtherOf(book, entry)) {
    return BranchEnd{true, fmt::format("{} is kept until {} has landed on {}", entry.branch,
                                       other->id(), other->target)};
  }
  const std::vector<BranchUse> uses =
      FindBranchUses(doors.files, worktrees, BranchRef(entry.branch));
  if (!uses.empty()) {
    return BranchEnd{true,
                     fmt::format("{} is checked out in {}; it will be deleted when it no longer is",
                                 entry.branch, uses.front().worktree.folder)};
  }
  BELAY_TRY(KeepCommit(doors, EntryRef(entry, "head"), entry.head));
  BELAY_TRY(
      MoveRef(doors.git, doors.files, doors.common_folder,
              {BranchRef(entry.branch), tip, ObjectId(),
               fmt::format("belay: {} has landed", entry.id()), EntryRef(entry, "candidate")}));
  return BranchEnd{.deleted = true};
}

std::string WhyMarked(const Pending& pending) {
  if (pending.telling) return "to be told";
  return pending.told.empty() ? "told" : fmt::format("reported to {}", pending.told);
}

Result<MergeEntry> Mark(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& seen,
                        const Pending& pending) {
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(doors.files, doors.project));
  Result<MergeEntry> marked = ledger.Change(
      lock, seen.number, WhyMarked(pending),
      [&](MergeEntry& entry, const MergeTarget&) -> Result<void> {
        if (entry.status != seen.status || entry.head != seen.head) return {};  // it changed since
        entry.told = !pending.telling;
        entry.delete_pending = pending.branch;
        entry.follow_pending = false;  // set by older belays; adapters/git/follow_checkout.h has it
        return {};
      });
  (void)ledger.Render(lock);  // both are rendered again at the next chance
  (void)ledger.CompactIfLarge(lock);
  return marked;
}

// It has landed, whatever happens next: problems are reported, and entries behind it don't wait.
template <class T>
bool Said(const MergeDoors& doors, const MergeEntry& entry, const Result<T>& done) {
  if (!done) doors.say(fmt::format("{}: {}", entry.id(), done.error().message));
  return done.ok();
}

Result<MergeEntry> SettleMerged(const MergeDoors& doors, MergeLedger& ledger,
                                const MergeEntry& entry, std::vector<GitWorktree> worktrees) {
  if (worktrees.empty()) {
    BELAY_TRY_ASSIGN(worktrees, ListWorktrees(doors.git, doors.files, doors.common_folder));
  }
  Pending pending;
  Result<BranchEnd> end = DeleteBranch(doors, ledger.book(), entry, worktrees);
  if (!end)
    end = BranchEnd{true, fmt::format("{} isn't deleted: {}", entry.branch, end.error().message)};
  pending.branch = end->pending;
  if (!entry.told) {
    if (!end->notice.empty()) doors.say(fmt::format("{}: {}", entry.id(), end->notice));
    const Result<std::string> told = TellMerged(doors, entry);
    pending.telling = !Said(doors, entry, told);
    if (told) pending.told = *told;
    if (!end->deleted) Said(doors, entry, DropRef(doors, EntryRef(entry, "candidate")));
  }
  return Mark(doors, ledger, entry, pending);
}

}  // namespace

Result<MergeEntry> Settle(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& entry,
                          const std::vector<GitWorktree>& worktrees) {
  if (entry.status == MergeStatus::kMerged) return SettleMerged(doors, ledger, entry, worktrees);
  if (IsInLine(entry.status)) return entry;
  Said(doors, entry, DropRef(doors, EntryRef(entry, "candidate")));
  if (entry.told) return entry;
  Pending pending;
  const Result<std::string> told = TellParked(doors, entry);
  pending.telling = !Said(doors, entry, told);
  if (told) pending.told = *told;
  return Mark(doors, ledger, entry, pending);
}

}  // namespace belay
