// What the journals and their archives record, for `belay log` and `belay why`.

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
  std::string agent_id = {};  // empty: about no particular incarnation
  std::string why = {};       // one line; may contain text from users and agents
};

struct History {
  std::vector<HistoryRecord> records = {};
  std::vector<std::string> warnings = {};  // what couldn't be read, each once
  std::optional<Error> failure = {};       // the first of these

  void Warn(const Error& error);
};

// What a record of a journal says about the thing; nothing when it is about another. Journal,
// number and time are filled in later.
using HistoryJudge =
    std::function<std::optional<HistoryRecord>(std::string_view journal, const Json& record)>;

// The records of all journals or the chosen one, oldest first, without the repetitions of a
// shortened journal. A damaged journal gives the records before the damage, and a warning.
History ReadHistory(FileSystem& files, const Layout& project, const HistoryJudge& judge,
                    const TimelineChoice& choice = {});

Json HistoryRecordJson(const HistoryRecord& record);

// Everything that was recorded about one identity, in the journal of any family, without heartbeats
// and the repetitions of a shortened journal.
History ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent);

struct LogRequest {
  WallTime since = {};
  bool follow = false;
  std::optional<int> out_pipe = {};  // following ends when its reader is gone
  std::function<Result<void>(const TimelineEntry&)> take;
  std::function<Result<void>()> caught_up = [] { return Result<void>(); };
};
// All records since then, in order. Follows until the journals are gone (kNotFound).
Result<void> ReadLog(Env& env, const Layout& project, const LogRequest& request);

}  // namespace belay

#endif  // BELAY_APP_HISTORY_H_
