// What can be learned about a checkout without changing it: operations under way, differences,
// files in the place of a new one.

#ifndef BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_
#define BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "adapters/git/git.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/status.h"
#include "adapters/git/tree_changes.h"
#include "base/result.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// A checkout and access to it; everything is borrowed.
struct Checkout {
  const Git& git;
  FileSystem& files;
  const GitWorktree& worktree;
  Environment::Variables environment;  // for calls of git
  bool unfinished = false;  // another process was killed while following to the same commit

  Result<GitAnswer> Run(GitCall call) const;
};

// By path.
using PathChanges = std::map<std::string, TreeChange, std::less<>>;

struct PathNote {
  std::string path;
  std::string why;
};

// "a rebase"; empty: none under way.
std::string OperationUnderWay(const FileSystem& files, const std::string& git_folder);

// Compared with HEAD, without untracked files and without changes inside submodules.
Result<GitStatus> AskTrackedStatus(const Checkout& checkout);

Result<PathChanges> ReadPathChanges(const Checkout& checkout, const ObjectId& from,
                                    const ObjectId& to);

// Those of the paths that git is set to overlook (assume-unchanged, skip-worktree): it would
// overwrite the file.
Result<std::vector<PathNote>> OverlookedAmong(const Checkout& checkout, const PathChanges& changes,
                                              ObjectFormat format);

// Those of the paths that can't be written without running a filter from the repository's own
// configuration.
Result<std::vector<PathNote>> FilteredAmong(const Checkout& checkout, const PathChanges& changes,
                                            const LocalPrograms& programs);

// Why belay can't rename files into and out of the folder of a path, or of the folder that will
// hold it: it may be read-only, or another file system. Empty: it can.
std::string WhyNotWritable(const Checkout& checkout, std::string_view path);

// Those of the paths that are removed submodules whose folder isn't empty.
std::vector<PathNote> FullSubmodulesAmong(const Checkout& checkout, const PathChanges& changes);

enum class FilesThat { kGo, kCome };
// Whether a folder holds nothing else.
bool HoldsOnly(FilesThat which, const Checkout& checkout, const PathChanges& changes,
               const std::string& path);

// The file or link in the place of a needed folder; empty: none.
std::string FileAbove(const Checkout& checkout, std::string_view path);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_
