// The events that an agent's hooks reported, in order: Layout::EventLog, and when that is full
// Layout::OlderEventLog, which is replaced.
//
// Every hook of an agent is a process of its own that may not keep the agent waiting. So there is
// no lock, no sync and no reply: an event is one write at the end of a file, which the kernel does
// atomically. (The first hook that finds it full replaces it, under a lock that no hook waits for.)
// It doesn't matter whether the guardian hangs, is paused or doesn't run; it continues reading
// where it stopped. A power cut loses only the last seconds, and it has ended the agent, too.
//
// Lines carry a checksum; a line with a wrong one (cut off by a full disk) is skipped.
// engine/events/event_owner.h decides which agent an event belongs to.

#ifndef BELAY_LEDGER_EVENT_LOG_H_
#define BELAY_LEDGER_EVENT_LOG_H_

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/agent_event.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

constexpr std::uint64_t kFullEventLog = std::uint64_t{256} << 10U;

// Fails and changes nothing unless the vault exists, has a known format, and has a folder for it
// that isn't a link.
Result<void> AppendEvent(FileSystem& files, const Layout& project, const IdentityName& agent,
                         const AgentEvent& event);

// The position up to which a log was read. The default is before everything that still exists.
struct EventPlace {
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;
  std::uint64_t first = 0;  // of the first line: inode numbers are reused, contents are not

  bool operator==(const EventPlace&) const = default;
};

// The events after `place`, which moves past them. A missing log counts as empty.
Result<std::vector<AgentEvent>> ReadEvents(const FileSystem& files, const Layout& project,
                                           const IdentityName& agent, EventPlace& place);

// The last few events of a log, oldest first, whether they were read before or not.
std::vector<AgentEvent> LastEvents(const FileSystem& files, const Layout& project,
                                   const IdentityName& agent);

}  // namespace belay

#endif  // BELAY_LEDGER_EVENT_LOG_H_
