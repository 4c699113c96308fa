// The host `process`: an agent under `belay exec`, on its own terminal. A host that only starts
// `belay exec` elsewhere overrides Launch.

#ifndef BELAY_HOST_EXEC_HOST_H_
#define BELAY_HOST_EXEC_HOST_H_

#include "host/host.h"

namespace belay {

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

#endif  // BELAY_HOST_EXEC_HOST_H_
