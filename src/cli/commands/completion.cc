#include "cli/commands/commands.h"
#include "cli/completion_script.h"

namespace belay {

Result<int> RunCompletion(const Invocation& invocation, Services& services) {
  const std::string& shell = invocation.operands().front();
  const std::string script = shell == "bash"  ? BashCompletion()
                             : shell == "zsh" ? ZshCompletion()
                                              : FishCompletion();
  services.io.Show(MakeObject({{"shell", shell}, {"script", script}}), script);
  return 0;
}

}  // namespace belay
