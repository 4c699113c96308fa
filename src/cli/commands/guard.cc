#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/session_place.h"
#include "cli/settings.h"
#include "guardian/caller.h"
#include "guardian/guardian.h"
#include "guardian/service_unit.h"
#include "ui/width.h"

namespace belay {
namespace {

std::string TimeOfDay(WallTime now) {
  const std::string text = FormatUtc(now);
  return text.substr(text.find('T') + 1, 8);
}

Result<int> ShowUnit(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  BELAY_TRY_ASSIGN(const std::string program, services.files.Resolve("/proc/self/exe"));
  BELAY_TRY_ASSIGN(const ServiceUnit unit, MakeServiceUnit(program, project.Root()));
  services.io.Show(MakeObject({{"name", unit.name}, {"unit", unit.text}}), unit.text);
  services.io.Say(
      fmt::format("to install it: belay guard --systemd-unit > "
                  "~/.config/systemd/user/{0} && systemctl --user enable --now {0}",
                  unit.name));
  return 0;
}

// What an agent starts ends with it, and whoever guards must not.
Result<void> RefuseAgents(Services& services, const Layout& project) {
  IdentityLedger ledger(services.files, services.clock, project);
  BELAY_TRY(ledger.CatchUp());
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(ledger.book(), services.environment));
  if (!caller.agent) return {};
  return Error{ErrorCode::kRefused, fmt::format("{} can't be a guardian", caller.Name()),
               "start it outside of any agent"};
}

}  // namespace

Result<int> RunGuard(const Invocation& invocation, Services& services) {
  if (invocation.Has("--systemd-unit")) return ShowUnit(invocation, services);
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(invocation, services, VaultUse::kWrite, Mistakes::kWarn));
  BELAY_TRY(RefuseAgents(services, place.project));
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  ServiceNotice service(services.environment);
  Io& io = services.io;
  GuardianOptions options{.once = invocation.Has("--once")};
  options.say = [&](const std::string& line) {
    io.Say(fmt::format("{}  {}",
                       io.err_screen.style.Paint(Tone::kDim, TimeOfDay(services.clock.Wall())),
                       Printable(line)));
    (void)io.Flush();
  };
  BELAY_TRY_ASSIGN(const std::unique_ptr<Guardian> guardian,
                   Guardian::Create(place.Doors(services), *loop, service, options));
  if (!options.once) options.say(fmt::format("guarding {}", place.project.Root()));
  BELAY_TRY(guardian->Run());
  io.Show(MakeObject({{"once", options.once}}), "");
  return 0;
}

}  // namespace belay
