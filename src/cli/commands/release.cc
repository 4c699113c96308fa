#include <fmt/core.h>

#include "cli/agent_argument.h"
#include "cli/commands/commands.h"
#include "cli/session_place.h"
#include "engine/supervise/restart_policy.h"
#include "guardian/caller.h"
#include "guardian/end.h"
#include "guardian/lease.h"
#include "guardian/missing_worktree.h"
#include "guardian/outfit.h"

namespace belay {
namespace {

// It runs, or belay can't start it again.
Error NothingToRelease(const SessionDoors& doors, const Identity& identity) {
  const std::string name = identity.id.identity().text();
  if (identity.host == AgentHost::kSelf) {
    return {ErrorCode::kNotFound, fmt::format("nothing to do: {} is no agent", name),
            "belay guard starts a guardian"};
  }
  return {
      ErrorCode::kNotFound,
      fmt::format("nothing to do: {} is {}", identity.id.text(), AgentStatusName(identity.status)),
      IsRunning(identity.status)
          ? fmt::format("belay why {} tells what happened to it", name)
          : SpawnAgainCommand(doors.files, doors.project, identity) + " starts it again"};
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

// What its successor can go on from. A script has no conversation, and one may be lost.
bool KeepsConversation(const SessionDoors& doors, const Identity& released) {
  HookLedger hooks(doors.files, doors.clock, doors.project);
  const Result<void> read = hooks.CatchUp();
  const Hook* hook = hooks.book().Find(released.id.identity());
  return read && hook != nullptr && WouldContinueConversation(doors, released, *hook);
}

struct ReleasedAgent {
  Identity identity;
  bool same_conversation = false;
};

Result<ReleasedAgent> RecordRelease(const SessionDoors& doors, IdentityLedger& ledger,
                                    const IdentityName& name, const std::string& by) {
  BELAY_TRY_ASSIGN(const StateLock lock, IdentityLedger::Lock(doors.files, doors.project));
  BELAY_TRY_ASSIGN(const Identity present, SettleUnder(doors, ledger, lock, name));
  if (!MayBeReleased(doors, present)) return NothingToRelease(doors, present);
  BELAY_TRY(CheckHasWorktree(doors, present));
  const IdentityChange change = Release(doors, present, by);
  // Asked before it is recorded: then a guardian may start the successor at any moment.
  const bool same_conversation = KeepsConversation(doors, change.identity);
  BELAY_TRY(ledger.Record(lock, change));
  (void)ledger.Render(lock, name);
  return ReleasedAgent{change.identity, same_conversation};
}

std::string Text(const ReleasedAgent& agent, bool guarded) {
  const Identity& released = agent.identity;
  const bool continues = !released.restart.reason.empty();
  return fmt::format(
      "{} is {}; {} starts its successor, which {}\n", released.id.text(),
      continues ? "continued" : "released",
      guarded ? "the guardian" : "no guardian runs, belay guard",
      agent.same_conversation ? "continues its conversation" : "starts again with the resume text");
}

}  // namespace

Result<int> RunRelease(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(invocation, services, VaultUse::kWrite, Mistakes::kWarn));
  const SessionDoors doors = place.Doors(services);
  IdentityLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(ledger, invocation.operands()[0]));
  BELAY_TRY_ASSIGN(const std::string by, WhoReleases(ledger, services));
  BELAY_TRY_ASSIGN(const ReleasedAgent agent, RecordRelease(doors, ledger, name, by));
  const Identity& released = agent.identity;
  const bool guarded = GuardianRuns(doors.files, doors.project, ledger.book());
  services.io.Show(MakeObject({{"agent_id", released.id.text()},
                               {"status", AgentStatusName(released.status)},
                               {"guarded", guarded},
                               {"same_conversation", agent.same_conversation}}),
                   Text(agent, guarded));
  return 0;
}

}  // namespace belay
