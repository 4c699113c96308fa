#include <fmt/core.h>

#include "app/hook_change.h"
#include "app/settings.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "store/vault.h"

namespace belay {

Result<int> RunHookNote(const Invocation& invocation, Services& services) {
  const std::string& text = invocation.operands()[1];
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{ErrorCode::kUsage, "an empty note", "say in one line what is being done"};
  }
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kWrite));
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY_ASSIGN(const HookWriter writer,
                   FindHookWriter(services, identities, invocation.operands()[0]));
  const HookNote note{.text = text,
                      .at = services.clock.Wall(),
                      .incarnation = writer.agent.id.incarnation(),
                      .by = writer.caller.Name()};
  BELAY_TRY_ASSIGN(const Hook hook, ChangeHook(services, project, writer, "note",
                                               [&](Hook& changed) { AddNote(changed, note); }));
  if (CountCodePoints(text) > Hook::kLongestNote) services.io.Say("it was cut to 4,000 characters");
  services.io.Show(HookJson(hook), "");
  services.io.Say(fmt::format("noted for {}", writer.agent.id.text()));
  return 0;
}

}  // namespace belay
