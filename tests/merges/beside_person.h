// Work lands on main while a person edits and commits in its checkout (person.h), and the queue is
// killed again and again. Afterwards nothing of either side may be lost or undone, and no lock of
// ours may be left when belay alone was killed.

#ifndef BELAY_TESTS_MERGES_BESIDE_PERSON_H_
#define BELAY_TESTS_MERGES_BESIDE_PERSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "os/process.h"

namespace belay {

struct PersonCampaign {
  std::string belay;
  std::uint64_t landings;
  std::uint64_t kills;
  std::uint64_t seed;
};

// Prints what it counted. The exit code: 0 when all is as it should be.
int LandBesideAPerson(const PersonCampaign& campaign);

// With all that it started, if `all`. Stopped first, so that it starts nobody else meanwhile. Gives
// those of them that go on.
std::vector<Process> KillProcess(Process& belay, bool all);

}  // namespace belay

#endif  // BELAY_TESTS_MERGES_BESIDE_PERSON_H_
