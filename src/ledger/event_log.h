// What an agent's hooks told, in the order in which they did: Layout::EventLog, and when that is
// full Layout::OlderEventLog, which is replaced.
//
// Every hook of an agent is a process of its own that may not keep the agent waiting. So there is
// no lock, no sync and nobody to answer: an event is one write at the end of a file, which the
// kernel does as a whole. (Who finds it full and is the first replaces it, under a lock that nobody
// waits for.) A guardian that hangs, is paused or isn't there makes no difference; it
// reads on when it comes back, from where it was. What a power cut takes are the last seconds of a
// story whose agent it has ended, too.
//
// Lines carry a checksum; one that doesn't fit (a full disk cut it) is passed over. Whose event it
// is decides engine/events/whose_event.h.

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

// The vault is there, of a format that we know, and has a folder for it that is no link, or this
// fails and changes nothing.
Result<void> AppendEvent(FileSystem& files, const Layout& project, const IdentityName& agent,
                         const AgentEvent& event);

// Up to where a log was read. The beginning is before everything that is still there.
struct EventPlace {
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;
  std::uint64_t first =
      0;  // of the first line: the number of a file is used again, its content not

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
