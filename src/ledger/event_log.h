// What an agent's hooks told, in the order in which they did: Layout::EventLog, and when that is
// full Layout::OlderEventLog, which is replaced.
//
// Every hook of an agent is a process of its own that may not keep the agent waiting. So there is
// no lock, no sync and nobody to answer: an event is one write at the end of a file, which the
// kernel does as a whole. A guardian that hangs, is paused or isn't there makes no difference; it
// reads on when it comes back, from where it was. What a power cut takes are the last seconds of a
// story whose agent it has ended, too.
//
// Lines carry a checksum; one that doesn't fit (a full disk cut it) is passed over. Whose event it
// is is a claim: whoever has the user's rights can tell one in an agent's name, and so change its
// phase or the cause of its end, but nothing that decides about anybody's work or rights.

#ifndef BELAY_LEDGER_EVENT_LOG_H_
#define BELAY_LEDGER_EVENT_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/agent_event.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

constexpr std::uint64_t kFullEventLog = std::uint64_t{256} << 10U;

// The vault is there, or this fails and changes nothing.
Result<void> AppendEvent(FileSystem& files, const Layout& project, const IdentityName& agent,
                         const AgentEvent& event);

// Up to where a log was read. The beginning is before everything that is still there.
struct EventPlace {
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;

  bool operator==(const EventPlace&) const = default;
};

// What came after `place`, which moves behind it. No log is an empty one.
Result<std::vector<AgentEvent>> ReadEvents(const FileSystem& files, const Layout& project,
                                           const IdentityName& agent, EventPlace& place);

// The last few events of a log, oldest first, whoever has read them.
std::vector<AgentEvent> LastEvents(const FileSystem& files, const Layout& project,
                                   const IdentityName& agent);

}  // namespace belay

#endif  // BELAY_LEDGER_EVENT_LOG_H_
