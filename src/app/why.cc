#include "app/why.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/agent_worktree.h"
#include "app/merge_queue.h"
#include "app/session_place.h"
#include "engine/merge/merge_text.h"
#include "engine/supervise/restart_policy.h"
#include "ledger/family_table.h"
#include "ledger/hook_ledger.h"
#include "ledger/merge_ledger.h"
#include "ledger/task_ledger.h"

namespace belay {
namespace {

// A record without an agent belongs to the agent of the record before it.
void KeepOnly(const AgentId& agent, std::vector<HistoryRecord>& records) {
  std::string whose;
  std::erase_if(records, [&](const HistoryRecord& record) {
    if (!record.agent_id.empty()) whose = record.agent_id;
    return whose != agent.text();
  });
}

// What comes next for an agent that crashed and waits.
std::string NextOfWaitingAgent(const AgentRow& row, bool guarded, WallTime now) {
  const RestartState& restart = row.identity->restart;
  if (!guarded) return "no guardian is running; belay guard starts one, which restarts it";
  const Duration left = TimeUntil(restart, now);
  if (left < std::chrono::seconds(1)) return "the guardian restarts it now";
  return fmt::format("the guardian restarts it in {}, at {}", AgeText(now, now + left),
                     FormatUtc(now + left));
}

std::string StartAgain(const SessionEnv& env, const Identity& identity) {
  const std::string& name = identity.id.identity().text();
  const HostFacts& facts = FactsOf(identity.host);
  if (!facts.launched) return fmt::format("nothing; it {}", facts.not_ours);
  const std::string spawn = SpawnAgainCommand(env.files, env.project, identity);
  if (!LacksWorktree(env.files, identity)) {
    return fmt::format("nothing; belay release {} continues it, {} starts a new task", name, spawn);
  }
  return fmt::format(
      "nothing; its worktree {} no longer exists: {}, then belay release {} continues it; {} "
      "starts a new task",
      identity.worktree_path, RestoreWorktreeCommand(env, identity), name, spawn);
}

// The guardian is not an agent: it has a command of its own.
std::string NextOfGuardian(const AgentRow& row, bool guarded) {
  if (row.pid)
    return "it watches the agents; Ctrl-C in its terminal ends it, and agents keep running";
  return guarded ? "another guardian is running" : "no guardian is running; belay guard starts one";
}

// It is recorded as running, but its process is not visible here.
std::string NextOfUnseen(const AgentRow& row, bool guarded) {
  if (!row.ours) {
    return guarded ? "it won't be restarted here: the guardian is about to record that"
                   : "it may be running where it was started; it won't be restarted here";
  }
  return guarded
             ? "the guardian is about to record its end"
             : "no guardian is running; belay guard records its end and decides what happens next";
}

// Its process is alive.
std::string NextOfRunning(const AgentRow& row, bool guarded) {
  const Identity& identity = *row.identity;
  const std::string name = identity.id.identity().text();
  if (IsTimedOut(identity)) {
    return "the guardian stops it, because its deadline has passed, and suspends its task";
  }
  if (StopIsRequested(identity)) {
    return fmt::format("{} asked it to stop: it won't be restarted",
                       DisplayName(identity.intent->by));
  }
  if (row.status == AgentStatus::kSuspect) {
    return fmt::format("{}; belay attach {} shows its terminal, belay stop {} ends it",
                       guarded ? "the guardian checks again" : "no guardian is running to check it",
                       name, name);
  }
  if (!identity.respawn) return "when it ends, it won't be restarted";
  return guarded ? "if it crashes, the guardian restarts it"
                 : "if it crashes, it is not restarted until belay guard runs";
}

std::string NextOfAgent(const SessionEnv& env, const AgentRow& row, bool guarded) {
  const Identity& identity = *row.identity;
  const std::string name = identity.id.identity().text();
  if (identity.id.identity().role() == "guardian") return NextOfGuardian(row, guarded);
  if (!row.ours) return NextOfUnseen(row, guarded);
  switch (row.status) {
    case AgentStatus::kSpawning:
      return guarded ? "the guardian makes sure that it starts"
                     : "it is being started; if that was interrupted, belay guard continues";
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return row.pid ? NextOfRunning(row, guarded) : NextOfUnseen(row, guarded);
    case AgentStatus::kTerminated:
      return StartAgain(env, identity);
    case AgentStatus::kCrashed:
      if (IsRunning(identity.status)) {
        return guarded ? "the guardian is about to decide"
                       : "no guardian is running; belay guard decides whether to restart it";
      }
      if (identity.restart.due) return NextOfWaitingAgent(row, guarded, env.clock.Wall());
      return StartAgain(env, identity);
    case AgentStatus::kQuarantined:
      return fmt::format("nothing, until you run belay release {}", name);
  }
  __builtin_unreachable();
}

// The details of the record beside its reason: the conflict, the gate that failed.
std::string WhyOf(const Json& record, const Json& entry) {
  std::string why = TextIn(record, "why");
  if (why == "told") return "reported";  // by an older belay, or a repeated report
  if (why.starts_with("reported to ")) return why;
  const std::optional<MergeStatus> status = ParseMergeStatus(TextIn(entry, "status"));
  const std::string error = TextIn(entry, "last_error");
  const bool stopped = status && (IsParked(*status) || IsWaiting(*status));
  const bool says_more = stopped && !error.empty() && error != why;
  return says_more ? fmt::format("{}: {}", why, error) : why;
}

History HistoryOf(FileSystem& files, const Layout& project, const MergeEntry& wanted) {
  const HistoryJudge judge = [&](std::string_view,
                                 const Json& record) -> std::optional<HistoryRecord> {
    const Json* entry = record.Find("entry");
    if (entry == nullptr || TextIn(*entry, "entry_id") != wanted.id()) return std::nullopt;
    return HistoryRecord{.kind = TextIn(*entry, "status"),
                         .agent_id = TextIn(*entry, "identity_name"),
                         .why = WhyOf(record, *entry)};
  };
  return ReadHistory(files, project, judge, {.journal = MergeFamily::kJournal});
}

struct EntryQuestion {
  const MergeBook& book;
  const MergeEntry& entry;         // in the book
  bool guarded = false;            // a guardian is running
  std::string nothing_lands = {};  // why, and what to do; empty: work can land
};

std::string NextOfWaiting(const EntryQuestion& question, const MergeRow& row) {
  const MergeEntry& entry = question.entry;
  const MergeTarget target = question.book.Target(entry.target);
  if (target.paused) {
    return fmt::format("nothing lands on {} until belay merge-queue unpause", entry.target);
  }
  if (!question.nothing_lands.empty()) return question.nothing_lands;
  if (!row.waits_for.empty()) {
    return fmt::format("it waits until m{} is merged", row.waits_for.front());
  }
  const std::string lands =
      question.guarded ? "the guardian lands it"
                       : "no guardian is running; belay merge-queue process --all lands it";
  const std::uint64_t place = row.position.value_or(1);
  return place == 1 ? lands : fmt::format("{}; it is number {} in the queue", lands, place);
}

std::string NextOfMerged(const MergeEntry& entry) {
  if (entry.delete_pending) {
    return fmt::format("the branch {} will be deleted when no worktree uses it", entry.branch);
  }
  if (entry.follow_pending)
    return "the next belay merge-queue process updates a checkout of the target";
  return "nothing; it has landed";
}

std::string NextOfEntry(const EntryQuestion& question, const MergeRow& row) {
  const MergeEntry& entry = question.entry;
  const std::string retry = RetryCommand(entry);
  switch (entry.status) {
    case MergeStatus::kQueued:
    case MergeStatus::kTargetMoved:
      return NextOfWaiting(question, row);
    case MergeStatus::kRebasing:
    case MergeStatus::kTesting:
    case MergeStatus::kMerging:
      return question.guarded
                 ? "in progress; if it was interrupted, the guardian continues it"
                 : "in progress; if it was interrupted, belay merge-queue process continues it";
    case MergeStatus::kWaitingCheckout:
      if (!question.nothing_lands.empty()) return question.nothing_lands;
      return question.guarded ? "the guardian lands it when the checkout can be updated"
                              : "belay merge-queue process lands it when the checkout can be "
                                "updated; no guardian is running";
    case MergeStatus::kMerged:
      return NextOfMerged(entry);
    case MergeStatus::kConflict:
    case MergeStatus::kGateFailed:
      return fmt::format("it waits for new work and MERGE_READY, or for {}", retry);
    case MergeStatus::kGateUnrunnable:
      return WaitsForApproval(entry)
                 ? fmt::format("nothing until a person approves it: {}", retry)
                 : fmt::format("nothing until the gate can be run; then {}", retry);
    case MergeStatus::kCancelled:
      return fmt::format("nothing; {} queues it again", AddCommand(entry));
  }
  __builtin_unreachable();
}

// Null: not an entry.
const MergeEntry* FindEntry(const MergeBook& book, std::string_view operand, bool names_agent) {
  const std::optional<std::uint64_t> number = ParseMergeEntryId(operand);
  const bool may_be_number = operand.starts_with('m') || !names_agent;
  if (number && may_be_number && book.Find(*number) != nullptr) return book.Find(*number);
  if (names_agent) return nullptr;
  const MergeEntry* latest = nullptr;
  for (const auto& [at, entry] : book.entries()) {
    if (entry.branch == operand) latest = &entry;
  }
  return latest;
}

WhyOutcome WhyOfEntry(Env& env, const Layout& project, const EntryQuestion& question) {
  WhyOutcome why{.history = HistoryOf(env.files, project, question.entry),
                 .guarded = question.guarded,
                 .entry = std::make_unique<const MergeEntry>(question.entry)};
  const std::vector<MergeRow> rows = MergeRows(question.book, env.clock.Wall(), true);
  why.place = *std::ranges::find(rows, &question.entry, &MergeRow::entry);
  why.next = NextOfEntry(question, *why.place);
  why.place->entry = why.entry.get();
  return why;
}

WhyOutcome WhyOfAgent(const SessionEnv& env, const IdentityBook& book, const AgentId& agent,
                      bool only_this) {
  const IdentityName& name = agent.identity();
  WhyOutcome why{.history = ReadAgentHistory(env.files, env.project, name),
                 .guarded = GuardianRuns(env.files, env.project, book),
                 .identity = std::make_unique<const Identity>(*book.Find(name))};
  if (only_this) KeepOnly(agent, why.history.records);
  HookLedger hooks(env.files, env.clock, env.project);
  if (const Result<void> read = hooks.CatchUp(); !read) why.history.Warn(read.error());
  why.agent = MakeAgentRow(env, *why.identity, hooks.book().Summary(name));
  TaskLedger tasks(env.files, env.clock, env.project);
  if (const Result<void> read = tasks.CatchUp(); !read) {
    why.history.Warn(read.error());
  } else {
    AddTask(tasks.book(), tasks.book().OfOwner(name.text()), *why.agent);
  }
  why.next = NextOfAgent(env, *why.agent, why.guarded);
  return why;
}

}  // namespace

Result<WhyOutcome> ExplainWhy(Env& env, const std::string& about) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kRead, Mistakes::kWarn));
  const Layout& project = place.project;
  IdentityLedger ledger(env.files, env.clock, project);
  const Result<AgentId> agent = FindIncarnation(ledger, about);
  MergeLedger queue(env.files, env.clock, project);
  const Result<void> queue_read = queue.CatchUp();
  if (const MergeEntry* entry = FindEntry(queue.book(), about, agent.ok())) {
    WhyOutcome why =
        WhyOfEntry(env, project,
                   {queue.book(), *entry, GuardianRuns(env.files, project, ledger.book()),
                    WhyNothingLands(env, project)});
    if (!queue_read) why.history.Warn(queue_read.error());
    return why;
  }
  if (!agent && !queue_read) return queue_read.error();
  if (!agent && about.starts_with('m') && ParseMergeEntryId(about)) {
    return Error{ErrorCode::kNotFound, fmt::format("no entry {}", about),
                 "belay merge-queue list --all shows them"};
  }
  // What isn't recorded any more may have been lost.
  const std::vector<UnrecordedRenderings> lost =
      agent ? std::vector<UnrecordedRenderings>() : FindUnrecordedRenderings(env.files, project);
  if (!lost.empty()) return lost.front().error;
  if (!agent) return agent.error();
  const bool only_this = about.find('#') != std::string::npos;
  return WhyOfAgent(place.MakeEnv(env), ledger.book(), *agent, only_this);
}

}  // namespace belay
