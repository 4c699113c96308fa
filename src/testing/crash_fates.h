// What a crash may do to the changes that are pending.
//
// Any of them may be lost and any may arrive, a write also in part, with one exception: a change of
// names arrives only after the earlier changes of the same names in the same folder.

#ifndef BELAY_TESTING_CRASH_FATES_H_
#define BELAY_TESTING_CRASH_FATES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "testing/disk_image.h"

namespace belay {

using Fates = std::vector<Fate>;  // one for each pending change

// Makes the disk that these fates leave; false when there was one just like it.
using MakeState = std::function<bool(const Fates&)>;

// All legal combinations when they are at most `limit`. Otherwise so many that `limit` different
// states come of them, as far as can be found, in this order:
// - nothing arrives; everything; all names and no data; all data and no names;
// - each change alone different from one of these four (with the changes it needs, or that need
//   it), each write torn or replaced by zeros, in an order that depends on `seed`;
// - random ones.
void ForEachCrash(const std::vector<Change>& pending, std::size_t limit, std::uint64_t seed,
                  const MakeState& make);

}  // namespace belay

#endif  // BELAY_TESTING_CRASH_FATES_H_
