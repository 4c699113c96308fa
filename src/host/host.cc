#include "host/host.h"

#include <fmt/core.h>

#include "host/exec_host.h"

namespace belay {
namespace {

// A missing row of facts doesn't compile here, nor a missing host below.
constexpr ExecHost kProcessHost(FactsOf(AgentHost::kProcess));
constexpr ExecHost kTmuxHost(FactsOf(AgentHost::kTmux));
constexpr Host kExternalHost(FactsOf(AgentHost::kExternal));
constexpr Host kSelfHost(FactsOf(AgentHost::kSelf));

}  // namespace

const Host& HostOf(AgentHost host) {
  switch (host) {
    case AgentHost::kProcess:
      return kProcessHost;
    case AgentHost::kTmux:
      return kTmuxHost;
    case AgentHost::kExternal:
      return kExternalHost;
    case AgentHost::kSelf:
      return kSelfHost;
  }
  __builtin_unreachable();
}

Error Host::Refusal(std::string_view agent, std::string_view hint) const {
  return {ErrorCode::kRefused, fmt::format("{} {}", agent, facts_.not_ours), std::string(hint)};
}

Result<Process> Host::Launch(const Layout&, const AgentId& agent) const {
  return Refusal(agent.text(), facts_.start_hint);
}

Result<ProbeResult> Host::Probe(const FileSystem&, const Layout&, const Identity& identity) const {
  const std::optional<ProcessMark>& mark = identity.process;
  const bool runs = mark && IsAlive({static_cast<pid_t>(mark->pid), mark->start, identity.boot_id});
  return ProbeResult{runs ? ActualState::kRuns : ActualState::kEnded};
}

Result<Attached> Host::Attach(EventLoop&, const Layout&, const IdentityName& agent) const {
  return Refusal(agent.text(), "it runs in the terminal that it was started from");
}

Result<void> Host::Type(const Layout&, const IdentityName& agent, std::string_view,
                        Duration) const {
  return Refusal(agent.text(), "it runs in the terminal that it was started from");
}

Result<void> Host::End(const RunRecord& run, Force) const {
  return Refusal(run.agent.text(), facts_.end_hint);
}

}  // namespace belay
