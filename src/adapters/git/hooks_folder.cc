#include "adapters/git/hooks_folder.h"

#include "base/path.h"

namespace belay {

Result<std::string> HooksFolder(const Git& git) {
  // Without our own settings, which say that there are none.
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"rev-parse", "--git-path", "hooks"},
                            .environment = {{"GIT_CONFIG_COUNT", "0"}}}));
  std::string path = answer.out;
  while (!path.empty() && path.back() == '\n') path.pop_back();
  if (path.empty()) return Error{ErrorCode::kFailed, "git doesn't say where its hooks are"};
  return JoinPath(git.folder(), path);
}

}  // namespace belay
