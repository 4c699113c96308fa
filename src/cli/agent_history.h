// Everything that was recorded about one identity: from its own journal and that of hooks, taint
// and snapshots, also from those that were made short since (Layout::ArchiveFolder).

#ifndef BELAY_CLI_AGENT_HISTORY_H_
#define BELAY_CLI_AGENT_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct HistoryRecord {
  std::string journal;
  std::uint64_t seq = 0;
  WallTime at = {};
  std::string kind;
  std::string agent_id;  // empty: of no incarnation in particular
  std::string why;       // one line, of other people's words too
};

struct AgentHistory {
  std::vector<HistoryRecord> records = {};  // in the order of their times
  std::vector<std::string> warnings = {};   // what couldn't be read
};

// Heartbeats, and what making a journal short repeats, are left out. A journal that is damaged
// tells what is before the damage; that is a warning.
AgentHistory ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent);

}  // namespace belay

#endif  // BELAY_CLI_AGENT_HISTORY_H_
