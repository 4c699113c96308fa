// How belay handles an agent depends on its host: five functions. The facts about each host are a
// table (model/agent_host.h); a function that a host doesn't support returns an error with the
// reason and a hint from that table.
//
// A new host derives from ExecHost if the agent runs under `belay exec`, else from Host. Hosts are
// constant and have no state.

#ifndef BELAY_HOST_HOST_H_
#define BELAY_HOST_HOST_H_

#include <optional>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "host/attach.h"
#include "host/run_record.h"
#include "model/identity.h"
#include "os/event_loop.h"
#include "os/file_system.h"
#include "os/process.h"
#include "store/layout.h"

namespace belay {

// The actual state of an incarnation that is recorded as running.
enum class ActualState {
  kRuns,      // its process exists
  kStarting,  // its exec exists and hasn't started the agent yet
  kEnding,    // its process is gone, and its exec is about to record the end
  kAbsent,    // it was never started: launch it (again)
  kEnded,     // it ran and is gone, or could not be started
  kForeign,   // it belongs to another machine, or another copy of this project
};
struct ProbeResult {
  ActualState actual = ActualState::kAbsent;
  std::optional<RunRecord> run = {};  // of this incarnation
};

// Whether an agent or a guardian can be judged from here. kRefused when it was recorded in another
// pid namespace of this boot, as in a container, and may still run there: by the lock that its exec
// or it holds as long as it lives; a running session that was started without belay has none. Its
// processes can't be seen from here: it is neither running nor ended, but unknown.
Result<void> CheckInSight(const FileSystem& files, const Layout& project, const Identity& identity,
                          const Result<std::string>& our_boot = BootId());

enum class Force {
  kAsk,   // TERM to the agent and its process group
  kKill,  // KILL to the agent and all descendants of its exec; repeat until they are gone
};

// For agents that belay didn't start: their process can be probed, the rest is refused.
class Host {
 public:
  constexpr explicit Host(const HostFacts& facts) : facts_(facts) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  constexpr virtual ~Host() = default;

  // Starts the agent whose launch file was written (host/launch.h). Returns the process whose end,
  // without a run record, means that nothing was started. A second call for the same incarnation
  // does nothing.
  virtual Result<Process> Launch(const Layout& project, const AgentId& agent) const;
  // Reads the run record and asks the kernel; changes nothing. Never kForeign for an agent of this
  // machine.
  virtual Result<ProbeResult> Probe(const FileSystem& files, const Layout& project,
                                    const Identity& identity) const;
  // See AttachTerminal and TypeInto (host/attach.h).
  virtual Result<Attached> Attach(EventLoop& loop, const Layout& project,
                                  const IdentityName& agent) const;
  virtual Result<void> Type(const Layout& project, const IdentityName& agent, std::string_view text,
                            Duration limit) const;
  // Never waits. Succeeds if it is gone already.
  virtual Result<void> End(const RunRecord& run, Force force) const;

 protected:
  const HostFacts& facts() const { return facts_; }

 private:
  Error Refusal(std::string_view agent, std::string_view hint) const;

  const HostFacts& facts_;
};

const Host& HostOf(AgentHost host);

// The host `process`: an agent under `belay exec`, on its own terminal. A host that only starts
// `belay exec` elsewhere overrides Launch.

class ExecHost : public Host {
 public:
  using Host::Host;
  constexpr ~ExecHost() override {}  // g++ 12 can't use a defaulted one in a constant

  Result<Process> Launch(const Layout& project, const AgentId& agent) const override;
  Result<ProbeResult> Probe(const FileSystem& files, const Layout& project,
                            const Identity& identity) const override;
  Result<Attached> Attach(EventLoop& loop, const Layout& project,
                          const IdentityName& agent) const override;
  Result<void> Type(const Layout& project, const IdentityName& agent, std::string_view text,
                    Duration limit) const override;
  Result<void> End(const RunRecord& run, Force force) const override;
};

}  // namespace belay

#endif  // BELAY_HOST_HOST_H_
