// How a worktree differs from its HEAD: the output of `git status` as values.

#ifndef BELAY_ADAPTERS_GIT_STATUS_H_
#define BELAY_ADAPTERS_GIT_STATUS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "codec/hash.h"

namespace belay {

// Modes as git has them.
constexpr std::uint32_t kNoMode = 0;  // there is nothing
constexpr std::uint32_t kFileMode = 0100644;
constexpr std::uint32_t kProgramMode = 0100755;
constexpr std::uint32_t kLinkMode = 0120000;
constexpr std::uint32_t kFolderMode = 0040000;
constexpr std::uint32_t kSubmoduleMode = 0160000;

// An entry of a tree or of the index.
struct GitEntry {
  std::uint32_t mode = kNoMode;
  ObjectId id = {};

  bool IsThere() const { return mode != kNoMode; }
  bool operator==(const GitEntry&) const = default;
};

struct StatusEntry {
  enum class Kind {
    kChanged,    // HEAD, index and worktree aren't all the same
    kUnmerged,   // the index has up to three stages of it
    kUntracked,  // a folder only if it is a repository of its own; then `path` ends with a slash
    kIgnored,
  };

  Kind kind;
  std::string path = {};
  GitEntry head = {};
  GitEntry index = {};                  // none with intent_to_add
  bool index_changed = false;           // compared with HEAD
  bool worktree_changed = false;        // compared with the index
  bool intent_to_add = false;           // in the index without content
  std::uint32_t worktree_mode = 0;      // kNoMode: it isn't there
  std::array<GitEntry, 3> stages = {};  // of kUnmerged: base, ours, theirs
  bool submodule_moved = false;         // its checked-out commit differs from the index
  bool submodule_dirty = false;         // it has changed or untracked files
};

struct GitStatus {
  ObjectId head = {};       // none: no commit yet
  std::string branch = {};  // empty: detached
  std::vector<StatusEntry> entries = {};
  std::string warnings = {};  // what git couldn't read
};

enum class IgnoredFiles { kLeaveOut, kName };
enum class Submodules { kLookInto, kPassOver };

// Takes no lock and changes nothing, not even the index.
Result<GitStatus> ReadStatus(const Git& git, IgnoredFiles ignored = IgnoredFiles::kLeaveOut,
                             Submodules submodules = Submodules::kLookInto);

// Parses `git status --porcelain=v2 -z --branch --no-renames`. Anything else: kDamaged.
Result<GitStatus> ParseStatus(std::string_view output);

// Tracked files that git is set to overlook (assume-unchanged, skip-worktree): it reports no change
// in them, whatever they hold.

struct Overlooked {
  std::string path;
  ObjectId id;  // of the index entry

  bool operator==(const Overlooked&) const = default;
};

// `index` is the content of git's index file; git is only run if we can't parse it. Includes files
// outside of a sparse checkout.
Result<std::vector<Overlooked>> FindOverlooked(const Git& git, std::string_view index,
                                               ObjectFormat format);

// Parses an index of version 2 or 3. Nullopt: it has another version, refers to another file, or
// can't be parsed.
std::optional<std::vector<Overlooked>> OverlookedInIndex(std::string_view index,
                                                         ObjectFormat format);

// How trees differ: the output of `git diff-tree` as values.

struct TreeChange {
  std::string path;
  GitEntry before;
  GitEntry after;

  bool operator==(const TreeChange&) const = default;
};

struct TreePair {
  ObjectId before;  // a commit; none: the empty tree
  ObjectId after;   // a commit
};

// The changes of each pair, by path, in one call. Folders are never listed, only their files.
Result<std::vector<std::vector<TreeChange>>> CompareCommits(const Git& git,
                                                            std::span<const TreePair> pairs);

// Parses `git diff-tree -r -z` of one pair, without its headline. Anything else: kDamaged.
Result<std::vector<TreeChange>> ParseTreeChanges(std::string_view output);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_STATUS_H_
