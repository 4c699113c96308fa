// Whether a commit is in the repository with everything it needs.

#ifndef BELAY_ADAPTERS_GIT_WHOLE_COMMIT_H_
#define BELAY_ADAPTERS_GIT_WHOLE_COMMIT_H_

#include <string>
#include <vector>

namespace belay {

// The arguments of a git that succeeds if every commit, tree and blob of `commit` is there, beyond
// those that `known` has, and else names the first that isn't. `known` is taken to be whole.
std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_WHOLE_COMMIT_H_
