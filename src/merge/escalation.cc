#include "merge/escalation.h"

#include <fmt/core.h>

#include "codec/json.h"
#include "engine/merge/merge_text.h"
#include "engine/messages/message_text.h"
#include "engine/supervise/restart_policy.h"
#include "ledger/dispatcher.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/signal_box.h"

namespace belay {
namespace {

Result<void> Send(const MergeDoors& doors, SignalType type, const Recipient& to, Json payload) {
  SignalBox box(doors.files, doors.clock, doors.random, doors.project, to);
  const Signal signal{.type = type,
                      .from = "guardian",
                      .to = to.text(),
                      .at = doors.clock.Wall(),
                      .payload = std::move(payload)};
  BELAY_TRY(box.Send(signal));
  return {};
}

// The hook record of the agent that did the work shows its state. Without an agent there is nothing
// to do.
Result<void> NoteInHook(const MergeDoors& doors, const IdentityName& name, HookStatus status,
                        const Json& problem) {
  HookLedger hooks(doors.files, doors.clock, doors.project);
  BELAY_TRY_ASSIGN(const HookLock lock, HookLedger::Lock(doors.files, doors.project));
  const Result<Hook> changed =
      hooks.Change(lock, name, std::nullopt, "merge", HookStatusName(status), [&](Hook& hook) {
        hook.status = status;
        hook.resumption_instructions = TextIn(problem, "text");
        hook.landing_problem = problem;
      });
  if (!changed && changed.error().code == ErrorCode::kNotFound) return {};
  if (!changed) return changed.error();
  return hooks.Render(lock, name);
}

// So that its next hook delivers it. If that fails, the guardian does it later: the signal is
// stored.
void OfferToAgent(const MergeDoors& doors, const IdentityName& name) {
  const Result<void> offered = [&]() -> Result<void> {
    IdentityLedger identities(doors.files, doors.clock, doors.project);
    BELAY_TRY(identities.CatchUp());
    const Identity* present = identities.book().Find(name);
    if (present == nullptr) return {};
    Dispatcher dispatcher(doors.files, doors.clock, doors.random, doors.project);
    BELAY_TRY(dispatcher.Update(*present));
    return {};
  }();
  if (!offered) doors.say(offered.error().message);
}

// Removes reports about earlier attempts of a branch; they are obsolete.
void DropOldReports(const MergeDoors& doors, const IdentityName& name, const MergeEntry& entry,
                    std::string_view why) {
  const Result<void> dropped = [&]() -> Result<void> {
    IdentityLedger identities(doors.files, doors.clock, doors.project);
    BELAY_TRY(identities.CatchUp());
    const Identity* present = identities.book().Find(name);
    if (present == nullptr) return {};
    Dispatcher dispatcher(doors.files, doors.clock, doors.random, doors.project);
    BELAY_TRY(dispatcher.Settle(
        *present, DeliveryState::kDropped, "", why,
        [&](const Signal& signal) { return TextIn(signal.payload, "entry_id") == entry.id(); }));
    return {};
  }();
  if (!dropped) doors.say(dropped.error().message);
}

// Starts an agent that has ended, for any reason, to fix its work. False: it can't be started.
Result<bool> BringBack(const MergeDoors& doors, const IdentityName& name) {
  IdentityLedger identities(doors.files, doors.clock, doors.project);
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(doors.files, doors.project));
  BELAY_TRY(identities.CatchUp());
  const Identity* present = identities.book().Find(name);
  if (present == nullptr) return false;
  if (IsRunning(present->status)) return true;
  const bool stopped = present->intent && present->intent->what == "stop";
  const bool waits = present->status == AgentStatus::kQuarantined;
  if (!FactsOf(present->host).launched || stopped || waits || !present->respawn) return false;
  Identity changed = *present;
  changed.status = AgentStatus::kCrashed;
  changed.restart.due = doors.clock.Wall();
  changed.restart.wait = Duration::zero();
  changed.restart.reason = "its work has to be fixed before it can be merged";
  BELAY_TRY(identities.Record(lock, IdentityChange{"resolver", changed.restart.reason, changed}));
  (void)identities.Render(lock, name);
  return true;
}

Result<void> AskPerson(const MergeDoors& doors, const MergeEntry& entry, const std::string& why) {
  Json payload = LandingProblem(entry, false);
  payload.Set("text", PersonText(entry));
  payload.Set("reason", fmt::format("{}: {} ({})", entry.id(), entry.last_error, why));
  doors.say(fmt::format("{}: a person is asked: {}", entry.id(), why));
  return Send(doors, SignalType::kEscalate, Recipient::Person(), std::move(payload));
}

// Caused by the entry's own work; else it is for the user.
bool IsForTheAgent(const MergeEntry& entry) {
  const bool red_target = !entry.gate_results.empty() && entry.gate_results.back().detail.find(
                                                             " is red, too") != std::string::npos;
  // Without files it isn't a conflict that the agent could fix: there is no common history, for
  // example.
  return (entry.status == MergeStatus::kConflict && !entry.conflict.files.empty()) ||
         (entry.status == MergeStatus::kGateFailed && !red_target);
}

}  // namespace

