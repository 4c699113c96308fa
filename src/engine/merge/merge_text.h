// What is said about an entry: in lists, to agents, to people. Pure. Names of files and branches
// are data of whoever wrote them: quoted where they could be taken for something else.

#ifndef BELAY_ENGINE_MERGE_MERGE_TEXT_H_
#define BELAY_ENGINE_MERGE_MERGE_TEXT_H_

#include <string>

#include "engine/merge/queue_order.h"
#include "model/merge_entry.h"

namespace belay {

// "conflict with main in 2 files: a.cc, b.cc"
std::string ConflictLine(const MergeEntry& entry);
// "gate test: exit code 2"
std::string GateLine(const GateResult& result);
// "src/a.cc: lines 10-14 of main, 12-13 of login"; one line for each file.
std::string ConflictDetails(const MergeEntry& entry);

// "commit 1a2b3c of login doesn't fit these of main: 4d5e6f"; empty when there is no conflict.
std::string ConflictSides(const MergeEntry& entry);

// "it was to come after m1 (login), which was removed": why it won't land.
std::string LostWaitLine(const MergeBook& book, const LostWait& lost);

// What whoever is to mend it must know and do: for its hook, and for the text that it is resumed
// with.
std::string MendText(const MergeEntry& entry);

// The same for a person, who may not have done the work.
std::string PersonText(const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_MERGE_TEXT_H_
