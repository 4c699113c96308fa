#include "merge/enqueue.h"

#include <fmt/core.h>

#include "adapters/git/branch_uses.h"
#include "base/utf8.h"
#include "engine/merge/queue_order.h"
#include "ledger/identity_ledger.h"
#include "merge/entry_refs.h"
#include "merge/finalize.h"
#include "merge/gates.h"

namespace belay {
namespace {

Error Usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<ObjectId> ExistingTip(const MergeEnv& env, const std::string& branch, const char* what) {
  if (ReplaceInvalidUtf8(branch) != branch)
    return Usage("the name of the branch isn't UTF-8", "rename the branch");
  BELAY_TRY_ASSIGN(ObjectId tip, BranchTip(env, branch));
  if (!tip.IsNone()) return tip;
  return Error{ErrorCode::kNotFound, fmt::format("there is no branch {}", Quote(branch)),
               fmt::format("{} is the name of a local branch, as git branch shows it", what)};
}

// An empty branch would look merged later on.
Result<void> CheckHasWork(const Git& git, const EnqueueRequest& request, const ObjectId& head,
                          const ObjectId& target) {
  BELAY_TRY_ASSIGN(const bool landed, IsInHistory(git, head.text(), target.text()));
  if (!landed) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format("nothing to land: {} has every commit of {}", request.target, request.branch),
      "commit the work on the branch first"};
}

// Neither a circle, nor a wait for nothing.
Result<void> CheckDependencies(const MergeBook& book, const EnqueueRequest& request) {
  for (const std::uint64_t number : request.depends_on) {
    const MergeEntry* other = book.Find(number);
    if (other == nullptr) {
      return Error{ErrorCode::kNotFound, fmt::format("--after: there is no entry m{}", number),
                   "belay merge-queue list --all shows them"};
    }
    if (other->branch == request.branch) {
      return Usage(fmt::format("{} can't come after itself", request.branch), "leave --after out");
    }
    if (other->status == MergeStatus::kCancelled) {
      return Error{ErrorCode::kRefused, fmt::format("m{} was removed and won't land", number),
                   "leave --after out, or add that one again"};
    }
    if (WaitsForBranch(book, number, request.branch, request.target)) {
      return Error{ErrorCode::kRefused,
                   fmt::format("m{} waits for {}: neither would ever land", number, request.branch),
                   "leave --after out, or remove one of them"};
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
  return Usage(fmt::format("--head is {}, which is no commit here", Quote(head)),
               "it is the commit that was checked: git rev-parse BRANCH");
}

// Back to the beginning, with this head.
void BeginAnew(MergeEntry& entry, const std::string& head) {
  entry.head = head;
  entry.status = MergeStatus::kQueued;
  entry.base.clear();
  entry.candidate.clear();
  entry.built_at = {};
  entry.conflict = {};
  entry.gate_results.clear();
  entry.last_error.clear();
  entry.told = false;
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
    return fmt::format("{} is in the queue already, and comes after m{} now", before.id(),
                       request.depends_on.front());
  }
  return fmt::format("{} is in the queue already", before.id());
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
        fmt::format("belay merge-queue remove {} takes it out", before.id())};
  }
  if (before.status == MergeStatus::kMerging) {
    done.notice = fmt::format("{} is landing just now", before.id());
    return done;
  }
  if (moved) BELAY_TRY(KeepCommit(env, EntryRef(before, "head"), head.text()));
  const std::string why = moved                     ? "the branch has moved, and is asked for again"
                          : IsParked(before.status) ? "asked for again"
                                                    : "asked for twice";
  BELAY_TRY_ASSIGN(
      done.entry,
      ledger.Change(lock, before.number, why,
                    [&](MergeEntry& entry, MergeTarget& target) -> Result<void> {
                      const bool retried = request.ask_target_anew && IsWaiting(entry.status);
                      if (moved || retried || IsParked(entry.status)) BeginAnew(entry, head.text());
                      Apply(request, entry);
                      if (request.ask_target_anew) {
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
    return fmt::format("{} has moved since {}: its head {} is what will be tested", request.branch,
                       validated.substr(0, 10), head.Short());
  }
  const Result<bool> settings = ChangesSettings(env, target.text(), head.text());
  if (request.gates_change || !settings || !*settings) return {};
  return fmt::format("{} changes .claude/belay.yml: a person will be asked", request.branch);
}

}  // namespace

Result<Enqueued> Enqueue(const MergeEnv& env, MergeLedger& ledger, const EnqueueRequest& request) {
  if (request.branch == request.target) {
    return Usage(fmt::format("{} can't land on itself", request.branch),
                 "--target names another branch");
  }
  BELAY_TRY_ASSIGN(const ObjectId head, ExistingTip(env, request.branch, "BRANCH"));
  BELAY_TRY_ASSIGN(
      const ObjectId target,
      ExistingTip(env, request.target, "merge.target in .claude/belay.yml, or --target,"));
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
  BELAY_TRY_ASSIGN(entry, ledger.Add(lock, entry, "asked for"));
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
                       fmt::format("to take it back: git revert on {}", entry.target)};
        }
        if (entry.status == MergeStatus::kCancelled) {
          return Error{ErrorCode::kNotFound, fmt::format("{} is cancelled already", entry.id()),
                       fmt::format("belay why {} tells why", entry.id())};
        }
        entry.status = MergeStatus::kCancelled;
        entry.last_error = "removed";  // what it waited for doesn't matter any more
        entry.told = true;
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
    return Error{ErrorCode::kNotFound, fmt::format("there is no entry m{}", request.number),
                 "belay merge-queue list --all shows them"};
  }
  if (!IsParked(known->status) && !IsWaiting(known->status)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is {}: only what is parked can be tried again", known->id(),
                             MergeStatusName(known->status)),
                 IsFinished(known->status)
                     ? fmt::format("belay merge-queue add {} queues it again", known->branch)
                     : "it will have its turn"};
  }
  const EnqueueRequest again_request{.branch = known->branch,
                                     .target = known->target,
                                     .by_person = request.by_person,
                                     .gates_change = request.gates_change,
                                     .ask_target_anew = true};
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

Result<void> CheckNobodyWorksOn(const MergeEnv& env, const std::string& target) {
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
                 "nothing lands there until it has ended; belay stop ends it"};
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
                 fmt::format("an agent's work lands on {}: only a person may land it on {}",
                             env.settings.target, request.target),
                 fmt::format("a person can: belay merge-queue add {} --target {}", request.branch,
                             request.target)};
  }
  return CheckNobodyWorksOn(env, request.target);
}

}  // namespace belay
