// Prepares a checkout to follow its branch: creates the new index and the new files in
// belay's own folder, without touching the checkout.
//
// Git itself makes them: `read-tree -m -u` on a copy of the index, in an empty folder. So staged
// changes, sparse checkouts, line endings and the rest are handled as git does.

#ifndef BELAY_MERGE_CHECKOUT_PREPARE_H_
#define BELAY_MERGE_CHECKOUT_PREPARE_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "merge/checkout_move.h"
#include "merge/move_note.h"

namespace belay {

struct PreparedCheckout {
  GitWorktree worktree;
  CheckoutPlan plan;
  std::string index_bytes;        // that the new index was made from
  std::vector<std::string> kept;  // became unmerged, with keep_blocked
  // submodules whose commit changes; git leaves their files alone
  std::vector<std::string> modules;
  std::string why_not = {};  // the obstacle: files and a hint, in one line
  bool elsewhere = false;
};

// Without `stage`, the checkout is only inspected. An error or an obstacle leaves nothing behind.
Result<PreparedCheckout> PrepareCheckout(const MergeEnv& env, const TargetAdvance& advance,
                                         const GitWorktree& worktree, std::size_t number,
                                         bool stage);

// An error that names the checkout.
Error CheckoutTrouble(const std::string& target, const std::string& folder, const Error& error);

// Removes what was prepared for a move that isn't made.
Result<void> DropStaged(FileSystem& files, const CheckoutPlan& plan);

// With the index locked: whether the prepared files still fit.
bool StillFits(const FileSystem& files, const PreparedCheckout& ready, const std::string& ref);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUT_PREPARE_H_
