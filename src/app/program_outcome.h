// The outcome of an operation that the guardian runs as a separate program (`belay snapshot take`,
// `belay merge-queue process`, with --json): the command writes it, the guardian reads it. Scripts
// read the same records, so the keys must not change.

#ifndef BELAY_APP_PROGRAM_OUTCOME_H_
#define BELAY_APP_PROGRAM_OUTCOME_H_

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
  std::vector<std::string> paths = {};  // changed against HEAD, quoted; at most a few hundred
  std::uint64_t paths_count = 0;
  std::string head = {};  // the commit; empty: none yet
};
void AddOutcome(const SnapshotOutcome& outcome, Json& record);
// A snapshot that lacks an unreadable file has an error and an id: it counts. kNotFound: the
// worktree is gone.
Result<SnapshotOutcome> ParseSnapshotOutcome(std::string_view text);

struct ProcessOutcome {
  std::vector<MergeEntry> entries = {};  // that have ended
  bool stopped = false;                  // by a signal
  bool paused = false;                   // the target is
};
Json ToJson(const ProcessOutcome& outcome);
Result<ProcessOutcome> ProcessOutcomeFromJson(const Json& record);

// The output of a command: its record, or its error as the guardian treats it. What may succeed
// later is kBusy, everything else kRefused.
Result<Json> ParseOutcome(std::string_view text, int exit_code);

}  // namespace belay

#endif  // BELAY_APP_PROGRAM_OUTCOME_H_
