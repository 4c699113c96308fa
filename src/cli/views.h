// How the rows of `belay agents` (app/agents_view.h) and of the queue look.

#ifndef BELAY_CLI_VIEWS_H_
#define BELAY_CLI_VIEWS_H_

#include <string>
#include <vector>

#include "app/agents_view.h"
#include "app/merge_queue.h"
#include "base/time.h"
#include "cli/invocation.h"
#include "codec/json.h"
#include "engine/merge/queue_order.h"
#include "model/merge_entry.h"
#include "ui/table.h"

namespace belay {

Json RowJson(const AgentRow& row);
void AppendRow(const AgentRow& row, std::string& out);  // the same as text; there may be very many
Table AgentsTable(const std::vector<AgentRow>& rows, WallTime now);

Json MergeRowJson(const MergeRow& row);
Table MergeTable(const std::vector<MergeRow>& rows, WallTime now);
// All about one entry.
std::string MergeDetails(const MergeRow& row, WallTime now);

// "m2 waits for m1": a line for each entry that does.
std::string WaitingText(const std::vector<QueuePlace>& places);

// "testing", in the colour of the status.
Tone MergeTone(MergeStatus status);

// The request of `merge-queue add`.
Result<QueueAddRequest> ParseQueueAdd(const Invocation& invocation);

// The operand ENTRY: "m7", or "7".
Result<std::uint64_t> EntryArgument(const Invocation& invocation);

}  // namespace belay

#endif  // BELAY_CLI_VIEWS_H_