Result<void> NoteHandedIn(const MergeDoors& doors, const std::string& identity_name) {
  const Result<IdentityName> name = IdentityName::Parse(identity_name);
  if (!name) return {};
  HookLedger hooks(doors.files, doors.clock, doors.project);
  BELAY_TRY(hooks.CatchUp());
  const Hook* hook = hooks.book().Find(*name);
  if (hook == nullptr || hook->status != HookStatus::kBlocked) return {};
  return NoteInHook(doors, *name, HookStatus::kMerging, {});
}

Result<std::string> TellMerged(const MergeDoors& doors, const MergeEntry& entry) {
  const Json payload = MakeObject({{"commit", entry.merged_as},
                                   {"entry_id", entry.id()},
                                   {"branch", entry.branch},
                                   {"target", entry.target},
                                   {"node_id", entry.node_id},
                                   {"proof", entry.proof}});
  const Result<IdentityName> name = IdentityName::Parse(entry.identity_name);
  if (name) {
    BELAY_TRY(NoteInHook(doors, *name, HookStatus::kMerged, {}));
    DropOldReports(doors, *name, entry, "the branch has landed since");
    BELAY_TRY(Send(doors, SignalType::kMergeComplete, Recipient::Agent(*name), payload));
  }
  BELAY_TRY(Send(doors, SignalType::kMergeComplete, Recipient::Guardian(), payload));
  return name ? name->text() : std::string("the guardian");
}

Result<std::string> TellParked(const MergeDoors& doors, const MergeEntry& entry) {
  const std::string person = "a person (belay signal list person)";
  const Result<IdentityName> name = IdentityName::Parse(entry.identity_name);
  const SignalType type = entry.status == MergeStatus::kConflict ? SignalType::kMergeConflict
                                                                 : SignalType::kMergeFailed;
  if (!name && entry.status == MergeStatus::kGateUnrunnable) {
    BELAY_TRY(AskPerson(doors, entry, "no agent can fix it"));
    return person;
  }
  const bool for_agent = IsForTheAgent(entry) && entry.attempts < doors.settings.most_attempts;
  Json problem = LandingProblem(entry, for_agent);
  if (!name) {
    problem.Set("text", PersonText(entry));
    BELAY_TRY(Send(doors, type, Recipient::Person(), std::move(problem)));
    return person;
  }
  BELAY_TRY(NoteInHook(doors, *name, HookStatus::kBlocked, problem));
  DropOldReports(doors, *name, entry, "a newer report replaces it");
  BELAY_TRY(Send(doors, type, Recipient::Agent(*name), problem));
  OfferToAgent(doors, *name);
  std::string why;
  if (!IsForTheAgent(entry)) {
    why = "the agent can't fix this";
  } else if (!for_agent) {
    why = fmt::format("{} attempts", entry.attempts);
  } else {
    BELAY_TRY_ASSIGN(const bool comes, BringBack(doors, *name));
    if (!comes) why = fmt::format("{} is gone", name->text());
  }
  if (why.empty()) return name->text();
  BELAY_TRY(AskPerson(doors, entry, why));
  return fmt::format("{} and {}", name->text(), person);
}

}  // namespace belay
