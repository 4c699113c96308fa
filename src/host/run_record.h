// The record that `belay exec` writes about its agent: Layout::RunFile, one per identity, replaced
// as a whole and synced before the next step.
//
//   starting   the lock is held, nothing was started yet
//   running    the agent's process exists, and waits until this record is on the disk: so an
//              agent never runs without one
//   ended      how it ended, and which of its descendants had to be killed after it
//   failed     it could not be started, and why
//
// Written only by the holder of Layout::RunLock, which `belay exec` holds as long as it lives. Its
// incarnation is a fence: an exec of the same or an earlier one starts nothing.

#ifndef BELAY_HOST_RUN_RECORD_H_
#define BELAY_HOST_RUN_RECORD_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/exit_status.h"
#include "os/file_system.h"
#include "os/process_identity.h"
#include "store/layout.h"

namespace belay {

enum class RunState { kStarting, kRunning, kEnded, kFailed };
std::string_view RunStateName(RunState state);

struct RunRecord {
  AgentId agent;
  RunState state = RunState::kStarting;
  ProcessIdentity parent;                       // belay exec
  std::optional<ProcessIdentity> process = {};  // the agent
  WallTime started_at = {};
  std::optional<ExitStatus> exit = {};
  std::optional<WallTime> ended_at = {};
  bool oom = false;                         // the kernel ran out of memory during its run
  std::vector<std::string> survivors = {};  // "1234 sh -c ...": children that were ended after it
  std::string error = {};                   // of kFailed
};

Json ToJson(const RunRecord& record);
Result<RunRecord> RunRecordFromJson(const Json& record);

// Nullopt when the identity never ran. kDamaged when it can't be parsed.
Result<std::optional<RunRecord>> ReadRunRecord(const FileSystem& files, const Layout& project,
                                               const IdentityName& agent);
// Durable. The run folder must exist. The vault of a newer belay: kDamaged, and nothing is written.
Result<void> WriteRunRecord(FileSystem& files, const Layout& project, const RunRecord& record);

}  // namespace belay

#endif  // BELAY_HOST_RUN_RECORD_H_
