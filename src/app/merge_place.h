// What a merge queue command works with: the project, its repository, its settings.

#ifndef BELAY_APP_MERGE_PLACE_H_
#define BELAY_APP_MERGE_PLACE_H_

#include <memory>
#include <string>

#include "app/env.h"
#include "base/result.h"
#include "engine/merge/settings.h"
#include "merge/merge_env.h"
#include "model/identity_book.h"
#include "store/layout.h"
#include "store/vault.h"

namespace belay {

struct MergePlace {
  Layout project;
  MergeSettings settings;
  Git git;
  std::string common_folder;
  std::unique_ptr<EventLoop> loop;

  // Borrows from this place and from the env.
  MergeEnv MakeEnv(Env& env) const;
};

// The settings are those of the main worktree, never of the branch that will land. Outside a
// repository: kUsage.
Result<MergePlace> FindMergePlace(Env& env, VaultUse use);

// "belay merge-queue unpause", with --target if needed.
std::string UnpauseCommand(const MergePlace& place, const std::string& target);

// The only agent that has the branch checked out in a worktree of its own; nullptr: none, or
// several.
const Identity* WhoWorksOn(const FileSystem& files, const Layout& project, const IdentityBook& book,
                           std::string_view branch);

// Why no entry lands, and what to do: no gates are configured. Empty when there are some, or when
// the settings can't be read, which `belay config check` reports.
std::string WhyNothingLands(const Env& env, const Layout& project);
std::string WhyNothingLands(const MergeSettings& settings);

}  // namespace belay

#endif  // BELAY_APP_MERGE_PLACE_H_
