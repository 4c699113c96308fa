#include "cli/agent_snapshot.h"

namespace belay {

Result<SnapshotOutcome> KeepWork(Programs& programs, const Layout& project,
                                 const IdentityName& agent, const std::string& message) {
  constexpr auto kLimit = std::chrono::minutes(2);
  BELAY_TRY_ASSIGN(
      const ProgramResult result,
      programs.Run({.command = {"/proc/self/exe", "snapshot", "take", agent.text(), "--json",
                                "--root", project.Root(), "--message", message},
                    .limit = kLimit,
                    .folder = project.Root()}));
  return ParseSnapshotOutcome(result.out);
}

}  // namespace belay
