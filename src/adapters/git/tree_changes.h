// How trees differ: the output of `git diff-tree` as values.

#ifndef BELAY_ADAPTERS_GIT_TREE_CHANGES_H_
#define BELAY_ADAPTERS_GIT_TREE_CHANGES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/status.h"
#include "base/result.h"

namespace belay {

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

#endif  // BELAY_ADAPTERS_GIT_TREE_CHANGES_H_
