#include "merge/enqueue.h"

#include <fmt/core.h>

#include "adapters/git/branch_uses.h"
#include "base/text.h"
#include "base/utf8.h"
#include "engine/merge/merge_text.h"
#include "engine/merge/queue_order.h"
#include "ledger/identity_ledger.h"
#include "merge/entry_refs.h"
#include "merge/finalize.h"
#include "merge/gates.h"
#include "merge/target_branch.h"

namespace belay {
namespace {

Error Usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// None: there is no such branch.
Result<ObjectId> TipOf(const MergeEnv& env, const std::string& branch) {
  if (ReplaceInvalidUtf8(branch) != branch)
    return Usage("the branch name isn't UTF-8", "rename the branch");
  return BranchTip(env, branch);
}

// An empty branch would look merged later on.
Result<void> CheckHasWork(const Git& git, const EnqueueRequest& request, const ObjectId& head,
                          const ObjectId& target) {
  BELAY_TRY_ASSIGN(const bool landed, IsInHistory(git, head.text(), target.text()));
  if (!landed) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("nothing to land: {} already has every commit of {}", request.target,
                           request.branch),
               "commit the work on the branch first"};
}

// Neither a circle, nor a wait for nothing.
Result<void> CheckDependencies(const MergeBook& book, const EnqueueRequest& request) {
  for (const std::uint64_t number : request.depends_on) {
    const MergeEntry* other = book.Find(number);
    if (other == nullptr) {
      return Error{ErrorCode::kNotFound, fmt::format("--after: no entry m{}", number),
                   "belay merge-queue list --all shows them"};
    }
    if (other->branch == request.branch) {
      return Usage(fmt::format("{} can't come after itself", request.branch), "omit --after");
    }
    if (other->status == MergeStatus::kCancelled) {
      return Error{ErrorCode::kRefused, fmt::format("m{} was removed and won't land", number),
                   "omit --after, or add that entry again"};
    }
    if (WaitsForBranch(book, number, request.branch, request.target)) {
      return Error{ErrorCode::kRefused,
                   fmt::format("m{} already waits for {}, so neither would ever land", number,
                               request.branch),
                   "omit --after, or remove one of the entries"};
    }
  }
  return {};
}

// The full id of the commit that was validated.
Result<std::string> ValidatedHead(const Git& git, const std::string& head) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"rev-parse", "--verify", "--quiet", "--end-of-options",
                                          head + "^{commit}"},
                            .good_exits = {0, 1, 128}}));
  std::string commit = answer.out;
  while (commit.ends_with('\n')) commit.pop_back();
  if (answer.exit_code == 0 && ObjectId::Parse(commit)) return commit;
  return Usage(fmt::format("--head is {}, which is not a commit here", Quote(head)),
               "it must be the commit that was checked: git rev-parse BRANCH shows it");
}

// Back to the beginning, with this head.
void StartOver(MergeEntry& entry, const std::string& head) {
  entry.head = head;
  entry.status = MergeStatus::kQueued;
  entry.base.clear();
  entry.candidate.clear();
  entry.built_at = {};
  entry.conflict = {};
  entry.gate_results.clear();
  entry.last_error.clear();
  entry.reported = false;
}

// Copies the rest of the request into the entry.
void Apply(const EnqueueRequest& request, MergeEntry& entry) {
  if (entry.identity_name.empty()) entry.identity_name = request.identity_name;
  if (entry.worktree_path.empty()) entry.worktree_path = request.worktree_path;
  if (request.priority != 0) entry.priority = request.priority;
  if (!request.depends_on.empty()) entry.depends_on = request.depends_on;
  entry.no_gates = entry.no_gates || request.no_gates;
  if (request.gates_change) entry.settings_allowed = entry.head;
}

std::string AgainNotice(const MergeEntry& before, const EnqueueRequest& request, bool moved) {
  if (moved) return fmt::format("{} has a new head and starts over", before.id());
  if (IsParked(before.status)) {
    return fmt::format("{} was {} and is queued again", before.id(),
                       MergeStatusName(before.status));
  }
  if (!request.depends_on.empty() && request.depends_on != before.depends_on) {
    return fmt::format("{} is already in the queue, and now waits for m{}", before.id(),
                       request.depends_on.front());
  }
  return fmt::format("{} is already in the queue", before.id());
}

