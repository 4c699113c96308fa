// Merges two commits in the object store, without a checkout: the result is a tree, or the
// conflicts.

#ifndef BELAY_ADAPTERS_GIT_MERGE_TREES_H_
#define BELAY_ADAPTERS_GIT_MERGE_TREES_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/merge_room.h"
#include "adapters/git/status.h"
#include "base/result.h"

namespace belay {

// The lines of a file in which two sides conflict.

// `lines` lines starting at line `first`, counted from 1. With 0 lines: the position before line
// `first`, where the other side has some.
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

// Overlapping or touching changes of both sides, grouped as git groups them between its markers. A
// change that both made identically is no conflict. None for a binary file.
Result<std::vector<ConflictRange>> FindConflictRanges(const MergeRoom& room,
                                                      const ThreeBlobs& blobs);

// A change of one side: `base` became `now`.
struct DiffHunk {
  LineRange base;
  LineRange now;
  std::string text;  // the new lines

  bool operator==(const DiffHunk&) const = default;
};

// Parses `git diff -U0`; none for a binary file. Anything else: kDamaged.
Result<std::vector<DiffHunk>> ParseHunks(std::string_view diff);
// Both sorted by line.
std::vector<ConflictRange> GroupHunks(std::span<const DiffHunk> ours,
                                      std::span<const DiffHunk> theirs);

struct ConflictedFile {
  std::string path;
  std::string kind;                     // git's word: "contents", "modify/delete", "binary", ...
  std::string message;                  // git's message about it
  std::array<GitEntry, 3> stages = {};  // base, ours, theirs; a rename's may be at other paths
  std::vector<ConflictRange> ranges = {};
};

struct MergeOutcome {
  ObjectId tree;  // with conflict markers if it isn't clean
  bool clean;
  std::vector<ConflictedFile> files;  // by path; never empty when it isn't clean

  std::vector<std::string> merged_files = {};  // content merged from both sides
};

// Merges by the best common ancestor. Without one: kRefused.
Result<MergeOutcome> MergeCommits(MergeRoom& room, const ObjectId& ours, const ObjectId& theirs);

// The line ranges of conflicts, for at most kMostRangedFiles files, since each one takes two calls
// of git.
constexpr std::size_t kMostRangedFiles = 50;
Result<void> AddRanges(const MergeRoom& room, MergeOutcome& outcome);

// Parses `git merge-tree --write-tree -z --messages`. Anything else: kDamaged.
Result<MergeOutcome> ParseMerge(std::string_view output, bool clean);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_MERGE_TREES_H_
