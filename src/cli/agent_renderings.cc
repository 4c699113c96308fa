#include "cli/agent_renderings.h"

namespace belay {

Result<void> AgentRenderings::Look(const std::string& path, const Json& record) {
  BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files_, path, record));
  if (state != RenderingState::kCurrent) odd_.push_back({path, state});
  return {};
}

Result<std::vector<OddRendering>> AgentRenderings::Inspect() {
  odd_.clear();
  BELAY_TRY(identities_.CatchUp());
  BELAY_TRY(hooks_.CatchUp());
  BELAY_TRY(taints_.CatchUp());
  for (const auto& [name, entry] : identities_.book().entries()) {
    BELAY_TRY(Look(project_.IdentityRendering(name), ToJson(entry.present)));
    for (const Identity& old : entry.history) {
      BELAY_TRY(Look(project_.IdentityHistoryRendering(old.id), ToJson(old)));
    }
  }
  for (const auto& [name, hook] : hooks_.book().hooks()) {
    BELAY_TRY(Look(project_.HookRendering(name), ToJson(hook)));
  }
  // Nobody has made one yet.
  if (!taints_.book().sessions().empty()) {
    BELAY_TRY(Look(project_.TaintRendering(), TaintRendering(taints_.book())));
  }
  return odd_;
}

// One lock at a time.
Result<void> AgentRenderings::Render() {
  {
    BELAY_TRY_ASSIGN(const StateLock lock, IdentityLedger::Lock(files_, project_));
    BELAY_TRY(identities_.RenderAll(lock));
  }
  {
    BELAY_TRY_ASSIGN(const StateLock lock, HookLedger::Lock(files_, project_));
    BELAY_TRY(hooks_.RenderAll(lock));
  }
  BELAY_TRY_ASSIGN(const StateLock lock, TaintLedger::Lock(files_, project_));
  return taints_.Render(lock);
}

}  // namespace belay
