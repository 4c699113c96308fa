// What can be learned about a checkout without changing it: operations under way, differences,
// files in the place of a new one.

#ifndef BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_
#define BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "adapters/git/git.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "base/time.h"
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

// Whether a checkout of a branch can follow it from one commit to another and keep all of the
// user's changes, like `git merge --ff-only`; decided path by path.
//
// A path that the move changes is free when index and file match `from`. It is done already when
// they match `to`. Anything else blocks it: a staged, edited or deleted file, an untracked file
// (ignored or not) in the place of a new one, a file that git is set to overlook. Other paths don't
// matter. Some paths belay can't write at all: those with a filter that it doesn't run, and those
// in a read-only folder.
//
// The result is only true for that moment. With the marks belay checks later, with the index
// locked, whether a file is still the one it saw.

// Identifies the file at a path, and its state. Inode 0: none.
struct FileMark {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::uint32_t mode = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;
  std::string digest = {};  // only if the file was written just before the look

  bool IsThere() const { return inode != 0; }
  bool operator==(const FileMark&) const = default;
};

FileMark MarkOf(const FileSystem& files, const std::string& path, WallTime now);
// Whether `path` is still as marked, untouched since.
bool IsUntouched(const FileSystem& files, const std::string& path, const FileMark& mark);
// The same for a file that was since moved to `path`, which also touches it.
bool HasMarked(const FileSystem& files, const std::string& path, const FileMark& mark);

struct FreePath {
  TreeChange change;
  FileMark mark;  // the file there now
};

struct CheckoutInspection {
  std::string why_not = {};  // nothing may be done there at all: "a rebase is in progress"
  bool elsewhere = false;    // its HEAD is neither at `from` nor at `to`
  std::vector<PathNote> blocked = {};     // sorted by path, each once
  std::vector<PathNote> filtered = {};    // by a program from the repository's own configuration
  std::vector<PathNote> unwritable = {};  // their folder isn't writable
  std::map<std::string, GitEntry, std::less<>> staged =
      {};  // blocked paths that differ from both commits
  std::vector<FreePath> free = {};
  std::vector<std::string> submodules = {};  // git doesn't update these by itself
  PathChanges changes = {};
};

struct CheckoutMoveRequest {
  std::string branch;  // "refs/heads/main"
  ObjectId from;
  ObjectId to;
  bool any_head = false;        // only check the user's changes, wherever HEAD is
  bool block_filtered = false;  // filtered paths count as blocked
};

Result<CheckoutInspection> InspectCheckout(const Checkout& checkout,
                                           const CheckoutMoveRequest& request,
                                           const LocalPrograms& programs, WallTime now);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_CHECKOUT_FACTS_H_
