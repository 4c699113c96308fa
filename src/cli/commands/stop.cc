#include <fmt/core.h>

#include "cli/agent_argument.h"
#include "cli/agent_snapshot.h"
#include "cli/agent_stopper.h"
#include "cli/commands/commands.h"
#include "cli/session_place.h"
#include "cli/snapshot_text.h"
#include "guardian/caller.h"
#include "guardian/end.h"
#include "ui/width.h"

namespace belay {
namespace {

// What was done, as far as it came.
struct Stopped {
  Identity identity;
  bool ran = false;
  bool killed = false;
  std::vector<std::string> snapshots = {};
  std::vector<std::string> warnings = {};
};

Result<void> CheckMayBeStopped(const Identity& identity) {
  const std::string id = identity.id.text();
  const std::string name = identity.id.identity().text();
  if (identity.host == AgentHost::kSelf) {
    return Error{ErrorCode::kRefused, fmt::format("{} is belay itself", id),
                 "end it where it runs, or by systemctl --user stop; agents go on without it"};
  }
  if (identity.host == AgentHost::kExternal) {
    return Error{ErrorCode::kRefused, fmt::format("{} was not started by belay", id),
                 "end it where it runs"};
  }
  if (identity.status == AgentStatus::kTerminated) {
    return Error{ErrorCode::kNotFound, fmt::format("nothing to do: {} has ended already", id),
                 fmt::format("belay why {} tells how", name)};
  }
  return {};
}

IdentityChange Asked(const SessionDoors& doors, const Identity& present, const std::string& by) {
  Identity asked = present;
  asked.intent = Intent{"stop", by, doors.clock.Wall()};
  return {"stop", fmt::format("asked for by {}", SpokenName(by)), std::move(asked)};
}

// It doesn't run, and isn't brought back any more.
IdentityChange GivenUp(const SessionDoors& doors, const Identity& present, const std::string& by) {
  IdentityChange change = Asked(doors, present, by);
  change.kind = AgentStatusName(AgentStatus::kTerminated);
  change.why = fmt::format("asked for by {}, when it was {}", SpokenName(by),
                           AgentStatusName(present.status));
  change.identity.status = AgentStatus::kTerminated;
  change.identity.restart.due.reset();
  change.identity.restart.reason.clear();
  return change;
}

// Durable before anything is done about it: whoever sees it end knows that it was meant to.
Result<Identity> RecordStop(const SessionDoors& doors, IdentityLedger& ledger,
                            const IdentityName& name, const std::string& by) {
  BELAY_TRY_ASSIGN(const StateLock lock, IdentityLedger::Lock(doors.files, doors.project));
  BELAY_TRY_ASSIGN(const Identity present, SettleUnder(doors, ledger, lock, name));
  BELAY_TRY(CheckMayBeStopped(present));
  const bool asked = present.intent && present.intent->what == "stop";
  if (IsRunning(present.status) && asked) return present;
  IdentityChange change =
      IsRunning(present.status) ? Asked(doors, present, by) : GivenUp(doors, present, by);
  BELAY_TRY(ledger.Record(lock, change));
  (void)ledger.Render(lock, name);
  return change.identity;
}

// A snapshot that can't be taken stops no stop.
void Keep(const Invocation& invocation, Services& services, const Layout& project,
          std::string_view when, Stopped& stopped) {
  if (!project.InRepository()) return;
  const std::string message = fmt::format("{} {} was stopped", when, stopped.identity.id.text());
  const Result<TakenNow> now = TakeWorkOf(invocation, services, project, stopped.identity, message);
  if (now && now->taken.is_new) stopped.snapshots.push_back(now->taken.snapshot.id.text());
  if (now) return;
  stopped.warnings.push_back(
      fmt::format("its work was not kept {} the stop: {}", when, now.error().message));
  services.io.Say(Printable(stopped.warnings.back()));
}

Result<void> EndIt(Services& services, const SessionDoors& doors, bool now, Stopped& stopped) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  AgentStopper stopper(*loop, doors, stopped.identity);
  Result<void> outcome = stopper.Stop(now);
  stopped.killed = stopper.killed();
  return outcome;
}

std::string HowText(const Stopped& stopped) {
  const std::optional<AgentExit>& exit = stopped.identity.exit;
  if (exit && exit->code) return ExitStatus::Exited(*exit->code).text();
  if (exit && exit->signal) return ExitStatus::Killed(*exit->signal).text();
  return "it never ran";
}

std::string Text(const Stopped& stopped) {
  const std::string id = stopped.identity.id.text();
  std::string text = stopped.ran ? fmt::format("{} is stopped ({})\n", id, HowText(stopped))
                                 : fmt::format("{} was not running; it is not brought back\n", id);
  for (const std::string& snapshot : stopped.snapshots) {
    text += fmt::format("its work is kept: {}\n", snapshot);
  }
  return text;
}

Json Record(const Stopped& stopped) {
  return MakeObject({{"agent_id", stopped.identity.id.text()},
                     {"status", AgentStatusName(stopped.identity.status)},
                     {"ran", stopped.ran},
                     {"killed", stopped.killed},
                     {"snapshots", TextList(stopped.snapshots)},
                     {"warnings", TextList(stopped.warnings)}});
}

}  // namespace

Result<int> RunStop(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(invocation, services, VaultUse::kWrite, Mistakes::kWarn));
  const SessionDoors doors = place.Doors(services);
  const bool now = invocation.Has("--now");
  IdentityLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(ledger, invocation.operands()[0]));
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(ledger.book(), services.environment));
  BELAY_TRY(CheckFence(services.files, place.project, ledger, caller, "stop"));
  if (caller.agent && !caller.Is(name)) {
    return Error{
        ErrorCode::kRefused, fmt::format("{} may stop only itself", caller.Name()),
        R"(ask a person: belay signal send ESCALATE --to person --payload '{"reason":"..."}')"};
  }
  BELAY_TRY_ASSIGN(Identity identity, RecordStop(doors, ledger, name, caller.Name()));
  Stopped stopped{.identity = std::move(identity), .warnings = place.warnings};
  stopped.ran = IsRunning(stopped.identity.status);
  if (stopped.ran) {
    if (!now) Keep(invocation, services, place.project, "before", stopped);
    BELAY_TRY(EndIt(services, doors, now, stopped));
    BELAY_TRY_ASSIGN(stopped.identity, Settle(doors, ledger, name));
  }
  Keep(invocation, services, place.project, "after", stopped);
  services.io.Show(Record(stopped), Text(stopped));
  return 0;
}

}  // namespace belay
