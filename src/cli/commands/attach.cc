#include "host/attach.h"

#include <fmt/core.h>

#include "app/hosted_agent.h"
#include "app/settings.h"
#include "cli/commands/commands.h"
#include "host/host.h"
#include "os/terminal.h"
#include "ui/width.h"

namespace belay {
namespace {

Error NotATerminal(const IdentityName& agent) {
  return {ErrorCode::kUsage, "attach: the standard input and output are not a terminal",
          fmt::format("belay logs -f {} shows what it writes", agent.text())};
}

Error NotRunning(const IdentityName& agent, const std::string& why) {
  return {ErrorCode::kNotFound, why,
          fmt::format("belay logs {} shows what it wrote", agent.text())};
}

// Nobody listens: it has ended meanwhile, or its exec has.
Error NobodyListens(const Services& services, const Layout& project, const IdentityName& agent) {
  const auto why = WhyNotRunning(services, project, agent);
  return NotRunning(agent, why ? *why : fmt::format("{} runs without a terminal", agent.text()));
}

std::string Farewell(const IdentityName& agent, const Attached& attached) {
  switch (attached.end) {
    case AttachEnd::kDetached:
      return fmt::format("detached; {} goes on", agent.text());
    case AttachEnd::kAgentEnded:
      return fmt::format("{} has ended: {}", agent.text(), Printable(attached.how));
    case AttachEnd::kLostContact:
      return fmt::format("the connection to {} was lost", agent.text());
  }
  __builtin_unreachable();
}

}  // namespace

Result<int> RunAttach(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  BELAY_TRY_ASSIGN(
      const IdentityName agent,
      FindHostedAgent(services, project, invocation.operands().front(), Incarnations::kPresent));
  if (!IsTerminal(0) || !IsTerminal(1)) return NotATerminal(agent);
  if (const auto why = WhyNotRunning(services, project, agent)) return NotRunning(agent, *why);
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  Io& io = services.io;
  io.Say(fmt::format("{}: detach with {}", agent.text(), kDetachKeyName));
  BELAY_TRY(io.Flush());
  const Host& host = HostOf(RecordedHost(services, project, agent));
  const Result<Attached> attached = host.Attach(*loop, project, agent);
  if (!attached && attached.error().code == ErrorCode::kNotFound) {
    return NobodyListens(services, project, agent);
  }
  if (!attached) return attached.error();
  // The agent left the cursor where it was.
  io.Say(fmt::format("\n{}", Farewell(agent, *attached)));
  return attached->end == AttachEnd::kLostContact ? ExitCode(ErrorCode::kFailed) : 0;
}

}  // namespace belay
