// Two commits merged in the object store, without a checkout: a tree, or what stands in the way.

#ifndef BELAY_ADAPTERS_GIT_MERGE_TREES_H_
#define BELAY_ADAPTERS_GIT_MERGE_TREES_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "adapters/git/status.h"
#include "base/result.h"

namespace belay {

// In which lines of a file two sides contradict each other.

// `lines` lines from line `first` on, counted from 1. None: the place before line `first`, where
// the other side has something.
struct LineRange {
  std::size_t first;
  std::size_t lines;

  bool operator==(const LineRange&) const = default;
};

// The same place in both files.
struct ConflictRange {
  LineRange ours;
  LineRange theirs;

  bool operator==(const ConflictRange&) const = default;
};

struct ThreeBlobs {
  ObjectId base;  // none: both sides added the file
  ObjectId ours;
  ObjectId theirs;
};

// Changes of both sides that overlap or touch, grouped as git groups them between its markers. What
// both changed in the same way is no conflict. A binary file: none.
Result<std::vector<ConflictRange>> FindConflictRanges(const MergeRoom& room,
                                                      const ThreeBlobs& blobs);

// A change of one side: `base` became `now`.
struct DiffHunk {
  LineRange base;
  LineRange now;
  std::string text;  // the new lines

  bool operator==(const DiffHunk&) const = default;
};

// Of `git diff -U0`; binary: none. Anything else: kDamaged.
Result<std::vector<DiffHunk>> ParseHunks(std::string_view diff);
// Both by line.
std::vector<ConflictRange> GroupHunks(std::span<const DiffHunk> ours,
                                      std::span<const DiffHunk> theirs);

struct ConflictedFile {
  std::string path;
  std::string kind;                     // git's word: "contents", "modify/delete", "binary", ...
  std::string message;                  // git's sentence about it
  std::array<GitEntry, 3> stages = {};  // base, ours, theirs; a rename's may be under other paths
  std::vector<ConflictRange> ranges = {};
};

struct MergeOutcome {
  ObjectId tree;  // with markers in files where it isn't clean
  bool clean;
  std::vector<ConflictedFile> files;  // by path; never empty when it isn't clean

  std::vector<std::string> merged_files = {};  // whose content was put together from both sides
};

// Of two commits, by their best common ancestor. Without one: kRefused.
Result<MergeOutcome> MergeCommits(MergeRoom& room, const ObjectId& ours, const ObjectId& theirs);

// The line ranges of those conflicts that have some: of at most kMostRangedFiles files, since each
// one takes two calls of git.
constexpr std::size_t kMostRangedFiles = 50;
Result<void> AddRanges(const MergeRoom& room, MergeOutcome& outcome);

// Of `git merge-tree --write-tree -z --messages`. Anything else: kDamaged.
Result<MergeOutcome> ParseMerge(std::string_view output, bool clean);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_MERGE_TREES_H_