Result<Enqueued> Again(const MergeEnv& env, MergeLedger& ledger, const MergeLock& lock,
                       const MergeEntry& open, const EnqueueRequest& request,
                       const ObjectId& head) {
  const MergeEntry before = open;
  Enqueued done{before};
  const bool moved = before.head != head.text();
  const bool begun = IsBegun(before.status) && !moved;
  if (!request.depends_on.empty() && (begun || before.status == MergeStatus::kMerging)) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("{} is {}: too late for --after", before.id(), MergeStatusName(before.status)),
        fmt::format("belay merge-queue remove {} removes it", before.id())};
  }
  if (before.status == MergeStatus::kMerging) {
    done.notice = fmt::format("{} is landing now", before.id());
    return done;
  }
  if (moved) BELAY_TRY(KeepCommit(env, EntryRef(before, "head"), head.text()));
  const std::string why = moved                     ? "the branch has moved; requested again"
                          : IsParked(before.status) ? "requested again"
                                                    : "requested twice";
  BELAY_TRY_ASSIGN(
      done.entry,
      ledger.Change(lock, before.number, why,
                    [&](MergeEntry& entry, MergeTarget& target) -> Result<void> {
                      const bool retried = request.retest_target && IsWaiting(entry.status);
                      if (moved || retried || IsParked(entry.status)) StartOver(entry, head.text());
                      Apply(request, entry);
                      if (request.retest_target) {
                        std::erase_if(target.answers,
                                      [](const auto& answer) { return !answer.second.passed; });
                      }
                      return {};
                    }));
  (void)ledger.Render(lock);  // rendered again at the next chance
  done.notice = AgainNotice(before, request, moved);
  return done;
}

// So that agents may land work there too.
Result<void> RememberTarget(const MergeEnv& env, MergeLedger& ledger, const MergeLock& lock,
                            const EnqueueRequest& request) {
  if (!request.by_person || request.target == env.settings.target) return {};
  BELAY_TRY(ledger.ChangeTarget(lock, request.target, "named by a person",
                                [](MergeTarget& target) { target.named = true; }));
  return {};
}

// What the requester should know, before the entry exists.
std::string NoticeOf(const MergeEnv& env, const EnqueueRequest& request,
                     const std::string& validated, const ObjectId& head, const ObjectId& target) {
  if (!validated.empty() && validated != head.text()) {
    return fmt::format("{} has moved since {}; belay will test its new head {}", request.branch,
                       validated.substr(0, 10), head.Short());
  }
  const Result<bool> settings = ChangesSettings(env, target.text(), head.text());
  if (request.gates_change || !settings || !*settings) return {};
  return fmt::format("{} changes .claude/belay.yml: a person will be asked", request.branch);
}

}  // namespace

Result<Enqueued> Enqueue(const MergeEnv& env, MergeLedger& ledger, const EnqueueRequest& request) {
  if (request.branch == request.target) {
    return Usage(fmt::format("{} can't land on itself", request.branch), "choose another --target");
  }
  BELAY_TRY_ASSIGN(const ObjectId head, TipOf(env, request.branch));
  if (head.IsNone()) {
    return Error{ErrorCode::kNotFound, fmt::format("no branch {}", Quote(request.branch)),
                 "BRANCH must be a local branch, as shown by git branch"};
  }
  BELAY_TRY_ASSIGN(const ObjectId target, TipOf(env, request.target));
  if (target.IsNone())
    return NoTarget(env.git, request.target, request.target == env.settings.target);
  BELAY_TRY(CheckHasWork(env.git, request, head, target));
  std::string validated;
  if (!request.head.empty()) {
    BELAY_TRY_ASSIGN(validated, ValidatedHead(env.git, request.head));
  }
  BELAY_TRY(ledger.CatchUp());
  BELAY_TRY(CheckTarget(env, ledger.book(), request));
  std::string notice = NoticeOf(env, request, validated, head, target);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  BELAY_TRY(ledger.CatchUp());
  BELAY_TRY(CheckDependencies(ledger.book(), request));
  BELAY_TRY(RememberTarget(env, ledger, lock, request));
  if (const MergeEntry* open = ledger.book().FindOpen(request.branch, request.target)) {
    if (IsParked(open->status)) BELAY_TRY(NoteHandedIn(env, open->identity_name));
    BELAY_TRY_ASSIGN(Enqueued done, Again(env, ledger, lock, *open, request, head));
    if (!notice.empty()) done.notice = notice;
    return done;
  }
  MergeEntry entry{.number = ledger.book().NextNumber(),
                   .identity_name = request.identity_name,
                   .branch = request.branch,
                   .target = request.target};
  entry.worktree_path = request.worktree_path;
  entry.bead_id = request.bead_id;
  entry.node_id = request.node_id;
  entry.pr_number = request.pr_number;
  entry.head = head.text();
  Apply(request, entry);
  BELAY_TRY(KeepCommit(env, EntryRef(entry, "head"), entry.head));
  BELAY_TRY_ASSIGN(entry, ledger.Add(lock, entry, "requested"));
  (void)ledger.Render(lock);  // rendered again at the next chance
  return Enqueued{std::move(entry), true, std::move(notice)};
}

