#include "app/merge_queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "app/find_program.h"
#include "app/resumption.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/settings_drift.h"
#include "app/signals.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "ledger/identity_ledger.h"
#include "ledger/project_ledger.h"
#include "merge/entry_refs.h"
#include "merge/landing.h"
#include "os/process.h"
#include "store/repository.h"

namespace belay {
namespace {

// Lets the caller poll for Ctrl-C and SIGTERM, so that it can finish what it began.
class Interruption {
 public:
  // From now on neither signal ends this process. The loop must outlive this.
  static Result<std::unique_ptr<Interruption>> Watch(EventLoop& loop);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  // Not for callbacks of the loop, since this runs one round of it. If the loop is running when a
  // signal comes, it is stopped.
  bool Came();
  int signal() const { return signal_; }

 private:
  explicit Interruption(EventLoop& loop) : loop_(loop) {}
  void Take(int signal);

  EventLoop& loop_;
  std::vector<WatchId> watches_;
  int signal_ = 0;  // the first one received
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

std::string WhoAdded(const MergeEntry& entry) {
  return entry.identity_name.empty() ? "a person" : entry.identity_name;
}

// The owner of the worktree; empty: the agent itself.
std::string WhoElseHas(const IdentityBook& book, const Identity& own, const std::string& folder) {
  if (folder == own.worktree_path) return {};
  for (const auto& [name, entry] : book.entries()) {
    if (entry.present.worktree_path == folder) return name.text();
  }
  return "a person";
}

// Whether the reflog of that worktree's HEAD has the branch.
Result<bool> WasCheckedOut(const Git& git, const std::string& branch) {
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      git.Run({.arguments = {"log", "-g", "--format=%gs", "HEAD", "--"}, .good_exits = {0, 128}}));
  return std::ranges::any_of(Split(answer.out, '\n'), [&](std::string_view line) {
    return line.starts_with("checkout: moving from ") && line.ends_with(" to " + branch);
  });
}

// The owner of a branch that isn't checked out where the agent works; empty: the agent had it
// checked out before.
Result<std::string> WhoElseWorksOn(const Env& env, const MergePlace& place,
                                   const IdentityBook& book, const Identity& own,
                                   const std::string& branch) {
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(place.git, env.files, place.common_folder));
  for (const BranchUse& use : FindBranchUses(env.files, worktrees, BranchRef(branch))) {
    std::string other = WhoElseHas(book, own, use.worktree.folder);
    if (!other.empty()) return other;
  }
  BELAY_TRY_ASSIGN(const bool was, WasCheckedOut(place.git.In(own.worktree_path), branch));
  return was ? std::string() : "a person";
}

// The other agent or person whose name, worktree, node or bead an agent's request uses; nothing: it
// uses only its own.
Result<std::optional<std::string>> OtherNamed(const Env& env, const IdentityBook& book,
                                              const Identity& own, const QueueAddRequest& request) {
  if (request.agent) {
    BELAY_TRY_ASSIGN(const IdentityName named, ResolvePresent(book, *request.agent));
    if (named != own.id.identity()) return std::optional(named.text());
  }
  const EnqueueRequest& entry = request.entry;
  if (!entry.worktree_path.empty()) {
    const std::string named = JoinPath(env.current_folder, entry.worktree_path);
    const Result<std::string> folder = env.files.Resolve(named);
    std::string other = WhoElseHas(book, own, folder ? *folder : named);
    if (!other.empty()) return std::optional(std::move(other));
  }
  for (const auto& [name, other] : book.entries()) {
    const Identity& present = other.present;
    const bool node =
        !entry.node_id.empty() && entry.node_id != own.node_id && present.node_id == entry.node_id;
    const bool bead =
        !entry.bead_id.empty() && entry.bead_id != own.bead_id && present.bead_id == entry.bead_id;
    if (node || bead) return std::optional(name.text());
  }
  return std::optional<std::string>();
}

// Whose work it is: as named, or the caller's.
Result<void> SetWho(Env& env, const MergePlace& place, QueueAddRequest& request) {
  IdentityLedger identities(env.files, env.clock, place.project);
  BELAY_TRY(identities.CatchUp());
  const Caller& caller = *env.caller;
  EnqueueRequest& entry = request.entry;
  entry.by_person = caller.IsPerson() || (caller.guardian && !request.agent);
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
  if (caller.guardian) {
    BELAY_TRY_ASSIGN(const Owner owner,
                     WhoseWork(env, place, identities.book(), identity->id, request));
    BELAY_TRY(CheckAuthority(Operation::kMergeAdd,
                             Caller{.party = Party::kAgent, .agent = identity->id}, owner));
  }
  if (entry.worktree_path.empty()) entry.worktree_path = identity->worktree_path;
  return {};
}

// When a person adds the branch of an agent, the reports about it go to that agent. It is found by
// the worktree, if that belongs to this agent alone.
Result<void> FindWhoseBranch(Env& env, const Layout& project, EnqueueRequest& request) {
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const Identity* owner = WhoWorksOn(env.files, project, identities.book(), request.branch);
  if (owner == nullptr) return {};
  request.identity_name = owner->id.identity().text();
  if (request.worktree_path.empty()) request.worktree_path = owner->worktree_path;
  env.say(fmt::format("{} is checked out in the worktree of {}, so reports go to that agent",
                      request.branch, request.identity_name));
  return {};
}

// The branch that is checked out where the work was made.
Result<std::string> BranchIn(const MergePlace& place, const std::string& worktree) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   place.git.In(worktree).Run(
                       {.arguments = {"symbolic-ref", "-q", "HEAD"}, .good_exits = {0, 1}}));
  constexpr std::string_view kBranches = "refs/heads/";
  std::string_view name = answer.out;
  while (name.ends_with('\n')) name.remove_suffix(1);
  if (name.starts_with(kBranches)) return std::string(name.substr(kBranches.size()));
  return Error{ErrorCode::kUsage, fmt::format("{} has no branch checked out", worktree),
               "name the BRANCH to land"};
}

