#include "adapters/git/whole_commit.h"

namespace belay {

std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known) {
  return {"rev-list", "--objects", "--quiet", commit, "^" + known, "--"};
}

}  // namespace belay
