#include "app/agent_end.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "app/agent_facts.h"
#include "app/session_place.h"
#include "engine/events/event_owner.h"
#include "host/launch.h"
#include "ledger/event_log.h"
#include "os/process.h"
#include "os/process_tree.h"

namespace belay {
namespace {

AgentExit ExitOf(const AgentEnd& end, ExitCause cause, WallTime now) {
  AgentExit exit{.cause = cause, .at = now};
  if (end.exit.how == ExitStatus::How::kExited) exit.code = end.exit.value;
  if (end.exit.how == ExitStatus::How::kKilled) exit.signal = end.exit.value;
  return exit;
}

std::string Joined(const std::string& how, const std::string& more) {
  return more.empty() ? how : fmt::format("{}; {}", how, more);
}

// An agent that was not started by its deadline counts as ended: the process that should have
// started it is gone.
bool HasEnded(const Identity& identity, ActualState actual, WallTime now) {
  if (actual != ActualState::kAbsent)
    return actual == ActualState::kEnded || actual == ActualState::kForeign;
  return !identity.spawn_deadline || *identity.spawn_deadline < now;
}

IdentityChange Judge(const SessionEnv& env, const Identity& present, const AgentEnd& end) {
  const EndEvidence evidence = EvidenceOf(present, end);
  const WallTime now = env.clock.Wall();
  Identity ended = present;
  ended.exit = ExitOf(end, JudgeEnd(evidence), now);
  ended.status = StatusAfter(ended.exit->cause);
  ended.spawn_deadline.reset();
  if (!ended.started_at) ended.started_at = end.started_at;
  if (!end.session.empty()) ended.session_id = end.session;
  RestartDecision decision;
  if (end.elsewhere) {
    decision = {NextStep::kNotifyPerson, AgentStatus::kCrashed, ended.restart, ""};
    decision.restart.due.reset();
    decision.restart.reason = decision.why =
        fmt::format("not restarted here; belay spawn --name {} -- COMMAND starts it again",
                    present.id.identity().name());
  } else {
    decision = DecideAfterEnd(env.settings.restart, ended, now);
  }
  ended.status = decision.status;
  ended.restart = decision.restart;
  const std::string how = HowItEnded(present, end);
  if (ended.status != AgentStatus::kTerminated) {
    ended.restart.reason = Joined(how, ended.restart.reason);
  }
  return {std::string(AgentStatusName(ended.status)), Joined(how, decision.why), std::move(ended)};
}

// An agent without hooks that prints its answer and exits: its exit status is 0 even when it was
// interrupted; only its conversation shows that. The conversation was found while the agent ran
// (app/agent_facts.h).
bool EndedWithinATurn(const SessionEnv& env, const Identity& identity, const AgentEnd& end) {
  const AgentAdapter& adapter = AdapterFor(identity.agent_kind);
  if (!end.exit.clean() || !adapter.EndsWithItsTurn(identity.command)) return false;
  const Conversation last = KnownConversation(env, identity);
  const TurnWritten turn = TurnByTranscript(env.files, identity.agent_kind, last.transcript).turn;
  return turn == TurnWritten::kWithin || turn == TurnWritten::kInterrupted;
}

// Whether the program that called the hook runs below the agent's exec. Only then does it belong to
// the agent.
bool IsBelowExec(const AgentEvent& event, const Identity& identity) {
  const auto program = std::ranges::find(event.above, ProcessMark{event.pid, event.pid_start});
  return identity.parent &&
         std::find(program, event.above.end(), *identity.parent) != event.above.end();
}

// The programs whose hooks reported, and their descendants.
std::vector<Process> ProcessesThatReported(const SessionEnv& env, const Identity& identity) {
  std::vector<ProcessMark> marks;
  for (const AgentEvent& event : LastEvents(env.files, env.project, identity.id.identity())) {
    const ProcessMark mark{event.pid, event.pid_start};
    const bool its = event.agent == identity.id.text() && IsBelowExec(event, identity);
    if (its && std::ranges::find(marks, mark) == marks.end()) marks.push_back(mark);
  }
  std::vector<Process> found;
  const auto add = [&](std::int64_t pid, std::uint64_t start) {
    Result<Process> process =
        Process::Open(ProcessIdentity{static_cast<pid_t>(pid), start, identity.boot_id});
    if (!process) return false;
    found.push_back(*std::move(process));
    return true;
  };
  std::erase_if(marks, [&](const ProcessMark& mark) { return !add(mark.pid, mark.start); });
  if (marks.empty()) return found;
  const Result<ProcessTree> tree = ProcessTree::Read();
  for (const ProcessMark& mark : marks) {
    if (!tree) break;
    for (const SeenProcess& below : tree->Descendants(static_cast<pid_t>(mark.pid))) {
      (void)add(below.pid, below.stat.start_time);
    }
  }
  return found;
}

}  // namespace

Result<ProbeResult> ProbeRun(const SessionEnv& env, const Identity& identity) {
  if (!IsOurs(identity, OurLease(env.files, env.project)))
    return ProbeResult{ActualState::kForeign};
  BELAY_TRY(CheckInSight(env.files, env.project, identity));
  return HostOf(identity.host).Probe(env.files, env.project, identity);
}

AgentEnd AgentEndOf(const Identity& identity, const ProbeResult& found) {
  AgentEnd end{.agent = identity.id};
  if (found.actual == ActualState::kForeign) {
    end.elsewhere = true;
    end.detail = "it ran on another machine, or in another copy of this project";
    return end;
  }
  if (!FactsOf(identity.host).launched) {
    end.detail = "its process has ended";
    return end;
  }
  if (!found.run) {
    end.detail = "it was never started";
    return end;
  }
  const RunRecord& run = *found.run;
  if (run.exit) end.exit = *run.exit;
  if (run.process && run.state != RunState::kFailed) end.started_at = run.started_at;
  end.out_of_memory = run.oom;
  if (run.state == RunState::kFailed) {
    end.detail = StopIsRequested(identity) ? run.error : "it could not be started: " + run.error;
  }
  if (run.state == RunState::kStarting)
    end.detail = "its parent process ended before it could start the agent";
  if (!run.survivors.empty()) {
    const bool one = run.survivors.size() == 1;
    end.detail = one ? "ended a process that it left behind"
                     : fmt::format("ended {} processes that it left behind", run.survivors.size());
  }
  return end;
}

EndEvidence EvidenceOf(const Identity& identity, const AgentEnd& end) {
  return {.exit = end.exit,
          .out_of_memory = end.out_of_memory,
          .intent = identity.intent,
          .reported = end.reported,
          .session_end = end.session_end,
          .unfinished = end.unfinished,
          .external = !FactsOf(identity.host).named};
}

// The reason why it could not run is more useful than "the end was not seen".
std::string HowItEnded(const Identity& identity, const AgentEnd& end) {
  const bool seen = end.exit.how != ExitStatus::How::kUnknown;
  if (!seen && !end.detail.empty()) return end.detail;
  const std::string text = EndText(EvidenceOf(identity, end));
  return end.detail.empty() ? text : fmt::format("{}, {}", text, end.detail);
}

Result<std::vector<Identity>> RecordEnds(const SessionEnv& env, IdentityLedger& ledger,
                                         const IdentityLock& lock, std::span<const AgentEnd> ends) {
  BELAY_TRY(ledger.CatchUp());
  std::vector<IdentityChange> changes;
  std::vector<Identity> recorded;
  for (const AgentEnd& end : ends) {
    const Identity* present = ledger.book().Find(end.agent.identity());
    if (present == nullptr || present->id != end.agent || !IsRunning(present->status)) continue;
    Identity judged = *present;
    if (end.kind) {
      if (auto kind = CorrectedKind(*present, {*end.kind, KindSource::kHooks})) {
        judged = kind->identity;
        changes.push_back(*std::move(kind));
      }
    }
    changes.push_back(Judge(env, judged, end));
    recorded.push_back(changes.back().identity);
  }
  if (!changes.empty()) BELAY_TRY(ledger.Record(lock, changes));
  return recorded;
}

// Only in this project: another project may have an agent of the same name.
std::size_t EndLeftovers(const SessionEnv& env, const Identity& identity) {
  std::vector<Process> left = ProcessesThatReported(env, identity);
  for (Process& process : ProcessesStartedWith(
           {"BELAY_AGENT_ID=" + identity.id.text(), "BELAY_STATE=" + env.project.StateRoot()})) {
    left.push_back(std::move(process));
  }
  std::set<pid_t> ended;
  for (const Process& one : left) {
    if (one.Signal(kSignalKill)) ended.insert(one.pid());
  }
  return ended.size();
}

void AddReportedCause(const SessionEnv& env, const EventSummary& summary, AgentKind kind,
                      AgentEnd& end) {
  end.session_end = summary.session_end;
  end.session = summary.session;
  end.kind = summary.kind;
  end.reported = summary.reported;
  if (!end.reported)
    end.reported = CauseByTranscript(env.files, kind, end.exit, summary.transcript);
  ConversationTurn turn;
  if (summary.events > 0) {
    turn = TurnByTranscript(env.files, kind, summary.transcript);
  }
  end.unfinished =
      IsUnfinished(summary.work, turn, summary.session_end == EventDetail::kPersonLeft) ||
      std::ranges::any_of(summary.left, [&](const LeftTurn& left) {
        return IsUnfinished(left.work, TurnByTranscript(env.files, kind, left.transcript), false);
      });
}

void ReadReportedCause(const SessionEnv& env, const Identity& identity, AgentEnd& end) {
  EventSummary summary;
  if (identity.process) summary.owner = identity.process->pid;
  for (const AgentEvent& event : LastEvents(env.files, env.project, end.agent.identity())) {
    if (EventOwnerOf(event, identity) == EventOwner::kItself) AddEvent(summary, event);
  }
  AddReportedCause(env, summary, KindWithHooks(identity, summary.kind), end);
  if (summary.events == 0 && EndedWithinATurn(env, identity, end)) end.unfinished = true;
}

Result<Identity> Finalize(const SessionEnv& env, IdentityLedger& ledger, const IdentityName& name) {
  BELAY_TRY_ASSIGN(const IdentityLock lock,
                   IdentityLedger::Lock(env.files, env.project, env.lock_limit));
  return FinalizeLocked(env, ledger, lock, name);
}

Result<Identity> FinalizeLocked(const SessionEnv& env, IdentityLedger& ledger,
                                const IdentityLock& lock, const IdentityName& name) {
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(name);
  if (present == nullptr) {
    return Error{ErrorCode::kNotFound, fmt::format("no agent {}", name.text()),
                 "belay agents --all lists them"};
  }
  if (!IsRunning(present->status) || !FactsOf(present->host).is_agent) return *present;
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(env, *present));
  if (!HasEnded(*present, found.actual, env.clock.Wall())) return *present;
  AgentEnd end = AgentEndOf(*present, found);
  ReadReportedCause(env, *present, end);
  // An exec that was paused before it wrote its run record must find that it is too late.
  if (found.actual == ActualState::kAbsent) {
    BELAY_TRY_ASSIGN(const bool forbidden,
                     ForbidStart(env.files, env.clock, env.project, present->id, end.detail));
    if (!forbidden) return *present;
  }
  BELAY_TRY(RecordEnds(env, ledger, lock, {&end, 1}));
  (void)ledger.Render(lock, name);  // rendered again at the next chance
  return *ledger.book().Find(name);
}

}  // namespace belay
