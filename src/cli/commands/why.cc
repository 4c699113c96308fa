#include <fmt/core.h>

#include "app/agent_argument.h"
#include "app/agent_worktree.h"
#include "app/agents_view.h"
#include "app/merge_place.h"
#include "app/session_place.h"
#include "cli/agent_history.h"
#include "cli/agents_output.h"
#include "cli/commands/commands.h"
#include "cli/snapshot_text.h"
#include "cli/why_entry.h"
#include "engine/supervise/restart_policy.h"
#include "ledger/hook_ledger.h"
#include "ledger/merge_ledger.h"
#include "ui/width.h"

namespace belay {
namespace {

// All are of one identity, so the incarnation is enough.
std::string IncarnationText(const std::string& agent_id) {
  const std::size_t hash = agent_id.find('#');
  return hash == std::string::npos ? std::string() : agent_id.substr(hash);
}

std::string HistoryTable(const std::vector<HistoryRecord>& records, const Screen& screen) {
  Table table{.columns = {{.title = "time (UTC)"},
                          {.title = "life"},
                          {.title = "what"},
                          {.title = "why", .fit = Fit::kWrap, .min_width = 24}}};
  for (const HistoryRecord& record : records) {
    table.rows.push_back({{TimeText(record.at), Tone::kDim},
                          {IncarnationText(record.agent_id), Tone::kDim},
                          {record.kind, Tone::kBold},
                          {record.why}});
  }
  return Render(table, {screen.columns, screen.style});
}

// What is about nobody in particular belongs to whom the record before it is about.
void KeepOnly(const AgentId& agent, std::vector<HistoryRecord>& records) {
  std::string whose;
  std::erase_if(records, [&](const HistoryRecord& record) {
    if (!record.agent_id.empty()) whose = record.agent_id;
    return whose != agent.text();
  });
}

// What is going to happen to one that crashed and waits.
std::string NextOfWaiting(const AgentRow& row, bool guarded, WallTime now) {
  const RestartState& restart = row.identity->restart;
  if (!guarded) return "a guardian would bring it back, but none runs: belay guard starts one";
  const Duration left = TimeUntil(restart, now);
  if (left < std::chrono::seconds(1)) return "the guardian brings it back now";
  return fmt::format("the guardian brings it back in {}, at {}", AgeText(now, now + left),
                     FormatUtc(now + left));
}

std::string StartAgain(const SessionDoors& doors, const Identity& identity) {
  const std::string& name = identity.id.identity().text();
  const HostFacts& facts = FactsOf(identity.host);
  if (!facts.launched) return fmt::format("nothing; it {}", facts.not_ours);
  const std::string spawn = SpawnAgainCommand(doors.files, doors.project, identity);
  if (!LacksWorktree(doors.files, identity)) {
    return fmt::format("nothing; belay release {} continues it, {} starts a new task", name, spawn);
  }
  return fmt::format(
      "nothing; its worktree {} is gone: {}, then belay release {} continues it; {} starts a new "
      "task",
      identity.worktree_path, RestoreWorktreeCommand(doors, identity), name, spawn);
}

// The guardian is no agent: it is started by a command of its own.
std::string NextOfGuardian(const AgentRow& row, bool guarded) {
  if (row.pid) return "it watches the agents; Ctrl-C in its terminal ends it, agents go on";
  return guarded ? "another guardian runs" : "no guardian runs: belay guard starts one";
}

// What can't be seen running, though it is recorded so.
std::string NextOfUnseen(const AgentRow& row, bool guarded) {
  if (!row.ours) {
    return guarded ? "it is not brought back here: the guardian is about to record that"
                   : "it may run where it was started; it is not brought back here";
  }
  return guarded ? "the guardian is about to record its end"
                 : "no guardian runs: belay guard records its end and decides what comes next";
}

// Of one whose process is there.
std::string NextOfRunning(const AgentRow& row, bool guarded) {
  const Identity& identity = *row.identity;
  const std::string name = identity.id.identity().text();
  if (IsToStop(identity)) {
    return fmt::format("{} asked for its stop: it is not brought back",
                       SpokenName(identity.intent->by));
  }
  if (row.status == AgentStatus::kSuspect) {
    return fmt::format("{}; belay attach {} shows its terminal, belay stop {} ends it",
                       guarded ? "the guardian looks again" : "no guardian looks at it", name,
                       name);
  }
  if (!identity.respawn) return "when it ends, it is not brought back";
  return guarded ? "if it falls, the guardian brings it back"
                 : "if it falls, nobody brings it back until belay guard runs";
}

std::string NextStepText(const SessionDoors& doors, const AgentRow& row, bool guarded) {
  const Identity& identity = *row.identity;
  const std::string name = identity.id.identity().text();
  if (identity.id.identity().role() == "guardian") return NextOfGuardian(row, guarded);
  if (!row.ours) return NextOfUnseen(row, guarded);
  switch (row.status) {
    case AgentStatus::kSpawning:
      return guarded ? "the guardian sees to it that it starts"
                     : "it is being started; if that was cut short, belay guard takes it up";
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return row.pid ? NextOfRunning(row, guarded) : NextOfUnseen(row, guarded);
    case AgentStatus::kTerminated:
      return StartAgain(doors, identity);
    case AgentStatus::kCrashed:
      if (IsRunning(identity.status)) {
        return guarded ? "the guardian is about to decide"
                       : "no guardian runs: belay guard decides whether it comes back";
      }
      if (identity.restart.due) return NextOfWaiting(row, guarded, doors.clock.Wall());
      return StartAgain(doors, identity);
    case AgentStatus::kQuarantined:
      return fmt::format("nothing until somebody releases it: belay release {}", name);
  }
  __builtin_unreachable();
}

std::string NowText(const AgentRow& row, const std::string& next, const Screen& screen) {
  const std::string reason = row.reason.empty() ? "" : fmt::format(" ({})", row.reason);
  const std::string pid = row.pid ? fmt::format(", pid {}", *row.pid) : "";
  return "\n" + Wrap(Printable(fmt::format("now: {} is {}{}{}. Next: {}.", row.identity->id.text(),
                                           AgentStatusName(row.status), pid, reason, next)),
                     screen.ProseColumns(), 0, 2);
}

Json NowJson(const AgentRow& row, const std::string& next, bool guarded) {
  Json now = RowJson(row);
  now.Set("next", next);
  now.Set("guarded", guarded);
  return now;
}

}  // namespace

Result<int> RunWhy(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(services, VaultUse::kRead, Mistakes::kWarn));
  const SessionDoors doors = place.Doors(services);
  IdentityLedger ledger(services.files, services.clock, place.project);
  const std::string& operand = invocation.operands()[0];
  const Result<AgentId> agent = FindIncarnation(ledger, operand);
  MergeLedger queue(services.files, services.clock, place.project);
  const Result<void> queue_read = queue.CatchUp();
  const MergeEntry* entry = FindEntry(queue.book(), operand, agent.ok());
  if (entry != nullptr) {
    const bool guarded = GuardianRuns(services.files, place.project, ledger.book());
    return ShowWhyOfEntry(
        services, place.project,
        {queue.book(), *entry, guarded, queue_read, WhyNothingLands(services, place.project)});
  }
  if (!agent && !queue_read) return queue_read.error();
  if (!agent && operand.starts_with('m') && ParseMergeEntryId(operand)) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no entry {}", operand),
                 "belay merge-queue list --all shows them"};
  }
  if (!agent) return agent.error();
  const AgentId& named = *agent;
  const IdentityName& name = named.identity();
  HookLedger hooks(services.files, services.clock, place.project);
  const Result<void> hooks_read = hooks.CatchUp();
  History history = ReadAgentHistory(services.files, place.project, name);
  if (operand.find('#') != std::string::npos) KeepOnly(named, history.records);
  if (!hooks_read) history.warnings.push_back(hooks_read.error().message);
  const AgentRow row = LookAt(doors, *ledger.book().Find(name), hooks.book().Glance(name));
  const bool guarded = GuardianRuns(doors.files, doors.project, ledger.book());
  const std::string next = NextStepText(doors, row, guarded);

  Io& io = services.io;
  Json records = Json::EmptyArray();
  for (const HistoryRecord& record : history.records) records.Append(HistoryRecordJson(record));
  const std::string text = HistoryTable(history.records, io.screen);
  for (const std::string& warning : history.warnings) io.Say(Printable(warning));
  io.Show(MakeObject({{"records", std::move(records)},
                      {"now", NowJson(row, next, guarded)},
                      {"warnings", TextList(history.warnings)}}),
          text + NowText(row, next, io.screen));
  return 0;
}

}  // namespace belay
