#include <fmt/core.h>

#include "app/session_place.h"
#include "cli/commands/commands.h"
#include "guardian/guardian.h"
#include "guardian/service_unit.h"
#include "ui/width.h"

namespace belay {
namespace {

std::string TimeOfDay(WallTime now) {
  const std::string text = FormatUtc(now);
  return text.substr(text.find('T') + 1, 8);
}

Result<int> ShowUnit(Services& services) {
  BELAY_TRY_ASSIGN(const ServiceUnit unit, ServiceUnitHere(services));
  services.io.Show(MakeObject({{"name", unit.name}, {"unit", unit.text}}), unit.text);
  services.io.Say(
      fmt::format("to install it, run: belay guard --systemd-unit > ~/.config/systemd/user/{0} && "
                  "systemctl --user enable --now {0}",
                  unit.name));
  return 0;
}

}  // namespace

Result<int> RunGuard(const Invocation& invocation, Services& services) {
  if (invocation.Has("--systemd-unit")) return ShowUnit(services);
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(services, VaultUse::kWrite, Mistakes::kWarn));
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
                   Guardian::Create(place.MakeEnv(services), *loop, service, options));
  if (!options.once) options.say(fmt::format("guarding {}", place.project.Root()));
  BELAY_TRY(guardian->Run());
  io.Show(MakeObject({{"once", options.once}}), "");
  return 0;
}

}  // namespace belay
