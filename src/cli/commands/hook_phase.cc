#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "app/control.h"
#include "app/hook_change.h"
#include "app/settings.h"
#include "app/snapshots.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "ledger/hook_ledger.h"
#include "store/vault.h"
#include "ui/width.h"

namespace belay {
namespace {

// The table of commands lets nothing else through.
Result<WorkPhase> ParsePhase(const std::string& text) {
  if (const std::optional<WorkPhase> phase = ParseWorkPhase(text)) return *phase;
  return Error{ErrorCode::kUsage, fmt::format("no phase {}", Quote(text))};
}

// The guardian takes one when it sees the change. One that doesn't answer may be stopped: then it
// is better taken twice than not at all.
bool IsGuarded(const Layout& project) {
  const auto answer = AskGuardian(project, MakeObject({{"do", "status"}}));
  return answer && *answer;
}

Result<Hook> KeepWork(Services& services, const Layout& project, const HookWriter& writer,
                      const Hook& hook) {
  const std::string message = fmt::format("phase {}", WorkPhaseName(hook.work_phase));
  BELAY_TRY_ASSIGN(const SnapshotTakeOutcome now,
                   TakeWorkOf(services, project, writer.agent, message));
  const SavedSnapshot& snapshot = now.taken.snapshot;
  BELAY_TRY_ASSIGN(std::vector<std::string> paths, ChangedPaths(now.git, snapshot));
  const std::uint64_t count = paths.size();
  paths.resize(std::min(paths.size(), Hook::kMostFiles));
  return ChangeHook(services, project, writer, "checkpoint", [&](Hook& changed) {
    changed.snapshot = snapshot.id.text();
    changed.last_checkpoint_at = services.clock.Wall();
    changed.files_modified = paths;
    changed.files_modified_count = count;
  });
}

}  // namespace

Result<int> RunHookPhase(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const WorkPhase phase, ParsePhase(invocation.operands()[1]));
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kWrite));
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY_ASSIGN(const HookWriter writer,
                   FindHookWriter(services, identities, invocation.operands()[0]));
  const std::string source = writer.caller.agent ? "agent" : "person";
  bool changes = false;
  BELAY_TRY_ASSIGN(Hook hook, ChangeHook(services, project, writer, "phase", [&](Hook& changed) {
                     changes = changed.work_phase != phase;
                     SetPhase(changed, phase, services.clock.Wall(), source);
                   }));
  if (changes && !IsGuarded(project)) {
    Result<Hook> kept = KeepWork(services, project, writer, hook);
    if (kept) {
      hook = *std::move(kept);
    } else {
      services.io.Say(fmt::format("no snapshot: {}", Printable(kept.error().message)));
    }
  }
  services.io.Show(HookJson(hook), "");
  services.io.Say(fmt::format("{} is at {}", writer.agent.id.text(), WorkPhaseName(phase)));
  return 0;
}

}  // namespace belay
