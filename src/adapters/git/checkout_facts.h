// What can be found out about a checkout without changing it: operations under way, what differs,
// what lies where a new file has to be.

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

// A checkout with the doors to it; everything is borrowed.
struct Checkout {
  const Git& git;
  FileSystem& files;
  const GitWorktree& worktree;
  Environment::Variables environment;  // for calls of git
  bool unfinished = false;             // somebody was killed while following to the same commit

  Result<GitAnswer> Run(GitCall call) const;
};

// By path.
using PathChanges = std::map<std::string, TreeChange, std::less<>>;

struct PathNote {
  std::string path;
  std::string why;
};

// "a rebase"; empty: none is under way.
std::string OperationUnderWay(const FileSystem& files, const std::string& git_folder);

// Against HEAD, without untracked files and without what is changed inside submodules.
Result<GitStatus> AskTrackedStatus(const Checkout& checkout);

Result<PathChanges> ReadPathChanges(const Checkout& checkout, const ObjectId& from,
                                    const ObjectId& to);

// Of those paths, the ones with a file that git was told to overlook: it would write over it.
Result<std::vector<PathNote>> OverlookedAmong(const Checkout& checkout, const PathChanges& changes,
                                              ObjectFormat format);

// Of those paths, the ones that can't be written without running a filter that the repository's own
// configuration names.
Result<std::vector<PathNote>> FilteredAmong(const Checkout& checkout, const PathChanges& changes,
                                            const LocalPrograms& programs);

// Whether belay can rename files into and out of the folder that holds a path, or that will: it may
// be read-only, or another file system. Empty: it can.
std::string WhyNotWritable(const Checkout& checkout, std::string_view path);

// Of those paths, the submodules that go although their folder holds something.
std::vector<PathNote> FullSubmodulesAmong(const Checkout& checkout, const PathChanges& changes);

enum class FilesThat { kGo, kCome };
// Whether nothing else is in a folder.
bool HoldsOnly(FilesThat which, const Checkout& checkout, const PathChanges& changes,
               const std::string& path);

// The file or link that stands where a folder has to be; empty: none.
std::string FileAbove(const Checkout& checkout, std::string_view path);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_
