// What an operation did, between the two ends when the guardian runs it as a program of its own
// (`belay snapshot take`, `belay merge-queue process`, with --json): written by the command, read
// by the guardian. Scripts read the same records, so keys stay.

#ifndef BELAY_APP_OUTCOME_H_
#define BELAY_APP_OUTCOME_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/json.h"
#include "model/merge_entry.h"

namespace belay {

struct SnapshotOutcome {
  std::string id = {};                  // "agent-orchestrator-login/7"
  bool is_new = false;                  // something had changed since the last one
  std::vector<std::string> paths = {};  // changed against HEAD, quoted; at most some hundreds
  std::uint64_t paths_count = 0;
  std::string head = {};  // the commit; empty: none yet
};
void AddOutcome(const SnapshotOutcome& outcome, Json& record);
// One that lacks a file which couldn't be read has an error and an id: it counts. kNotFound: there
// is no worktree any more.
Result<SnapshotOutcome> ParseSnapshotOutcome(std::string_view text);

struct ProcessOutcome {
  std::vector<MergeEntry> entries = {};  // that came to an end
  bool stopped = false;                  // by a signal
  bool paused = false;                   // the target is
};
Json ToJson(const ProcessOutcome& outcome);
Result<ProcessOutcome> ProcessOutcomeFromJson(const Json& record);

// What a command printed: its record, or its error as the guardian takes it. What may go better
// later is kBusy, everything else kRefused.
Result<Json> ParseOutcome(std::string_view text, int exit_code);

}  // namespace belay

#endif  // BELAY_APP_OUTCOME_H_
