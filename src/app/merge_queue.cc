#include "app/merge_queue.h"

#include <fmt/core.h>

#include <memory>
#include <vector>

#include "app/authority.h"
#include "app/find_program.h"
#include "app/merge_place.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/signals.h"
#include "base/utf8.h"
#include "ledger/identity_ledger.h"
#include "merge/entry_refs.h"
#include "merge/landing.h"
#include "os/signals.h"

namespace belay {
namespace {

// Ctrl-C and SIGTERM as something to ask about, so that what was begun is ended.
class Interruption {
 public:
  // From now on neither ends this process. The loop outlives this.
  static Result<std::unique_ptr<Interruption>> Watch(EventLoop& loop);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  // Not for callbacks of the loop, as it looks by a round of it. If the loop is running when one
  // comes, it is stopped.
  bool Came();
  int signal() const { return signal_; }

 private:
  explicit Interruption(EventLoop& loop) : loop_(loop) {}
  void Take(int signal);

  EventLoop& loop_;
  std::vector<WatchId> watches_;
  int signal_ = 0;  // the first that came
};

Result<std::unique_ptr<Interruption>> Interruption::Watch(EventLoop& loop) {
  std::unique_ptr<Interruption> interruption(new Interruption(loop));
  for (const int signal : {kSignalInterrupt, kSignalTerminate}) {
    BELAY_TRY_ASSIGN(const WatchId watch, loop.WatchSignal(signal, [it = interruption.get(),
                                                                    signal] { it->Take(signal); }));
    interruption->watches_.push_back(watch);
  }
  return interruption;
}

Interruption::~Interruption() {
  for (const WatchId watch : watches_) loop_.Unwatch(watch);
}

void Interruption::Take(int signal) {
  if (signal_ == 0) signal_ = signal;
  loop_.Stop();
}

bool Interruption::Came() {
  if (signal_ == 0) {
    loop_.Post([this] { loop_.Stop(); });
    loop_.Run();
  }
  return signal_ != 0;
}

// Whose work it is: as named, or the caller's.
Result<void> SetWho(Env& env, const Layout& project, QueueAddRequest& request) {
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const Caller& caller = *env.caller;
  EnqueueRequest& entry = request.entry;
  entry.by_person = !caller.agent || (caller.guardian && !request.agent);
  std::optional<IdentityName> name;
  if (request.agent) {
    BELAY_TRY_ASSIGN(name, ResolvePresent(identities.book(), *request.agent));
  } else if (caller.agent && !caller.guardian) {
    name = caller.agent->identity();
  }
  if (!name) return {};
  entry.identity_name = name->text();
  const Identity* identity = identities.book().Find(*name);
  if (identity == nullptr) return {};
  if (entry.worktree_path.empty()) entry.worktree_path = identity->worktree_path;
  if (!caller.guardian) return {};
  const Identity* owner =
      request.branch ? WhoWorksOn(env.files, project, identities.book(), *request.branch) : nullptr;
  if (owner == nullptr) owner = identity;
  return CheckAuthority(Operation::kMergeAdd, Caller{.party = Party::kAgent, .agent = identity->id},
                        {owner->id == identity->id, owner->id.identity().text()});
}

// A person adds the branch of an agent: the reports about it are for that agent. Its worktree says
// so, if it is one of its own and only this agent's.
Result<void> FindWhoseBranch(Env& env, const Layout& project, EnqueueRequest& request) {
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const Identity* owner = WhoWorksOn(env.files, project, identities.book(), request.branch);
  if (owner == nullptr) return {};
  request.identity_name = owner->id.identity().text();
  if (request.worktree_path.empty()) request.worktree_path = owner->worktree_path;
  env.say(fmt::format("{} is checked out in the worktree of {}, which gets the reports",
                      request.branch, request.identity_name));
  return {};
}

// What is checked out where the work was made.
Result<std::string> BranchIn(const MergePlace& place, const std::string& worktree) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   place.git.In(worktree).Run(
                       {.arguments = {"symbolic-ref", "-q", "HEAD"}, .good_exits = {0, 1}}));
  constexpr std::string_view kBranches = "refs/heads/";
  std::string_view name = answer.out;
  while (name.ends_with('\n')) name.remove_suffix(1);
  if (name.starts_with(kBranches)) return std::string(name.substr(kBranches.size()));
  return Error{ErrorCode::kUsage, fmt::format("no branch is checked out in {}", worktree),
               "name the BRANCH that is to land"};
}

// Nothing lands untested by mistake.
Error NoGates() {
  return {ErrorCode::kRefused, "no gates are configured, so nothing would be tested",
          "set merge.gates in .claude/belay.yml, or add --no-gates to land without a test"};
}

void SayEnd(const MergeDoors& doors, const MergeEntry& entry) {
  const std::string as = entry.status == MergeStatus::kMerged
                             ? fmt::format("{} as {}", entry.target, entry.merged_as.substr(0, 10))
                             : entry.last_error;
  doors.say(
      fmt::format("{}: {} {}: {}", entry.id(), entry.branch, MergeStatusName(entry.status), as));
}

