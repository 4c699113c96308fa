#include <fmt/core.h>

#include "cli/agent_argument.h"
#include "cli/commands/commands.h"
#include "cli/session_place.h"
#include "engine/supervise/restart_policy.h"
#include "guardian/caller.h"
#include "guardian/end.h"
#include "guardian/lease.h"

namespace belay {
namespace {

// Nobody waits for anything.
Error NothingToRelease(const Identity& identity) {
  const std::string name = identity.id.identity().text();
  return {
      ErrorCode::kNotFound,
      fmt::format("nothing to do: {} is {}", identity.id.text(), AgentStatusName(identity.status)),
      IsRunning(identity.status)
          ? fmt::format("belay why {} tells what happened to it", name)
          : fmt::format("belay spawn --role {} --name {} -- COMMAND starts it again",
                        identity.id.identity().role(), identity.id.identity().name())};
}

// One that has ended, however it did; if belay started it, and in this place.
bool MayBeReleased(const SessionDoors& doors, const Identity& identity) {
  const bool starts = identity.host == AgentHost::kProcess || identity.host == AgentHost::kTmux;
  return !IsRunning(identity.status) && starts &&
         IsOurs(identity, OurLease(doors.files, doors.project));
}

IdentityChange Release(const SessionDoors& doors, const Identity& present, const std::string& by) {
  Identity released = present;
  released.status = AgentStatus::kCrashed;  // what the guardian brings back
  released.intent.reset();
  released.restart = Released(present.restart, doors.clock.Wall());
  const bool ended = present.status == AgentStatus::kTerminated;
  if (ended) released.restart.reason = "it had ended and is continued";
  return {"released",
          fmt::format("{}asked for by {}", ended ? "it had ended and is continued, " : "",
                      SpokenName(by)),
          std::move(released)};
}

// An agent that may lift its own quarantine has none.
Result<std::string> WhoReleases(const IdentityLedger& ledger, const Services& services) {
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(ledger.book(), services.environment));
  if (caller.party == Party::kPerson) return caller.Name();
  return Error{ErrorCode::kRefused, fmt::format("{} may release nobody", caller.Name()),
               "a person does, outside of any agent"};
}

Result<Identity> RecordRelease(const SessionDoors& doors, IdentityLedger& ledger,
                               const IdentityName& name, const std::string& by) {
  BELAY_TRY_ASSIGN(const StateLock lock, IdentityLedger::Lock(doors.files, doors.project));
  BELAY_TRY_ASSIGN(const Identity present, SettleUnder(doors, ledger, lock, name));
  if (!MayBeReleased(doors, present)) return NothingToRelease(present);
  const IdentityChange change = Release(doors, present, by);
  BELAY_TRY(ledger.Record(lock, change));
  (void)ledger.Render(lock, name);
  return change.identity;
}

std::string Text(const Identity& released, bool guarded) {
  const bool continues = !released.restart.reason.empty();
  return fmt::format("{} is {}; {} starts its successor{}\n", released.id.text(),
                     continues ? "continued" : "released",
                     guarded ? "the guardian" : "no guardian runs, belay guard",
                     continues ? ", which continues its conversation" : "");
}

}  // namespace

Result<int> RunRelease(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(invocation, services, VaultUse::kWrite, Mistakes::kWarn));
  const SessionDoors doors = place.Doors(services);
  IdentityLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(ledger, invocation.operands()[0]));
  BELAY_TRY_ASSIGN(const std::string by, WhoReleases(ledger, services));
  BELAY_TRY_ASSIGN(const Identity released, RecordRelease(doors, ledger, name, by));
  const bool guarded = GuardianRuns(doors.files, doors.project, ledger.book());
  services.io.Show(MakeObject({{"agent_id", released.id.text()},
                               {"status", AgentStatusName(released.status)},
                               {"guarded", guarded}}),
                   Text(released, guarded));
  return 0;
}

}  // namespace belay