// So that no work lands untested by mistake.
Error NoGates() {
  return {ErrorCode::kRefused, "no gates are configured, so belay would test nothing",
          "set merge.gates in .claude/belay.yml, or add --no-gates to land without a test"};
}

void SayEnd(const MergeEnv& merge_env, const MergeEntry& entry) {
  const std::string as = entry.status == MergeStatus::kMerged
                             ? fmt::format("{} as {}", entry.target, entry.merged_as.substr(0, 10))
                             : entry.last_error;
  merge_env.say(
      fmt::format("{}: {} {}: {}", entry.id(), entry.branch, MergeStatusName(entry.status), as));
}

// Removes what entries that ended long ago left; the next run retries what fails now.
void PruneQueue(const MergeEnv& merge_env, const MergeBook& book) {
  const Result<Pruned> pruned =
      PruneEnded({merge_env.files, merge_env.project, merge_env.git}, book, merge_env.clock.Wall(),
                 merge_env.settings.keep_age);
  if (!pruned) merge_env.say(fmt::format("pruning: {}", pruned.error().message));
}

// T3 of the resumption document of the worktree that the work comes from.
void RecordGate(Env& env, const Layout& project, const MergeEntry& entry, const GateRule& rule,
                const GateResult& result) {
  const bool passed = result.outcome == GateOutcome::kPassed;
  const bool judged =
      passed || result.outcome == GateOutcome::kFailed || result.outcome == GateOutcome::kTimedOut;
  const std::string folder = entry.worktree_path.empty() ? project.Root() : entry.worktree_path;
  const std::optional<std::string> path = FindDocumentQuickly(env.files, project, folder);
  if (!judged || !path) return;
  const ResumptionEvent event{
      .id = fmt::format("gate {} {} {} {}", entry.id(), result.commit, rule.name, result.rule),
      .trigger = Trigger::kGateIteration,
      .at = env.clock.Wall(),
      .data =
          MakeObject({{"gate", rule.quality_gate}, {"score", passed ? 1 : 0}, {"passed", passed}})};
  const Result<DocumentSession> session = FindSession(env, project);
  DocumentEnv document{env.files, env.clock, project, *path,
                       session ? *session : DocumentSession{}};
  document.holds = true;
  const Result<UpdateOutcome> updated = UpdateDocument(document, event);
  if (!updated) env.say(fmt::format("not noted in {}: {}", *path, updated.error().message));
}

Result<void> CheckIsThere(const MergeEnv& merge_env, const std::string& branch) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(merge_env, branch));
  if (!tip.IsNone()) return {};
  return Error{ErrorCode::kNotFound, fmt::format("no branch {}", Quote(branch)),
               "--target must be a local branch, as shown by git branch"};
}

}  // namespace

