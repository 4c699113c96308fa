// What journals say, for `belay log` and `belay why`: also what was archived of them.

#ifndef BELAY_APP_HISTORY_H_
#define BELAY_APP_HISTORY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/env.h"
#include "base/ids.h"
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

// Everything that was recorded about one identity, in the journal of any family. Heartbeats, and
// what making a journal short repeats, are left out.
History ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent);

struct LogRequest {
  WallTime since = {};
  bool follow = false;
  std::optional<int> out_pipe = {};  // following ends when its reader is gone
  std::function<Result<void>(const TimelineEntry&)> take;
  std::function<Result<void>()> caught_up = [] { return Result<void>(); };
};
// All records since then, in their order. Follows until the journals are gone (kNotFound).
Result<void> ReadLog(Env& env, const Layout& project, const LogRequest& request);

}  // namespace belay

#endif  // BELAY_APP_HISTORY_H_
