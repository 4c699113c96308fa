// Makes ready what a checkout needs to follow its branch: the new index and the new files, in a
// folder of belay's own, without touching the checkout.
//
// Git itself makes them: `read-tree -m -u` on a copy of the index, in an empty folder. So staged
// changes, sparse checkouts, line endings and the rest come out as git has them.

#ifndef BELAY_MERGE_CHECKOUT_READY_H_
#define BELAY_MERGE_CHECKOUT_READY_H_

#include <string>
#include <vector>

#include "adapters/git/checkout_look.h"
#include "base/result.h"
#include "merge/checkout_move.h"
#include "merge/move_note.h"

namespace belay {

struct ReadyCheckout {
  GitWorktree worktree;
  CheckoutPlan plan;
  std::string index_bytes;           // what the new index was made from
  std::vector<std::string> kept;     // became unmerged, with keep_blocked
  std::vector<std::string> modules;  // whose commit changes; git leaves their files alone
  std::string why_not = {};          // it can't follow now: files and what to do, in a line
  bool elsewhere = false;
};

// Without `stage`, it is only looked at. An error, or a reason why it can't follow, leaves nothing
// behind.
Result<ReadyCheckout> MakeCheckoutReady(const MergeDoors& doors, const TargetAdvance& advance,
                                        const GitWorktree& worktree, std::size_t number,
                                        bool stage);

// Trouble with a checkout, that names it.
Error CheckoutTrouble(const std::string& target, const std::string& folder, const Error& error);

// Removes what was staged for a move that isn't made.
Result<void> DropStaged(FileSystem& files, const CheckoutPlan& plan);

// With the index locked: whether what was made ready still fits.
bool IsStillFitting(const FileSystem& files, const ReadyCheckout& ready, const std::string& ref);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUT_READY_H_
