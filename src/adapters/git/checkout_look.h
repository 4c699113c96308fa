// Whether a checkout of a branch can follow it from one commit to another with all that a person
// has changed there kept, as `git merge --ff-only` would leave it: path by path.
//
// A path that the move changes is free when index and file have it as `from` has it. It is already
// there when they have it as `to` does. Anything else blocks it: something staged or edited or
// deleted there, a file that git doesn't track (ignored or not) where a new one has to be, a file
// that git was told to overlook. Other paths don't matter. Some paths belay can't write, whatever
// their state: those with a filter that it doesn't run, and those in a read-only folder.
//
// What was seen is true for the moment only. The marks tell later, with the index locked, whether a
// file is still the one that was looked at.

#ifndef BELAY_ADAPTERS_GIT_CHECKOUT_LOOK_H_
#define BELAY_ADAPTERS_GIT_CHECKOUT_LOOK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/git/checkout_facts.h"
#include "base/time.h"

namespace belay {

// Which file lies at a path, and in which state. Inode 0: none.
struct FileMark {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::uint32_t mode = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;
  std::string digest = {};  // only of a file that was written just before it was looked at

  bool IsThere() const { return inode != 0; }
  bool operator==(const FileMark&) const = default;
};

FileMark MarkOf(const FileSystem& files, const std::string& path, WallTime now);
// Whether `path` still has what was marked, and nobody has touched it since.
bool IsUntouched(const FileSystem& files, const std::string& path, const FileMark& mark);
// The same for a file that was moved to `path` since, which is a touch as well.
bool HasMarked(const FileSystem& files, const std::string& path, const FileMark& mark);

struct FreePath {
  TreeChange change;
  FileMark mark;  // what lies there now
};

struct CheckoutLook {
  std::string why_not = {};             // nothing may be done there at all: "a rebase is under way"
  bool elsewhere = false;               // its HEAD is neither at `from` nor at `to`
  std::vector<PathNote> blocked = {};   // by path, each once
  std::vector<PathNote> filtered = {};  // by a program that the repository's configuration names
  std::vector<PathNote> unwritable = {};  // their folder can't be written
  std::map<std::string, GitEntry, std::less<>> staged =
      {};  // of blocked paths, unlike both commits
  std::vector<FreePath> free = {};
  std::vector<std::string> submodules = {};  // that git doesn't update by itself
  PathChanges changes = {};
};

struct CheckoutMoveRequest {
  std::string branch;  // "refs/heads/main"
  ObjectId from;
  ObjectId to;
  bool any_head = false;        // only whether a person's changes are in the way, wherever HEAD is
  bool block_filtered = false;  // filtered paths count as blocked
};

Result<CheckoutLook> LookAtCheckout(const Checkout& checkout, const CheckoutMoveRequest& request,
                                    const LocalPrograms& programs, WallTime now);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_CHECKOUT_LOOK_H_
