#include "merge/finalize.h"

#include <fmt/core.h>

#include <span>

#include "adapters/git/refs.h"
#include "base/path.h"
#include "codec/json.h"
#include "engine/merge/merge_text.h"
#include "engine/messages/message_text.h"
#include "engine/supervise/restart_policy.h"
#include "ledger/dispatcher.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/signal_box.h"
#include "merge/entry_refs.h"

namespace belay {
namespace {

constexpr std::size_t kMostHeadFile = 4096;

// What is left to do.
struct Pending {
  bool branch = false;
  bool report = false;          // it could not be sent
  std::string recipients = {};  // of the report; empty: it was sent before
};

struct BranchEnd {
  bool pending = false;
  std::string notice = {};
  bool deleted = false;  // together with its candidate's ref
};

// Why only the user may delete it; empty: no known reason.
std::string WhyItStays(const MergeEnv& env, const MergeBook& book, const std::string& branch) {
  const Result<std::string> head =
      env.files.Read(JoinPath(env.common_folder, "HEAD"), kMostHeadFile);
  if (head && *head == fmt::format("ref: {}\n", BranchRef(branch))) return "it is HEAD";
  const bool target = branch == env.settings.target || book.targets().contains(branch);
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
Result<BranchEnd> DeleteBranch(const MergeEnv& env, const MergeBook& book, const MergeEntry& entry,
                               std::span<const GitWorktree> worktrees) {
  BELAY_TRY_ASSIGN(const BranchValue branch, ReadBranch(env, entry.branch));
  if (!branch.stands_for.empty()) {
    return BranchEnd{false, fmt::format("kept {}: it is now a symbolic ref to {}", entry.branch,
                                        branch.stands_for)};
  }
  const ObjectId& tip = branch.commit;
  if (tip.IsNone()) return BranchEnd{};
  if (tip.text() != entry.head) {
    return BranchEnd{false, fmt::format("kept {}: it has new commits", entry.branch)};
  }
  if (const std::string why = WhyItStays(env, book, entry.branch); !why.empty()) {
    return BranchEnd{false, fmt::format("kept {}: {}", entry.branch, why)};
  }
  if (const MergeEntry* other = OtherOf(book, entry)) {
    return BranchEnd{true, fmt::format("keeping {} until {} has landed on {}", entry.branch,
                                       other->id(), other->target)};
  }
  const std::vector<BranchUse> uses = FindBranchUses(env.files, worktrees, BranchRef(entry.branch));
  if (!uses.empty()) {
    return BranchEnd{
        true, fmt::format("{} is checked out in {}; belay deletes it when no worktree uses it",
                          entry.branch, uses.front().worktree.folder)};
  }
  BELAY_TRY(KeepCommit(env, EntryRef(entry, "head"), entry.head));
  BELAY_TRY(
      MoveRef(env.git, env.files, env.common_folder,
              {BranchRef(entry.branch), tip, ObjectId(),
               fmt::format("belay: {} has landed", entry.id()), EntryRef(entry, "candidate")}));
  return BranchEnd{.deleted = true};
}

std::string WhyMarked(const Pending& pending) {
  if (pending.report) return "to be reported";
  return pending.recipients.empty() ? "reported"
                                    : fmt::format("reported to {}", pending.recipients);
}

Result<MergeEntry> Mark(const MergeEnv& env, MergeLedger& ledger, const MergeEntry& seen,
                        const Pending& pending) {
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  Result<MergeEntry> marked =
      ledger.Change(lock, seen.number, WhyMarked(pending),
                    [&](MergeEntry& entry, const MergeTarget&) -> Result<void> {
                      if (entry.status != seen.status || entry.head != seen.head)
                        return {};  // it changed since
                      entry.reported = !pending.report;
                      entry.delete_pending = pending.branch;
                      entry.follow_pending = false;  // set by older belays
                      return {};
                    });
  (void)ledger.Render(lock);  // both are rendered again at the next chance
  (void)ledger.CompactIfLarge(lock);
  return marked;
}

// Whether it worked; a failure is shown. The entry has landed, whatever happens next, and entries
// behind it don't wait.
template <class T>
bool Succeeded(const MergeEnv& env, const MergeEntry& entry, const Result<T>& done) {
  if (!done) env.say(fmt::format("{}: {}", entry.id(), done.error().message));
  return done.ok();
}

Result<MergeEntry> FinalizeMerged(const MergeEnv& env, MergeLedger& ledger, const MergeEntry& entry,
                                  std::vector<GitWorktree> worktrees) {
  if (worktrees.empty()) {
    BELAY_TRY_ASSIGN(worktrees, ListWorktrees(env.git, env.files, env.common_folder));
  }
  Pending pending;
  Result<BranchEnd> end = DeleteBranch(env, ledger.book(), entry, worktrees);
  if (!end)
    end =
        BranchEnd{true, fmt::format("could not delete {}: {}", entry.branch, end.error().message)};
  pending.branch = end->pending;
  if (!entry.reported) {
    if (!end->notice.empty()) env.say(fmt::format("{}: {}", entry.id(), end->notice));
    const Result<std::string> recipients = ReportMerged(env, entry);
    pending.report = !Succeeded(env, entry, recipients);
    if (recipients) pending.recipients = *recipients;
    if (!end->deleted) Succeeded(env, entry, DropRef(env, EntryRef(entry, "candidate")));
  }
  return Mark(env, ledger, entry, pending);
}

Result<void> Send(const MergeEnv& env, SignalType type, const Recipient& to, Json payload) {
  SignalBox box(env.files, env.clock, env.random, env.project, to);
  const Signal signal{.type = type,
                      .from = "guardian",
                      .to = to.text(),
                      .at = env.clock.Wall(),
                      .payload = std::move(payload)};
  BELAY_TRY(box.Send(signal));
  return {};
}

// The hook record of the agent that did the work shows its state. Without an agent there is nothing
// to do.
Result<void> NoteInHook(const MergeEnv& env, const IdentityName& name, HookStatus status,
                        const Json& problem) {
  HookLedger hooks(env.files, env.clock, env.project);
  BELAY_TRY_ASSIGN(const HookLock lock, HookLedger::Lock(env.files, env.project));
  const Result<Hook> changed =
      hooks.Change(lock, name, std::nullopt, "merge", HookStatusName(status), [&](Hook& hook) {
        hook.status = status;
        hook.resumption_instructions = TextIn(problem, "text");
        hook.landing_problem = problem;
      });
  if (IsMissing(changed)) return {};
  if (!changed) return changed.error();
  return hooks.Render(lock, name);
}

// Does something about the messages to an agent, if it is on record. Failing is only reported.
template <class Act>
void WithDispatcher(const MergeEnv& env, const IdentityName& name, const Act& act) {
  const Result<void> done = [&]() -> Result<void> {
    IdentityLedger identities(env.files, env.clock, env.project);
    BELAY_TRY(identities.CatchUp());
    const Identity* present = identities.book().Find(name);
    if (present == nullptr) return {};
    Dispatcher dispatcher(env.files, env.clock, env.random, env.project);
    BELAY_TRY(act(dispatcher, *present));
    return {};
  }();
  if (!done) env.say(done.error().message);
}

// So that its next hook delivers it. If that fails, the guardian does it later: the signal is
// stored.
void OfferToAgent(const MergeEnv& env, const IdentityName& name) {
  WithDispatcher(env, name, [](Dispatcher& dispatcher, const Identity& present) {
    return dispatcher.Update(present);
  });
}

// Removes reports about earlier attempts of a branch; they are obsolete.
void DropOldReports(const MergeEnv& env, const IdentityName& name, const MergeEntry& entry,
                    std::string_view why) {
  WithDispatcher(env, name, [&](Dispatcher& dispatcher, const Identity& present) {
    return dispatcher.Finalize(
        present, DeliveryState::kDropped, "", why,
        [&](const Signal& signal) { return TextIn(signal.payload, "entry_id") == entry.id(); });
  });
}

// Starts an agent that has ended, for any reason, to fix its work. False: it can't be started.
Result<bool> RestartAgent(const MergeEnv& env, const IdentityName& name) {
  IdentityLedger identities(env.files, env.clock, env.project);
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(env.files, env.project));
  BELAY_TRY(identities.CatchUp());
  const Identity* present = identities.book().Find(name);
  if (present == nullptr) return false;
  if (IsRunning(present->status)) return true;
  const bool stopped = StopIsRequested(*present);
  const bool waits = present->status == AgentStatus::kQuarantined;
  if (!FactsOf(present->host).launched || stopped || waits || !present->respawn) return false;
  Identity changed = *present;
  changed.status = AgentStatus::kCrashed;
  changed.restart.due = env.clock.Wall();
  changed.restart.wait = Duration::zero();
  changed.restart.reason = "its work must be fixed before it can land";
  BELAY_TRY(identities.Record(lock, IdentityChange{"resolver", changed.restart.reason, changed}));
  (void)identities.Render(lock, name);
  return true;
}

Result<void> AskPerson(const MergeEnv& env, const MergeEntry& entry, const std::string& why) {
  Json payload = LandingProblem(entry, false);
  payload.Set("text", PersonText(entry));
  payload.Set("reason", fmt::format("{}: {} ({})", entry.id(), entry.last_error, why));
  env.say(fmt::format("{}: asked a person: {}", entry.id(), why));
  return Send(env, SignalType::kEscalate, Recipient::Person(), std::move(payload));
}

// Caused by the entry's own work; else it is for the user.
bool IsForTheAgent(const MergeEntry& entry) {
  const bool red_target = !entry.gate_results.empty() && entry.gate_results.back().target_is_red;
  // Without files it isn't a conflict that the agent could fix: there is no common history, for
  // example.
  return (entry.status == MergeStatus::kConflict && !entry.conflict.files.empty()) ||
         (entry.status == MergeStatus::kGateFailed && !red_target);
}

}  // namespace

Result<MergeEntry> Finalize(const MergeEnv& env, MergeLedger& ledger, const MergeEntry& entry,
                            const std::vector<GitWorktree>& worktrees) {
  if (entry.status == MergeStatus::kMerged) return FinalizeMerged(env, ledger, entry, worktrees);
  if (IsInQueue(entry.status)) return entry;
  Succeeded(env, entry, DropRef(env, EntryRef(entry, "candidate")));
  if (entry.reported) return entry;
  Pending pending;
  const Result<std::string> recipients = ReportParked(env, entry);
  pending.report = !Succeeded(env, entry, recipients);
  if (recipients) pending.recipients = *recipients;
  return Mark(env, ledger, entry, pending);
}

Result<void> NoteHandedIn(const MergeEnv& env, const std::string& identity_name) {
  const Result<IdentityName> name = IdentityName::Parse(identity_name);
  if (!name) return {};
  HookLedger hooks(env.files, env.clock, env.project);
  BELAY_TRY(hooks.CatchUp());
  const Hook* hook = hooks.book().Find(*name);
  if (hook == nullptr || hook->status != HookStatus::kBlocked) return {};
  return NoteInHook(env, *name, HookStatus::kMerging, {});
}

Result<std::string> ReportMerged(const MergeEnv& env, const MergeEntry& entry) {
  const Json payload = MakeObject({{"commit", entry.merged_as},
                                   {"entry_id", entry.id()},
                                   {"branch", entry.branch},
                                   {"target", entry.target},
                                   {"node_id", entry.node_id},
                                   {"proof", entry.proof}});
  const Result<IdentityName> name = IdentityName::Parse(entry.identity_name);
  if (name) {
    BELAY_TRY(NoteInHook(env, *name, HookStatus::kMerged, {}));
    DropOldReports(env, *name, entry, "the branch has landed since");
    BELAY_TRY(Send(env, SignalType::kMergeComplete, Recipient::Agent(*name), payload));
  }
  BELAY_TRY(Send(env, SignalType::kMergeComplete, Recipient::Guardian(), payload));
  return name ? name->text() : std::string("the guardian");
}

Result<std::string> ReportParked(const MergeEnv& env, const MergeEntry& entry) {
  const std::string person = "a person (belay signal list person)";
  const Result<IdentityName> name = IdentityName::Parse(entry.identity_name);
  const SignalType type = entry.status == MergeStatus::kConflict ? SignalType::kMergeConflict
                                                                 : SignalType::kMergeFailed;
  if (!name && entry.status == MergeStatus::kGateUnrunnable) {
    BELAY_TRY(AskPerson(env, entry, "no agent can fix it"));
    return person;
  }
  const bool for_agent = IsForTheAgent(entry) && entry.attempts < env.settings.most_attempts;
  Json problem = LandingProblem(entry, for_agent);
  if (!name) {
    problem.Set("text", PersonText(entry));
    BELAY_TRY(Send(env, type, Recipient::Person(), std::move(problem)));
    return person;
  }
  BELAY_TRY(NoteInHook(env, *name, HookStatus::kBlocked, problem));
  DropOldReports(env, *name, entry, "a newer report replaces it");
  BELAY_TRY(Send(env, type, Recipient::Agent(*name), problem));
  OfferToAgent(env, *name);
  std::string why;
  if (!IsForTheAgent(entry)) {
    why = "the agent can't fix this";
  } else if (!for_agent) {
    why = fmt::format("{} attempts", entry.attempts);
  } else {
    BELAY_TRY_ASSIGN(const bool comes, RestartAgent(env, *name));
    if (!comes) why = fmt::format("{} has ended and won't be restarted", name->text());
  }
  if (why.empty()) return name->text();
  BELAY_TRY(AskPerson(env, entry, why));
  return fmt::format("{} and {}", name->text(), person);
}

}  // namespace belay
