// What `belay exec` writes down about the agent it runs: Layout::RunFile, one for each identity,
// replaced as a whole and synced before the next step is taken.
//
//   starting   the lock is held, nothing was started yet
//   running    the agent's process is there, and held back until this record is on the disk: so an
//              agent never runs without one
//   ended      how it ended, and who of its children had to be ended after it
//   failed     it could not be started, and why
//
// Written only by whoever holds Layout::RunLock, which `belay exec` holds as long as it lives. The
// incarnation in it is a fence: an exec of an earlier one, or of the same one, starts nothing.

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
  bool oom = false;                         // the kernel ran out of memory in its time
  std::vector<std::string> survivors = {};  // "1234 sh -c ...": children that were ended after it
  std::string error = {};                   // of kFailed
};

Json ToJson(const RunRecord& record);
Result<RunRecord> RunRecordFromJson(const Json& record);

// Nothing when the identity never ran. kDamaged when it can't be understood.
Result<std::optional<RunRecord>> ReadRunRecord(const FileSystem& files, const Layout& project,
                                               const IdentityName& agent);
// Durable. The run folder is there. A vault of a newer belay is kDamaged, and stays as it is.
Result<void> WriteRunRecord(FileSystem& files, const Layout& project, const RunRecord& record);

}  // namespace belay

#endif  // BELAY_HOST_RUN_RECORD_H_
