// What an agent's hook told, cut to what belay needs of it: one line of the agent's event log
// (ledger/event_log.h). Small, whatever the hook was given; never the content of a file, nor
// anything of the hook's environment.

#ifndef BELAY_MODEL_AGENT_EVENT_H_
#define BELAY_MODEL_AGENT_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/identity.h"

namespace belay {

// What a tool call does, as far as it tells about the work (engine/events/action.h).
enum class ActionKind { kOther, kRead, kPlan, kEdit, kTest, kCommit };
std::string_view ActionKindName(ActionKind kind);  // "read"
std::optional<ActionKind> ParseActionKind(std::string_view name);

struct AgentEvent {
  static constexpr std::size_t kLongestText = 300;  // code points, of subject and detail

  std::string name;             // as the agent names it: "PreToolUse"
  WallTime at = {};             //
  std::string agent = {};       // $BELAY_AGENT_ID; empty: a session that was started without belay
  std::string session = {};     // its own name for the conversation
  std::string transcript = {};  // the path of that
  std::string folder = {};      // where it works
  std::int64_t pid = 0;         // of the program whose hook it is; 0: not known
  std::uint64_t pid_start = 0;  // in clock ticks since boot
  std::vector<ProcessMark> above = {};  // those that started the hook, its parent first
  bool nested = false;                  // inside a sub-agent
  std::string sub_agent = {};           // its id, inside one and at its end
  std::string tool = {};                // "Bash"
  std::string call = {};                // the id of the tool call
  ActionKind action = ActionKind::kOther;
  std::string subject = {};         // the file or the command, as one line
  std::string detail = {};          // source, reason, trigger, error: what this kind of event has
  std::optional<bool> passed = {};  // of a tool call that has ended; of tests only if that can be
                                    // told from the exit code
  std::optional<double> fill = {};  // percent of the context, by its own figure
  std::uint64_t window = 0;         // tokens; 0: not told

  bool operator==(const AgentEvent&) const = default;
};

Json ToJson(const AgentEvent& event);  // only what is known
Result<AgentEvent> AgentEventFromJson(const Json& record);

}  // namespace belay

#endif  // BELAY_MODEL_AGENT_EVENT_H_
