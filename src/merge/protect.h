// `merge-queue protect` and `unprotect`: puts the guard of a target into force, and takes it out.
//
// The hook is installed first (guard_hook.h), then the names of guarded refs are written, and last
// the journal says that the target is guarded, which is what the guard believes; the other way
// round when it is taken out. So whoever is killed in between leaves a hook that lets pass, never a
// target that is called protected and isn't.

#ifndef BELAY_MERGE_PROTECT_H_
#define BELAY_MERGE_PROTECT_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "merge/guard_hook.h"
#include "merge/merge_doors.h"

namespace belay {

struct Protection {
  struct Place {
    std::string folder;  // of hooks
    HookChange change;
  };

  MergeTarget target;
  std::vector<Place> places = {};
};

// `program` is belay's own. The target must be a branch that is there: kNotFound.
Result<Protection> ProtectTarget(const MergeDoors& doors, MergeLedger& ledger,
                                 const std::string& target, const std::string& program);
// The hook goes with the last target.
Result<Protection> UnprotectTarget(const MergeDoors& doors, MergeLedger& ledger,
                                   const std::string& target, const std::string& program);

}  // namespace belay

#endif  // BELAY_MERGE_PROTECT_H_
