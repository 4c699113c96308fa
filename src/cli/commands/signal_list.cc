#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/settings.h"
#include "cli/signal_text.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "store/vault.h"

namespace belay {
namespace {

// Only whoever has no inbox named needs to be known.
Result<Recipient> Whose(const Invocation& invocation, Services& services,
                        const IdentityBook& book) {
  if (!invocation.operands().empty()) return FindRecipient(book, invocation.operands()[0]);
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(book, services.environment));
  return OwnInbox(caller);
}

}  // namespace

Result<int> RunSignalList(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kRead));
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const Recipient who, Whose(invocation, services, identities.book()));
  SystemRandom random;
  const SignalBox box(services.files, services.clock, random, project, who);
  BELAY_TRY_ASSIGN(const std::vector<Signal> signals, box.Peek());
  Io& io = services.io;
  io.Show(SignalsJson(signals), SignalTable(signals, io.screen));
  if (signals.empty()) io.Say(fmt::format("nothing waits for {}", who.text()));
  return 0;
}

}  // namespace belay
