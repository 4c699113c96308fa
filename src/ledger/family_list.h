// The list of all families of records. Everything that is done to every family (rendering again
// what was lost, repair, compaction, `belay log`, `belay why`) loops over it, and a ledger of a
// family that isn't in it doesn't compile. ledger/family_table.h describes each of them.

#ifndef BELAY_LEDGER_FAMILY_LIST_H_
#define BELAY_LEDGER_FAMILY_LIST_H_

#include <type_traits>

namespace belay {

struct ProjectFamily;
struct IdentityFamily;
struct HookFamily;
struct TaintFamily;
struct DeliveryFamily;
struct SnapshotFamily;
struct MergeFamily;
struct TaskFamily;
struct ResumptionFamily;

template <class... F>
struct FamilyNames {};

// The project's own first: a repair of the others is recorded in it.
using FamilyList =
    FamilyNames<ProjectFamily, IdentityFamily, HookFamily, TaintFamily, DeliveryFamily,
                SnapshotFamily, MergeFamily, TaskFamily, ResumptionFamily>;

template <class F, class... All>
constexpr bool IsAmong(FamilyNames<All...>) {
  return (std::is_same_v<F, All> || ...);
}
template <class F>
constexpr bool kIsListed = IsAmong<F>(FamilyList());

}  // namespace belay

#endif  // BELAY_LEDGER_FAMILY_LIST_H_
