// The files of the state root that are about agents, compared with what the journals say.

#ifndef BELAY_CLI_AGENT_RENDERINGS_H_
#define BELAY_CLI_AGENT_RENDERINGS_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/rendering.h"

namespace belay {

struct OddRendering {
  std::string path;
  RenderingState state;  // never kCurrent
};

class AgentRenderings {
 public:
  AgentRenderings(FileSystem& files, const Clock& clock, const Layout& project)
      : files_(files),
        project_(project),
        identities_(files, clock, project),
        hooks_(files, clock, project),
        taints_(files, clock, project) {}

  // Those that are lost, edited or out of date: identities, their history, hooks, taint. A path
  // that is no file is kRefused, a journal that can't be read kDamaged.
  Result<std::vector<OddRendering>> Inspect();
  // Makes all of them say what the journals say; what was edited is kept (Layout::EditedFolder).
  Result<void> Render();

  const IdentityBook& book() const { return identities_.book(); }

 private:
  Result<void> Look(const std::string& path, const Json& record);

  FileSystem& files_;
  const Layout& project_;
  IdentityLedger identities_;
  HookLedger hooks_;
  TaintLedger taints_;
  std::vector<OddRendering> odd_;
};

}  // namespace belay

#endif  // BELAY_CLI_AGENT_RENDERINGS_H_
