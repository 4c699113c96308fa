// Where everything is. Every path that belay reads or writes is built here and nowhere else.
//
// clang-format off
//   ROOT/.claude/belay.yml      configuration, written by people
//   ROOT/.claude/talisman.yml   another program's; one section of it is read
//   ROOT/.claude/state/         the state root: renderings for people and scripts, made anew when lost
//   GIT/belay/                  the vault: the truth, in git's common folder, so that `git clean -fdx`
//                               and `rm -rf .claude` in the worktree lose nothing
//   GIT/belay/root              the path of ROOT, so that every worktree finds the same one
//   GIT/info/exclude            git's own list of what it leaves alone
// clang-format on
//
// ROOT is the main worktree, also when belay runs in a linked one. Outside a repository the vault
// is ROOT/.claude/.belay-vault/.

#ifndef BELAY_STORE_LAYOUT_H_
#define BELAY_STORE_LAYOUT_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

class Layout {
 public:
  // `root` is absolute; without a `common_folder` it is no repository.
  Layout(std::string root, std::optional<std::string> common_folder)
      : root_(std::move(root)), common_folder_(std::move(common_folder)) {}

  const std::string& Root() const { return root_; }
  bool InRepository() const { return common_folder_.has_value(); }

  std::string ClaudeFolder() const;
  std::string ConfigFile() const;
  std::string TalismanFile() const;
  std::string StateRoot() const;
  std::string Vault() const;
  std::string RootFile() const;
  std::optional<std::string> ExcludeFile() const;

  // belay's own folders inside a worktree: never part of a snapshot, a cleaning or a list of
  // modified files. As paths, and as patterns for git.
  std::vector<std::string> OwnFolders() const;
  static std::vector<std::string> OwnPatterns();

 private:
  std::string root_;
  std::optional<std::string> common_folder_;
};

// The project that `named` (from --root) lies in, or else the one around `current`. A folder that
// was named needs no repository. Wrong or missing root: kUsage.
Result<Layout> LocateProject(const FileSystem& files, const std::optional<std::string>& named,
                             const std::string& current);

}  // namespace belay

#endif  // BELAY_STORE_LAYOUT_H_
