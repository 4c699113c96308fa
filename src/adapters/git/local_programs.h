// Programs that a repository's own configuration names: filters and merge drivers. Every process
// that can write to the repository (an agent, a gate) can put them there, so belay's own merges and
// checkouts don't run them. Programs that the user or the machine configured are run as usual.

#ifndef BELAY_ADAPTERS_GIT_LOCAL_PROGRAMS_H_
#define BELAY_ADAPTERS_GIT_LOCAL_PROGRAMS_H_

#include <set>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/environment.h"

namespace belay {

struct LocalPrograms {
  // For GitCall::environment. Then the repository's own filters change nothing, and its merge
  // drivers merge like git's default.
  Environment::Variables off;
  std::set<std::string, std::less<>> filters;  // not configured by the user alone
};

// From the current configuration of the repository and of the worktree that git is called in.
Result<LocalPrograms> FindLocalPrograms(const Git& git, const Environment::Variables& place = {});

// Parses `git config --list --show-scope -z`; the environment already holds `count` settings.
Result<LocalPrograms> ParseLocalPrograms(std::string_view output, std::size_t count);

// Where git looks for hooks.

// For the worktree that `git` runs in: core.hooksPath, else the repository's. A relative
// core.hooksPath means another folder in each worktree. The folder may not exist.
Result<std::string> HooksFolder(const Git& git);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_LOCAL_PROGRAMS_H_
