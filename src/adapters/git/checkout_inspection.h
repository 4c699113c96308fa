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

#ifndef BELAY_ADAPTERS_GIT_CHECKOUT_INSPECTION_H_
#define BELAY_ADAPTERS_GIT_CHECKOUT_INSPECTION_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/git/checkout_facts.h"
#include "base/time.h"

namespace belay {

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
  std::string why_not = {};             // nothing may be done there at all: "a rebase is under way"
  bool elsewhere = false;               // its HEAD is neither at `from` nor at `to`
  std::vector<PathNote> blocked = {};   // sorted by path, each once
  std::vector<PathNote> filtered = {};  // by a program from the repository's own configuration
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

#endif  // BELAY_ADAPTERS_GIT_CHECKOUT_INSPECTION_H_
