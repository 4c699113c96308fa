// Texts about an entry: for lists, agents and users. Pure. File and branch names are untrusted
// data: quoted where they could be misread.

#ifndef BELAY_ENGINE_MERGE_MERGE_TEXT_H_
#define BELAY_ENGINE_MERGE_MERGE_TEXT_H_

#include <string>
#include <string_view>

#include "engine/merge/queue_order.h"
#include "model/merge_entry.h"

namespace belay {

// "conflict with main in 2 files: a.cc, b.cc"
std::string ConflictLine(const MergeEntry& entry);
// "gate test: exit code 2"
std::string GateLine(const GateResult& result);
// "src/a.cc: lines 10-14 of main, 12-13 of login"; one line per file.
std::string ConflictDetails(const MergeEntry& entry);

// "commit 1a2b3c of login conflicts with these of main: 4d5e6f"; empty when there is no conflict.
std::string ConflictSides(const MergeEntry& entry);

// A word of a command that people read: in quotes only if a shell needs them.
std::string ShellWord(std::string_view text);

// The commands that queue it again: a parked entry, and one that has ended. Work that changes the
// settings is parked until a person approves it, so that command approves it.
std::string RetryCommand(const MergeEntry& entry);
std::string AddCommand(const MergeEntry& entry);
// Parked for that reason, which names this option.
constexpr std::string_view kApproveOption = "--gates-change";
bool WaitsForApproval(const MergeEntry& entry);

// Why an entry is merged, by its proof: "main has its changes already".
std::string MergedWhy(std::string_view target, std::string_view proof);

// "it depends on m1 (login: removed), which won't land": why it won't land.
std::string LostWaitLine(const MergeBook& book, const LostWait& lost);

// What the agent that has to fix it must know and do: for its hook record, and for its resume text.
std::string FixText(const MergeEntry& entry);

// The same for a user, who may not have done the work.
std::string PersonText(const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_MERGE_TEXT_H_