// What is left of entries that ended long ago goes; the next run tries what can't be done now.
void PruneQueue(const MergeDoors& doors, const MergeBook& book) {
  const Result<Pruned> pruned = PruneEnded({doors.files, doors.project, doors.git}, book,
                                           doors.clock.Wall(), doors.settings.keep_age);
  if (!pruned) doors.say(fmt::format("pruning: {}", pruned.error().message));
}

Result<void> CheckIsThere(const MergeDoors& doors, const std::string& branch) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors, branch));
  if (!tip.IsNone()) return {};
  return Error{ErrorCode::kNotFound, fmt::format("there is no branch {}", Quote(branch)),
               "--target is the name of a local branch, as git branch shows it"};
}

}  // namespace

Result<QueueReadOutcome> ReadQueue(Env& env) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  MergeLedger ledger(env.files, env.clock, project);
  BELAY_TRY(ledger.CatchUp());
  return QueueReadOutcome{ledger.book(), WhyNothingLands(env, project),
                          PersonMessagesLine(env, project)};
}

Result<QueueAddOutcome> AddToQueue(Env& env, QueueAddRequest request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  BELAY_TRY(SetWho(env, place.project, request));
  EnqueueRequest& entry = request.entry;
  entry.target = request.target.value_or(place.settings.target);
  if (request.branch) {
    entry.branch = *request.branch;
  } else {
    BELAY_TRY_ASSIGN(
        entry.branch,
        BranchIn(place, entry.worktree_path.empty() ? env.current_folder : entry.worktree_path));
  }
  if (entry.identity_name.empty()) BELAY_TRY(FindWhoseBranch(env, place.project, entry));
  MergeLedger ledger(env.files, env.clock, place.project);
  BELAY_TRY_ASSIGN(Enqueued added, Enqueue(place.Doors(env), ledger, entry));
  return QueueAddOutcome{std::move(added), ledger.book(), WhyNothingLands(place.settings)};
}

Result<QueueProcessOutcome> ProcessQueue(Env& env, const QueueProcessRequest& request) {
  BELAY_TRY_ASSIGN(MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  if (request.no_gates) place.settings.gates.clear();
  MergeDoors doors = place.Doors(env);
  doors.progress = request.progress;
  BELAY_TRY_ASSIGN(const std::unique_ptr<Interruption> interruption,
                   Interruption::Watch(*place.loop));
  doors.interrupted = [&] { return interruption->Came(); };
  const std::string target = request.target.value_or(place.settings.target);
  MergeLedger ledger(env.files, env.clock, place.project);
  // What a killed one left is ended by this, with gates or without.
  BELAY_TRY_ASSIGN(Lander lander, Lander::Begin(doors, ledger));
  if (place.settings.gates.empty() && !request.no_gates) return NoGates();
  BELAY_TRY(lander.SettleAll(target));
  QueueProcessOutcome outcome;
  bool more = true;
  while (more) {
    BELAY_TRY_ASSIGN(const std::optional<MergeEntry> landed, lander.LandNext(target));
    const bool ended = landed && !IsInLine(landed->status);
    if (ended) SayEnd(doors, *landed);
    if (ended) outcome.entries.push_back(*landed);
    more = ended && request.all;
    if (ended || interruption->Came()) continue;
    BELAY_TRY(lander.TidyUp());
    PruneQueue(doors, ledger.book());
  }
  outcome.stopped = interruption->Came();
  outcome.paused = ledger.book().Target(target).paused;
  outcome.signal = interruption->signal();
  outcome.target = target;
  outcome.unpause = UnpauseCommand(place, target);
  outcome.book = ledger.book();
  return outcome;
}

Result<MergeEntry> ChangeQueueEntry(Env& env, const QueueChangeRequest& request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  MergeLedger ledger(env.files, env.clock, place.project);
  const MergeDoors doors = place.Doors(env);
  switch (request.change) {
    case EntryChange::kRemove:
      return RemoveEntry(doors, ledger, request.number);
    case EntryChange::kRetry:
      return RetryEntry(doors, ledger, {request.number, !env.caller->agent, request.gates_change});
  }
  __builtin_unreachable();
}

Result<QueuePauseOutcome> PauseQueue(Env& env, const QueuePauseRequest& request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  const std::string branch = request.target.value_or(place.settings.target);
  if (request.paused) BELAY_TRY(CheckIsThere(place.Doors(env), branch));
  MergeLedger ledger(env.files, env.clock, place.project);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, place.project));
  BELAY_TRY_ASSIGN(MergeTarget target,
                   ledger.ChangeTarget(lock, branch, request.paused ? "paused" : "goes on",
                                       [&](MergeTarget& changed) {
                                         changed.paused = request.paused;
                                         changed.paused_why = request.paused ? "by a person" : "";
                                       }));
  (void)ledger.Render(lock);
  return QueuePauseOutcome{std::move(target), UnpauseCommand(place, branch)};
}

Result<Protection> ProtectQueueTarget(Env& env, const QueueProtectRequest& request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const std::string program, OwnProgram(env));
  const GuardPlace guard{env.files, place.project, place.git, place.common_folder, program};
  MergeLedger ledger(env.files, env.clock, place.project);
  const std::string target = request.target.value_or(place.settings.target);
  return request.protect ? ProtectTarget(guard, ledger, target)
                         : UnprotectTarget(guard, ledger, target);
}

}  // namespace belay
