// `belay why` about an entry of the merge queue: what happened to it, and what comes next.

#ifndef BELAY_CLI_WHY_ENTRY_H_
#define BELAY_CLI_WHY_ENTRY_H_

#include <string_view>

#include "base/result.h"
#include "cli/services.h"
#include "model/merge_book.h"
#include "store/layout.h"

namespace belay {

// "m7" is an entry, if there is one. All else that is an agent's name means the agent; what isn't
// may be a number, or a branch, of which the latest entry counts. Null: none of these.
const MergeEntry* FindEntry(const MergeBook& book, std::string_view operand, bool names_agent);

struct EntryQuestion {
  const MergeBook& book;
  const MergeEntry& entry;         // of the book
  bool guarded = false;            // a guardian runs
  Result<void> read = {};          // whether all of the queue could be read
  std::string nothing_lands = {};  // why, and what helps; empty: work lands
};

Result<int> ShowWhyOfEntry(Services& services, const Layout& project,
                           const EntryQuestion& question);

}  // namespace belay

#endif  // BELAY_CLI_WHY_ENTRY_H_
