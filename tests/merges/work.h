// Random work for a merge queue: branches that start at one commit, some of which fit each other,
// some don't, and some are red. Everything follows from the seed.

#ifndef BELAY_TESTS_MERGES_WORK_H_
#define BELAY_TESTS_MERGES_WORK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testing/git_repository.h"

namespace belay {

struct BranchWork {
  std::string name;
  // The files of each commit; "" takes one away.
  std::vector<std::map<std::string, std::string>> commits;
};

// In the order in which they are to be queued.
struct Work {
  std::map<std::string, std::string> start;
  std::vector<BranchWork> branches;
};

// Passes unless two files of the candidate say so together, or one alone.
extern const char* const kWorkGate;

Work MakeWork(std::uint64_t seed, std::size_t branches);

// On main as it is; the branches begin there. Leaves main checked out.
void DoWork(const GitRepository& repository, const Work& work);

}  // namespace belay

#endif  // BELAY_TESTS_MERGES_WORK_H_
