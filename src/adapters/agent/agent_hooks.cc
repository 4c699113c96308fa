#include "adapters/agent/agent_hooks.h"

namespace belay {

std::string_view HooksPlan::What() const {
  if (!ChangesFile()) return "unchanged";
  return !old_text ? "created" : !text ? "removed" : "changed";
}

}  // namespace belay