Result<MergeEntry> RemoveEntry(const MergeEnv& env, MergeLedger& ledger, std::uint64_t number) {
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  Result<MergeEntry> removed = ledger.Change(
      lock, number, "removed", [&](MergeEntry& entry, const MergeTarget&) -> Result<void> {
        if (entry.status == MergeStatus::kMerged || entry.status == MergeStatus::kMerging) {
          return Error{ErrorCode::kRefused,
                       fmt::format("{} is {}", entry.id(), MergeStatusName(entry.status)),
                       fmt::format("to undo it, run git revert on {}", entry.target)};
        }
        if (entry.status == MergeStatus::kCancelled) {
          return Error{ErrorCode::kNotFound, fmt::format("{} is already cancelled", entry.id()),
                       fmt::format("belay why {} shows why", entry.id())};
        }
        entry.status = MergeStatus::kCancelled;
        entry.last_error = "removed";  // what it waited for doesn't matter any more
        entry.reported = true;
        return {};
      });
  if (!removed) return removed.error();
  (void)ledger.Render(lock);
  if (!removed->candidate.empty()) BELAY_TRY(DropRef(env, EntryRef(*removed, "candidate")));
  return removed;
}

Result<MergeEntry> RetryEntry(const MergeEnv& env, MergeLedger& ledger,
                              const RetryRequest& request) {
  BELAY_TRY(ledger.CatchUp());
  const MergeEntry* known = ledger.book().Find(request.number);
  if (known == nullptr) {
    return Error{ErrorCode::kNotFound, fmt::format("no entry m{}", request.number),
                 "belay merge-queue list --all shows them"};
  }
  const bool approves = request.gates_change && IsInQueue(known->status);
  if (!IsParked(known->status) && !IsWaiting(known->status) && !approves) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is {}: only parked entries can be retried", known->id(),
                             MergeStatusName(known->status)),
                 IsFinished(known->status) ? fmt::format("{} queues it again", AddCommand(*known))
                                           : "wait for its turn"};
  }
  const EnqueueRequest again_request{.branch = known->branch,
                                     .target = known->target,
                                     .by_person = request.by_person,
                                     .gates_change = request.gates_change,
                                     .retest_target = true};
  BELAY_TRY_ASSIGN(Enqueued again, Enqueue(env, ledger, again_request));
  return std::move(again.entry);
}

namespace {

std::string Real(const MergeEnv& env, const std::string& folder) {
  const Result<std::string> real = env.files.Resolve(folder);
  return real ? *real : folder;
}

// The running agent whose worktree this is; null: no agent's.
const Identity* WhoWorksIn(const MergeEnv& env, const IdentityBook& book,
                           const std::string& folder) {
  for (const auto& [name, entry] : book.entries()) {
    const Identity& present = entry.present;
    const bool works = IsRunning(present.status) && !present.worktree_path.empty();
    if (works && Real(env, present.worktree_path) == Real(env, folder)) return &present;
  }
  return nullptr;
}

Result<void> CheckNoAgentWorksOn(const MergeEnv& env, const std::string& target) {
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(env.git, env.files, env.common_folder));
  const std::vector<BranchUse> uses = FindBranchUses(env.files, worktrees, BranchRef(target));
  if (uses.empty()) return {};
  IdentityLedger identities(env.files, env.clock, env.project);
  BELAY_TRY(identities.CatchUp());
  for (const BranchUse& use : uses) {
    const Identity* agent = WhoWorksIn(env, identities.book(), use.worktree.folder);
    if (agent == nullptr) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is the branch that {} works on, in {}", target, agent->id.text(),
                             use.worktree.folder),
                 "nothing can land there until that agent has ended; belay stop ends it"};
  }
  return {};
}

}  // namespace

Result<void> CheckTarget(const MergeEnv& env, const MergeBook& book,
                         const EnqueueRequest& request) {
  if (request.target == env.settings.target) return {};
  const MergeTarget known = book.Target(request.target);
  if (!request.by_person && !known.named && !known.guarded) {
    return Error{ErrorCode::kRefused,
                 fmt::format("agents' work lands on {}: only a person may land it on {}",
                             env.settings.target, request.target),
                 fmt::format("ask a person to run belay merge-queue add {} --target {}",
                             ShellWord(request.branch), ShellWord(request.target))};
  }
  return CheckNoAgentWorksOn(env, request.target);
}

}  // namespace belay
