#include "engine/supervise/settings.h"

#include "base/check.h"

namespace belay {
namespace {

struct PolicyKey {
  ExitCause cause;
  std::string_view path;
};
constexpr PolicyKey kPolicyKeys[] = {
    {ExitCause::kCrash, "supervise.on_crash"},
    {ExitCause::kKilled, "supervise.on_killed"},
    {ExitCause::kOom, "supervise.on_oom"},
    {ExitCause::kUnknown, "supervise.on_unknown"},
    {ExitCause::kHung, "supervise.on_hung"},
    {ExitCause::kContextExhausted, "supervise.on_context_exhausted"},
    {ExitCause::kRateLimit, "supervise.on_rate_limit"},
    {ExitCause::kAuth, "supervise.on_auth"},
};

// The schema allows only these names.
Policy PolicyNamed(std::string_view name) {
  for (const Policy policy : {Policy::kRespawn, Policy::kWait, Policy::kAsk, Policy::kLeave}) {
    if (PolicyName(policy) == name) return policy;
  }
  BELAY_CHECK(false);
  return Policy::kLeave;
}

std::optional<ResumeVia> ResumeViaNamed(std::string_view name) {
  if (name == "file") return ResumeVia::kFile;
  if (name == "argument") return ResumeVia::kArgument;
  if (name == "typed") return ResumeVia::kTyped;
  return std::nullopt;
}

RestartLimits ReadRestartLimits(const Config& config) {
  RestartLimits limits;
  limits.most_crashes = static_cast<std::size_t>(config.Integer("supervise.most_crashes"));
  limits.window = config.Length("supervise.crash_window");
  limits.healthy = config.Length("supervise.healthy_after");
  limits.first_backoff = config.Length("supervise.first_backoff");
  limits.longest_backoff = config.Length("supervise.longest_backoff");
  limits.wait_length = config.Length("supervise.wait_length");
  for (const PolicyKey& key : kPolicyKeys) {
    limits.policies[key.cause] = PolicyNamed(config.Text(key.path));
  }
  return limits;
}

}  // namespace

SuperviseSettings ReadSuperviseSettings(const Config& config) {
  SuperviseSettings settings;
  settings.restart = ReadRestartLimits(config);
  settings.context = ReadContextSettings(config);
  settings.suspicion.silent_after = config.Length("supervise.silent_after");
  settings.resume_via = ResumeViaNamed(config.Text("supervise.resume_via"));
  settings.heartbeat = config.Length("supervise.heartbeat");
  settings.snapshot_every = config.Length("supervise.snapshot_every");
  settings.spawn_deadline = config.Length("supervise.spawn_deadline");
  settings.undelivered_after = config.Length("supervise.undelivered_after");
  settings.stop_grace = config.Length("supervise.stop_grace");
  settings.deadline_warning =
      std::chrono::seconds(config.Integer("context_preservation.timeout_warning_seconds"));
  return settings;
}

}  // namespace belay
