// How `belay agents` shows its rows (agents_view.h).

#ifndef BELAY_CLI_AGENTS_OUTPUT_H_
#define BELAY_CLI_AGENTS_OUTPUT_H_

#include <string>
#include <vector>

#include "app/agents_view.h"
#include "codec/json.h"
#include "ui/table.h"

namespace belay {

Json RowJson(const AgentRow& row);
void AppendRow(const AgentRow& row, std::string& out);  // the same as text; there may be very many
Table AgentsTable(const std::vector<AgentRow>& rows, WallTime now);

}  // namespace belay

#endif  // BELAY_CLI_AGENTS_OUTPUT_H_
