// What a command about the merge queue works with: the project, its repository, its settings.

#ifndef BELAY_CLI_MERGE_PLACE_H_
#define BELAY_CLI_MERGE_PLACE_H_

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "engine/merge/settings.h"
#include "guardian/caller.h"
#include "merge/merge_doors.h"
#include "store/layout.h"
#include "store/vault.h"

namespace belay {

struct MergePlace {
  Layout project;
  MergeSettings settings;
  Git git;
  std::string common_folder;
  std::unique_ptr<EventLoop> loop;

  // Borrows from this place and from the services.
  MergeDoors Doors(Services& services) const;
};

// The settings are those of the main worktree, never of the branch that is to land. Outside a
// repository: kUsage.
Result<MergePlace> FindMergePlace(const Invocation& invocation, Services& services, VaultUse use);

// --target, or merge.target.
std::string TargetOf(const Invocation& invocation, const MergePlace& place);

// "belay merge-queue unpause", with --target if need be.
std::string UnpauseCommand(const MergePlace& place, const std::string& target);

// Whether an agent or a person runs this, and which.
Result<Caller> WhoAsks(Services& services, const Layout& project);

// --gates-change is a person's word: kRefused for an agent.
Result<void> CheckMayChangeGates(const Caller& caller);

// Why no entry lands, and what helps: no gates are configured. Empty when there are some, or when
// the settings can't be read, which `belay config check` reports.
std::string WhyNothingLands(const Invocation& invocation, const Services& services,
                            const Layout& project);
std::string WhyNothingLands(const MergeSettings& settings);

// The operand ENTRY: "m7", or "7".
Result<std::uint64_t> EntryArgument(const Invocation& invocation);

}  // namespace belay

#endif  // BELAY_CLI_MERGE_PLACE_H_
