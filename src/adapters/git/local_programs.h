// Programs that a repository's own configuration names: filters and merge drivers. Whoever can
// write into the repository (an agent, a gate) can write them there, so belay's own merges and
// checkouts don't run them. What the user or the machine configured is run as ever.

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
  // For GitCall::environment. A filter of the repository's own then changes nothing; a merge driver
  // of its own merges as git does without one.
  Environment::Variables off;
  std::set<std::string, std::less<>> filters;  // whose configuration isn't the user's alone
};

// By the configuration as it is now, of the repository and of the worktree that git is called in.
Result<LocalPrograms> FindLocalPrograms(const Git& git, const Environment::Variables& place = {});

// Of `git config --list --show-scope -z`; `count` settings are in the environment already.
Result<LocalPrograms> ParseLocalPrograms(std::string_view output, std::size_t count);

// Where git looks for hooks.

// Of the worktree that `git` runs in: what core.hooksPath says, else that of the repository. A
// relative core.hooksPath means another folder in each worktree. It need not be there.
Result<std::string> HooksFolder(const Git& git);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_LOCAL_PROGRAMS_H_