Result<Owner> WhoseWork(Env& env, const MergePlace& place, const IdentityBook& book,
                        const AgentId& agent, const QueueAddRequest& request) {
  const Identity* own = book.Find(agent.identity());
  if (own == nullptr) return Owner{};
  BELAY_TRY_ASSIGN(const std::optional<std::string> other, OtherNamed(env, book, *own, request));
  if (other) return Owner{false, *other};
  const std::string here = CheckedOutBranch(env.files, own->worktree_path);
  const std::string branch = request.branch.value_or(here);
  if (branch.empty()) return Owner{.is_caller = true};
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(place.MakeEnv(env), branch));
  if (tip.IsNone()) return Owner{.is_caller = true};
  const std::string name = agent.identity().text();
  MergeLedger queue(env.files, env.clock, place.project);
  BELAY_TRY(queue.CatchUp());
  const MergeEntry* open =
      queue.book().FindOpen(branch, request.target.value_or(place.settings.target));
  if (open != nullptr) return Owner{open->identity_name == name, WhoAdded(*open)};
  if (branch == here) return Owner{.is_caller = true};
  BELAY_TRY_ASSIGN(std::string worker, WhoElseWorksOn(env, place, book, *own, branch));
  return Owner{worker.empty(), std::move(worker)};
}

Result<QueueReadOutcome> ReadQueue(Env& env) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  MergeLedger ledger(env.files, env.clock, project);
  BELAY_TRY(ledger.CatchUp());
  return QueueReadOutcome{ledger.book(), WhyNothingLands(env, project),
                          PersonMessagesLine(env, project)};
}

Result<QueueAddOutcome> AddToQueue(Env& env, QueueAddRequest request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  BELAY_TRY(SetWho(env, place, request));
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
  BELAY_TRY_ASSIGN(Enqueued added, Enqueue(place.MakeEnv(env), ledger, entry));
  return QueueAddOutcome{std::move(added), ledger.book(), WhyNothingLands(place.settings)};
}

namespace {

void SaySettingsChanges(Env& env, const Layout& project) {
  const auto changes =
      RecordSettingsChanges(env.files, env.clock, project, ProjectLedger::kPatience);
  if (!changes) return;  // the journal has other readers, which report that
  for (const SettingsChange& one : *changes) env.say(one.Text());
}

// Lands the next entry, or all of them; adds those that have ended to the outcome.
Result<void> LandEntries(const MergeEnv& env, MergeLedger& ledger, Lander& lander,
                         const QueueProcessRequest& request, QueueProcessOutcome& outcome) {
  BELAY_TRY(lander.FinalizeAll(outcome.target));
  bool more = true;
  while (more) {
    BELAY_TRY_ASSIGN(const std::optional<MergeEntry> landed, lander.LandNext(outcome.target));
    const bool ended = landed && !IsInQueue(landed->status);
    if (ended) SayEnd(env, *landed);
    if (ended) outcome.entries.push_back(*landed);
    more = ended && request.all;
    if (ended || env.interrupted()) continue;
    BELAY_TRY(lander.CleanUp());
    PruneQueue(env, ledger.book());
  }
  return {};
}

}  // namespace

