#include "cli/commands/commands.h"
#include "cli/settings.h"
#include "cli/taint_session.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"
#include "store/vault.h"

namespace belay {
namespace {

// Not knowing is no reason to trust.
Taint Unreadable(const Error& error) {
  return {.state = TaintState::kTainted, .because = "it can't be read: " + error.message};
}

std::string NameAnyway(const Invocation& invocation, const Services& services) {
  const std::optional<std::string> claim = services.environment.Get("BELAY_AGENT_ID");
  return invocation.Value("--agent").value_or(claim.value_or(std::string(kManualSession)));
}

int Show(Services& services, const Taint& taint, const std::string& session) {
  Io& io = services.io;
  io.Show(TaintJson(taint, session), TaintText(taint, session, io.screen.style));
  return 0;
}

}  // namespace

Result<int> RunTaintStatus(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kRead));
  IdentityLedger identities(services.files, services.clock, project);
  if (const Result<void> known = identities.CatchUp(); !known) {
    return Show(services, Unreadable(known.error()), NameAnyway(invocation, services));
  }
  BELAY_TRY_ASSIGN(const TaintSession session,
                   FindTaintSession(invocation, services, identities.book()));
  TaintLedger ledger(services.files, services.clock, project);
  const Result<void> read = ledger.CatchUp();
  const Taint taint = read ? TaintThatCounts(ledger.book(), session) : Unreadable(read.error());
  return Show(services, taint, session.name);
}

}  // namespace belay
