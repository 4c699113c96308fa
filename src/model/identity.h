// An agent's identity, and what is known about its current incarnation: one record of the journal
// "identities", and one file identities/{role}-{name}.json in the state root.
//
// A value; it holds what was recorded, not what is true at this moment. Unknown members survive a
// round trip; a newer schema_version is refused (kDamaged).

#ifndef BELAY_MODEL_IDENTITY_H_
#define BELAY_MODEL_IDENTITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "codec/json_skim.h"
#include "model/agent_host.h"
#include "model/agent_kind.h"
#include "model/stored_record.h"

namespace belay {

enum class AgentStatus {
  kSpawning,     // recorded, not running yet
  kAlive,        // its process runs
  kSuspect,      // it runs and should work, but has shown no activity for a while
  kWaiting,      // it runs and waits: for input, a rate limit, a login
  kHandingOff,   // it runs and was asked to hand over
  kTerminated,   // it ended as intended
  kCrashed,      // it ended otherwise; `restart` has the next step
  kQuarantined,  // it crashed too often; the user has to release it
};
std::string_view AgentStatusName(AgentStatus status);  // "handing_off"
std::optional<AgentStatus> ParseAgentStatus(std::string_view name);
// Whether its process runs or is about to, as far as is known.
bool IsRunning(AgentStatus status);

enum class ExitCause {
  kClean,
  kStopped,  // a stop was recorded before
  kCrash,
  kKilled,  // by a signal from outside
  kOom,
  kRateLimit,
  kAuth,
  kContextExhausted,
  kHung,  // ended by the guardian after three probes without activity
  kUnknown,
};
std::string_view ExitCauseName(ExitCause cause);  // "rate_limit"
std::optional<ExitCause> ParseExitCause(std::string_view name);

struct AgentExit {
  std::optional<int> code = {};
  std::optional<int> signal = {};
  ExitCause cause = ExitCause::kUnknown;
  WallTime at = {};

  bool operator==(const AgentExit&) const = default;
};

// How belay knows the kind of an agent. A kind given by the user is never changed.
enum class KindSource {
  kUnknown,    // an older belay recorded it
  kGiven,      // `belay spawn --agent KIND`
  kCommand,    // by the command that it was spawned with
  kHooks,      // hooks in its process tree reported a session
  kProcesses,  // a process of that kind was seen in its process tree
};
std::string_view KindSourceName(KindSource source);
std::optional<KindSource> ParseKindSource(std::string_view name);

// A recorded request, such as a stop; written before belay acts on it.
struct Intent {
  std::string what;  // "stop", "deadline", "hung"
  std::string by;    // "person", "guardian", an agent id
  WallTime at = {};

  bool operator==(const Intent&) const = default;
};

// Identifies a process for good (os/process_identity.h has the same without the boot).
struct ProcessMark {
  std::int64_t pid = 0;
  std::uint64_t start = 0;  // in clock ticks since boot

  bool operator==(const ProcessMark&) const = default;
};

// The state of the restart policy (engine/supervise/restart_policy.h); passed on from one
// incarnation to the next.
struct RestartState {
  std::uint32_t restarts = 0;          // since its task was given
  std::vector<WallTime> crashes = {};  // recent ones, oldest first
  std::uint32_t failed_resumes = 0;    // in a row: ended soon after a restart
  std::optional<WallTime> due = {};    // when the next incarnation starts
  Duration wait = {};                  // the delay before that
  std::string reason = {};             // why it waits, isn't restarted or is quarantined

  bool operator==(const RestartState&) const = default;
};

struct Identity {
  static constexpr int kSchemaVersion = NewestVersion(StoredRecord::kIdentity);

  AgentId id;  // role, name, incarnation, agent_id
  AgentStatus status = AgentStatus::kSpawning;
  std::string session_id = {};              // the agent program's id of its conversation
  std::string tmux_session = {};            // of the host tmux
  std::optional<ProcessMark> process = {};  // pid, pid_start: of the agent itself
  std::optional<ProcessMark> parent = {};   // its `belay exec`
  std::string boot_id = {};                 // the boot that both lived in
  std::string node_id = {};
  std::string bead_id = {};
  std::string worktree_path = {};
  std::string hook_path = {};
  WallTime created_at = {};                    // this incarnation
  std::optional<WallTime> started_at = {};     // its process
  WallTime last_seen = {};                     // its process was proven alive
  std::optional<WallTime> last_activity = {};  // it did something
  std::optional<std::string> predecessor_id = {};
  AgentHost host = AgentHost::kProcess;
  AgentKind agent_kind = AgentKind::kGeneric;
  KindSource kind_source = KindSource::kUnknown;
  std::vector<std::string> command = {};  // as given to spawn
  bool respawn = true;                    // false: --no-respawn
  std::optional<WallTime> spawn_deadline = {};
  // Of its work, by `spawn --deadline`; a successor after a crash has the same. Its task may have
  // another one (engine/task/deadline.h).
  std::optional<WallTime> deadline = {};
  std::optional<AgentExit> exit = {};
  std::optional<Intent> intent = {};
  RestartState restart = {};
  Json lease = {};                          // null: of this machine
  std::optional<double> context_fill = {};  // percent
  bool tainted = false;
  Json unknown = Json::EmptyObject();  // members of a later belay

  bool operator==(const Identity&) const = default;
};

// The intent of a stop because the deadline has passed.
constexpr std::string_view kDeadlineIntent = "deadline";
// Whether its end was requested: then it is never restarted.
bool StopIsRequested(const Identity& identity);
// Whether the guardian stops it, or has stopped it, because its deadline has passed.
bool IsTimedOut(const Identity& identity);

Json ToJson(const Identity& identity);  // every member, null where nothing is known
Result<Identity> IdentityFromJson(const Json& record);
// The same from text with a right checksum, in a fraction of the time.
Result<Identity> IdentityFromText(JsonSkimmer object);

}  // namespace belay

#endif  // BELAY_MODEL_IDENTITY_H_
