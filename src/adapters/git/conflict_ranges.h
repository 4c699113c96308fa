// In which lines of a file two sides contradict each other.

#ifndef BELAY_ADAPTERS_GIT_CONFLICT_RANGES_H_
#define BELAY_ADAPTERS_GIT_CONFLICT_RANGES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

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

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_CONFLICT_RANGES_H_
