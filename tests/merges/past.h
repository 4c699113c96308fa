// A project's own past as work for a merge queue: its latest commits, one after the other, and
// branches with a few of them each. Where it fits they begin at an older commit, as if their
// authors had worked side by side.

#ifndef BELAY_TESTS_MERGES_PAST_H_
#define BELAY_TESTS_MERGES_PAST_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "testing/git_repository.h"

namespace belay {

struct PastBranch {
  std::string tip;
  bool is_behind;  // it begins before what was there when its first commit came
};

class Past {
 public:
  static constexpr std::size_t kFewest = 20;

  // Why there is too little of it in the repository of that folder; empty: there is enough.
  static std::string WhyNot(const std::string& folder);

  // Fetches it into `repository`, which shall be empty, and leaves main checked out where it
  // begins. Of each merge its first parent counts, and what changed nothing is left out.
  Past(const GitRepository& repository, const std::string& folder, std::size_t most_commits);

  const std::string& tip() const { return commits_.back(); }
  std::size_t size() const { return commits_.size() - 1; }
  // In the order in which they come to the same tip again.
  std::vector<PastBranch> Branches() const;
  // All that must be the same of the commits up to `tip`: trees, authors, dates, messages.
  std::string Account(const std::string& tip) const;

 private:
  std::string TreeOf(const std::string& commit) const;
  // The same commit, byte by byte but for tree, parent and signature.
  std::string Put(const std::string& commit, const std::string& tree,
                  const std::string& parent) const;
  // What it changed, changed there; nothing when that doesn't fit, or is there already.
  std::optional<std::string> Carry(const std::string& commit, const std::string& onto) const;
  // A branch with the commits from `first` to before `end` that begins at an older one; nothing
  // unless they come back as what they were.
  std::optional<std::string> Begin(std::size_t older, std::size_t first, std::size_t end) const;

  const GitRepository& repository_;
  std::vector<std::string> commits_;  // the first one is where it begins
};

}  // namespace belay

#endif  // BELAY_TESTS_MERGES_PAST_H_
