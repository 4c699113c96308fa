// What a queue must come to, found in the plainest way: one branch after the other is rebased in an
// ordinary clone, the gate is run there, and the target moves if it passes.

#ifndef BELAY_TESTS_MERGES_REFERENCE_H_
#define BELAY_TESTS_MERGES_REFERENCE_H_

#include <map>
#include <string>

#include "merges/work.h"

namespace belay {

struct Landed {
  std::string tree;                            // of the target
  std::string history;                         // the subjects, the first one first
  std::map<std::string, std::string> outcome;  // of each branch: "merged", "conflict", ...

  bool operator==(const Landed&) const = default;
};

// The clone is made in `folder`, which isn't there yet. The repository is only read.
Landed LandByHand(const GitRepository& repository, const Work& work, const std::string& folder);

}  // namespace belay

#endif  // BELAY_TESTS_MERGES_REFERENCE_H_