Result<QueueProcessOutcome> ProcessQueue(Env& env, const QueueProcessRequest& request) {
  BELAY_TRY_ASSIGN(MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  if (request.no_gates) place.settings.gates.clear();
  // The guardian, which calls this too, reports them itself.
  if (env.caller && env.caller->IsPerson()) SaySettingsChanges(env, place.project);
  MergeEnv merge_env = place.MakeEnv(env);
  merge_env.progress = request.progress;
  BELAY_TRY_ASSIGN(const std::unique_ptr<Interruption> interruption,
                   Interruption::Watch(*place.loop));
  merge_env.interrupted = [&] { return interruption->Came(); };
  merge_env.judged = [&](const MergeEntry& entry, const GateRule& rule, const GateResult& result) {
    RecordGate(env, place.project, entry, rule, result);
  };
  QueueProcessOutcome outcome;
  outcome.target = request.target.value_or(place.settings.target);
  MergeLedger ledger(env.files, env.clock, place.project);
  // This finishes what a killed run left, with gates or without.
  BELAY_TRY_ASSIGN(Lander lander, Lander::Begin(merge_env, ledger));
  if (place.settings.gates.empty() && !request.no_gates) return NoGates();
  const Result<void> landed = LandEntries(merge_env, ledger, lander, request, outcome);
  // Also what waits, was interrupted, or was recorded by a run that was killed right after.
  (void)ledger.RenderWithin(MergeLedger::kPatience);
  BELAY_TRY(landed);
  outcome.stopped = interruption->Came();
  outcome.paused = ledger.book().Target(outcome.target).paused;
  outcome.signal = interruption->signal();
  outcome.unpause = UnpauseCommand(place, outcome.target);
  outcome.book = ledger.book();
  return outcome;
}

Result<MergeEntry> ChangeQueueEntry(Env& env, const QueueChangeRequest& request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  MergeLedger ledger(env.files, env.clock, place.project);
  const MergeEnv merge_env = place.MakeEnv(env);
  switch (request.change) {
    case EntryChange::kRemove:
      return RemoveEntry(merge_env, ledger, request.number);
    case EntryChange::kRetry:
      return RetryEntry(merge_env, ledger,
                        {request.number, env.caller->IsPerson(), request.gates_change});
  }
  __builtin_unreachable();
}

Result<QueuePauseOutcome> PauseQueue(Env& env, const QueuePauseRequest& request) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(env, VaultUse::kWrite));
  const std::string branch = request.target.value_or(place.settings.target);
  if (request.paused) BELAY_TRY(CheckIsThere(place.MakeEnv(env), branch));
  MergeLedger ledger(env.files, env.clock, place.project);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, place.project));
  BELAY_TRY_ASSIGN(MergeTarget target,
                   ledger.ChangeTarget(lock, branch, request.paused ? "paused" : "unpaused",
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

MergeEnv MergePlace::MakeEnv(Env& env) const {
  return {.files = env.files,
          .clock = env.clock,
          .random = env.random,
          .project = project,
          .settings = settings,
          .git = git,
          .common_folder = common_folder,
          .environment = env.environment,
          .loop = *loop,
          .say = env.say};
}

Result<MergePlace> FindMergePlace(Env& env, VaultUse use) {
  BELAY_TRY_ASSIGN(Layout project, LocateProject(env));
  if (!project.InRepository()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is not a git repository, so there are no branches to merge",
                             project.Root()),
                 "run git init, then belay init"};
  }
  BELAY_TRY(CheckVault(env.files, project, use));
  BELAY_TRY_ASSIGN(const std::vector<ConfigSource> sources, ConfigSources(env, project));
  BELAY_TRY_ASSIGN(const Config config, Accept(ReadConfig(sources)));
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(env.files, project.Root()));
  BELAY_TRY_ASSIGN(std::unique_ptr<EventLoop> loop, env.make_loop());
  Git git(env.programs, env.environment, project.Root());
  return MergePlace{std::move(project), ReadMergeSettings(config), std::move(git),
                    repository.common_folder, std::move(loop)};
}

std::string UnpauseCommand(const MergePlace& place, const std::string& target) {
  const bool usual = target == place.settings.target;
  return "belay merge-queue unpause" + (usual ? "" : fmt::format(" --target {}", target));
}

const Identity* WhoWorksOn(const FileSystem& files, const Layout& project, const IdentityBook& book,
                           std::string_view branch) {
  const Identity* owner = nullptr;
  for (const auto& [name, entry] : book.entries()) {
    const Identity& identity = entry.present;
    const bool own = !identity.worktree_path.empty() && identity.worktree_path != project.Root() &&
                     FactsOf(identity.host).is_agent;
    if (!own || CheckedOutBranch(files, identity.worktree_path) != branch) continue;
    if (owner != nullptr) return nullptr;
    owner = &identity;
  }
  return owner;
}

std::string WhyNothingLands(const MergeSettings& settings) {
  if (!settings.gates.empty()) return {};
  return "nothing lands until merge.gates is set in .claude/belay.yml (belay help merge-queue "
         "shows "
         "how); belay merge-queue process --no-gates lands the next entry without a test";
}

std::string WhyNothingLands(const Env& env, const Layout& project) {
  const auto sources = ConfigSources(env, project);
  const Result<Config> config =
      sources ? Accept(ReadConfig(*sources)) : Result<Config>(sources.error());
  return config ? WhyNothingLands(ReadMergeSettings(*config)) : std::string();
}

}  // namespace belay
