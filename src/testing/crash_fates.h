// What a crash may do to pending changes.
//
// Any of them may be lost or arrive, a write also in part, with one exception: a change of names
// arrives only after the earlier changes of the same names in the same folder.

#ifndef BELAY_TESTING_CRASH_FATES_H_
#define BELAY_TESTING_CRASH_FATES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "testing/disk_image.h"

namespace belay {

using Fates = std::vector<Fate>;  // one for each pending change

// Builds the disk that these fates leave; false when an equal one was built before.
using MakeState = std::function<bool(const Fates&)>;

// All legal combinations when there are at most `limit`. Otherwise enough for `limit` different
// states, as far as possible, in this order:
// - nothing arrives; everything; all names and no data; all data and no names;
// - each change alone different from one of these four (with the changes it needs, or that need
//   it), each write torn or replaced by zeros, in an order that depends on `seed`;
// - random ones.
void ForEachCrash(const std::vector<Change>& pending, std::size_t limit, std::uint64_t seed,
                  const MakeState& make);

}  // namespace belay

#endif  // BELAY_TESTING_CRASH_FATES_H_
