#include "engine/supervise/restart_policy.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/supervise/exit_cause.h"

namespace belay {
namespace {

// The least number of crashes to remember: enough for the doubling to reach any longest wait.
constexpr std::size_t kRemembered = 40;

struct CauseRow {
  ExitCause cause;
  Policy policy;
};
constexpr CauseRow kCauses[] = {
    {ExitCause::kClean, Policy::kLeave},    {ExitCause::kStopped, Policy::kLeave},
    {ExitCause::kCrash, Policy::kRespawn},  {ExitCause::kKilled, Policy::kRespawn},
    {ExitCause::kOom, Policy::kRespawn},    {ExitCause::kUnknown, Policy::kRespawn},
    {ExitCause::kHung, Policy::kAsk},       {ExitCause::kContextExhausted, Policy::kRespawn},
    {ExitCause::kRateLimit, Policy::kWait}, {ExitCause::kAuth, Policy::kAsk},
};

const CauseRow& RowOf(ExitCause cause) {
  return *std::ranges::find(kCauses, cause, &CauseRow::cause);
}

// An end to decide about.
struct End {
  const RestartLimits& limits;
  const Identity& ended;
  WallTime now;

  ExitCause cause() const { return ended.exit ? ended.exit->cause : ExitCause::kUnknown; }

  bool WasMeant() const {
    return ended.status == AgentStatus::kTerminated ||
           StatusAfter(cause()) == AgentStatus::kTerminated || StopIsRequested(ended);
  }
  Duration Ran() const {
    const WallTime end = ended.exit ? std::min(ended.exit->at, now) : now;
    return std::max(end - ended.started_at.value_or(ended.created_at), Duration::zero());
  }
  // It ran long enough for earlier crashes not to count.
  bool WasHealthy() const { return Ran() >= limits.healthy; }
  // A kill from outside doesn't show that the resume text failed; nor does the end of an agent
  // whose `belay exec` was killed, or that was interrupted.
  bool SaysNothingAboutTheText() const {
    return cause() == ExitCause::kKilled ||
           (cause() == ExitCause::kUnknown && ended.started_at.has_value());
  }
  bool WasFailedResume() const { return ended.predecessor_id && Ran() < limits.failed_resume; }
};

std::string Ordinal(std::size_t number) {
  const std::size_t last = number % 10;
  const bool teen = number % 100 / 10 == 1;
  const std::string_view ending = teen || last > 3 || last == 0 ? "th"
                                  : last == 1                   ? "st"
                                  : last == 2                   ? "nd"
                                                                : "rd";
  return fmt::format("{}{}", number, ending);
}

Duration Backoff(const RestartLimits& limits, std::size_t crashes) {
  if (crashes <= 1) return Duration::zero();
  Duration wait = limits.first_backoff;
  for (std::size_t i = 2; i < crashes && wait < limits.longest_backoff; ++i) wait *= 2;
  return std::min(wait, limits.longest_backoff);
}

// The state to remember when nothing is due.
RestartState AtRest(RestartState restart) {
  restart.due.reset();
  restart.wait = {};
  restart.reason.clear();
  return restart;
}

void PutOff(RestartDecision& decision, WallTime now, Duration wait) {
  decision.step = NextStep::kRespawn;
  decision.restart.due = now + wait;
  decision.restart.wait = wait;
}

void RememberCrash(const End& end, RestartState& restart) {
  const bool tells = !end.SaysNothingAboutTheText() || !end.WasFailedResume();
  if (tells) restart.failed_resumes = end.WasFailedResume() ? restart.failed_resumes + 1 : 0;
  std::vector<WallTime>& crashes = restart.crashes;
  if (end.WasHealthy()) crashes.clear();
  for (WallTime& at : crashes) at = std::min(at, end.now);
  crashes.push_back(end.now);
  const std::size_t most = std::max(kRemembered, end.limits.most_crashes);
  if (crashes.size() > most) crashes.erase(crashes.begin(), crashes.end() - std::ptrdiff_t(most));
}

std::size_t CrashesInWindow(const End& end, const std::vector<WallTime>& crashes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      crashes, [&](WallTime at) { return end.now - at < end.limits.window; }));
}

