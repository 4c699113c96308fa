// What journals say about one thing, for `belay why`: also what was archived of them.

#ifndef BELAY_CLI_HISTORY_H_
#define BELAY_CLI_HISTORY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/timeline.h"

namespace belay {

struct HistoryRecord {
  std::string journal = {};
  std::uint64_t seq = 0;
  WallTime at = {};
  std::string kind = {};
  std::string agent_id = {};  // empty: of no incarnation in particular
  std::string why = {};       // one line, of other people's words too
};

struct History {
  std::vector<HistoryRecord> records = {};
  std::vector<std::string> warnings = {};  // what couldn't be read
};

// What a record of a journal says about the thing; nothing when it is about another. Journal,
// number and time are filled in later.
using HistoryJudge =
    std::function<std::optional<HistoryRecord>(std::string_view journal, const Json& record)>;

// What the journals say, or the chosen one, oldest first, without what making one short repeats.
// One that is damaged tells what is before the damage; that is a warning.
History ReadHistory(FileSystem& files, const Layout& project, const HistoryJudge& judge,
                    const TimelineChoice& choice = {});

Json HistoryRecordJson(const HistoryRecord& record);

}  // namespace belay

#endif  // BELAY_CLI_HISTORY_H_