std::string CrashText(const End& end, std::size_t crashes, std::size_t in_window) {
  std::string within;
  if (crashes > 1 && crashes == in_window) {
    within = fmt::format(" within {}", FormatDuration(end.limits.window));
  } else if (crashes > 1) {
    within = fmt::format(" without {} of healthy running", FormatDuration(end.limits.healthy));
  } else if (end.WasHealthy()) {
    within = fmt::format(" after {} of healthy running", FormatDuration(end.limits.healthy));
  }
  return fmt::format("{} crash{}", Ordinal(crashes), within);
}

std::string Again(Duration wait) {
  return wait == Duration::zero() ? "restarting now"
                                  : fmt::format("restarting in {}", FormatDuration(wait));
}

void Quarantine(const End& end, std::size_t in_window, RestartDecision& decision) {
  decision.step = NextStep::kQuarantine;
  decision.status = AgentStatus::kQuarantined;
  decision.restart.reason =
      fmt::format("{} crash{} within {}", in_window, in_window == 1 ? "" : "es",
                  FormatDuration(end.limits.window));
  decision.why = fmt::format("{}; belay release {} continues it", decision.restart.reason,
                             end.ended.id.identity().text());
}

void Respawn(const End& end, RestartDecision& decision) {
  RememberCrash(end, decision.restart);
  const std::size_t crashes = decision.restart.crashes.size();
  const std::size_t in_window = CrashesInWindow(end, decision.restart.crashes);
  if (in_window >= end.limits.most_crashes) return Quarantine(end, in_window, decision);
  const Duration wait = Backoff(end.limits, crashes);
  PutOff(decision, end.now, wait);
  decision.restart.reason = CrashText(end, crashes, in_window);
  decision.why = fmt::format("{}, {}", decision.restart.reason, Again(wait));
}

void Apply(Policy policy, const End& end, RestartDecision& decision) {
  switch (policy) {
    case Policy::kRespawn:
      return Respawn(end, decision);
    case Policy::kWait:
      PutOff(decision, end.now, end.limits.wait_length);
      decision.why = Again(end.limits.wait_length);
      return;
    case Policy::kAsk:
      decision.step = NextStep::kNotifyPerson;
      decision.why = decision.restart.reason = fmt::format(
          "waits for your decision; belay release {} restarts it", end.ended.id.identity().text());
      return;
    case Policy::kLeave:
      decision.why = decision.restart.reason = "not restarted";
      return;
  }
  __builtin_unreachable();
}

// Empty: belay may start it again.
std::string WhyNeverAgain(const Identity& ended) {
  const HostFacts& facts = FactsOf(ended.host);
  if (!facts.launched) return fmt::format("not restarted: it {}", facts.not_ours);
  return ended.respawn ? "" : "not restarted: it has --no-respawn";
}

}  // namespace

std::string_view PolicyName(Policy policy) {
  switch (policy) {
    case Policy::kRespawn:
      return "respawn";
    case Policy::kWait:
      return "wait";
    case Policy::kAsk:
      return "ask";
    case Policy::kLeave:
      return "leave";
  }
  __builtin_unreachable();
}

Policy PolicyFor(const RestartLimits& limits, ExitCause cause) {
  const auto named = limits.policies.find(cause);
  return named != limits.policies.end() ? named->second : RowOf(cause).policy;
}

RestartDecision DecideAfterEnd(const RestartLimits& limits, const Identity& ended, WallTime now) {
  const End end{limits, ended, now};
  RestartDecision decision;
  decision.restart = AtRest(ended.restart);
  if (end.WasMeant()) {
    decision.status = AgentStatus::kTerminated;
    decision.restart.failed_resumes = 0;
    decision.why = end.cause() == ExitCause::kClean ? "finished" : "stopped as requested";
    return decision;
  }
  if (const std::string never = WhyNeverAgain(ended); !never.empty()) {
    decision.why = decision.restart.reason = never;
  } else {
    Apply(PolicyFor(limits, end.cause()), end, decision);
  }
  return decision;
}

RestartState Released(RestartState restart, WallTime now) {
  restart = AtRest(std::move(restart));
  restart.crashes.clear();
  restart.failed_resumes = 0;
  restart.due = now;
  return restart;
}

Duration TimeUntil(const RestartState& restart, WallTime now) {
  if (!restart.due) return Duration::zero();
  return std::clamp(*restart.due - now, Duration::zero(), std::max(restart.wait, Duration::zero()));
}

bool WantsReducedText(const RestartState& restart) { return restart.failed_resumes >= 2; }

}  // namespace belay
