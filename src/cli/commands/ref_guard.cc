// Refuses with exit code 4, and allows whatever it can't judge.

#include "app/ref_guard.h"

#include "base/text.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

constexpr std::size_t kMostRefInput = std::size_t{1} << 28U;

}  // namespace

Result<int> RunRefGuard(const Invocation& invocation, Services& services) {
  const Result<std::string> input = services.io.read_in(kMostRefInput);
  if (!input) {
    services.say("belay can't check this, so it is allowed: " + input.error().message);
    return 0;
  }
  BELAY_TRY(GuardRefs(services, {ParseNumber<pid_t>(invocation.operands().front()).value_or(0),
                                 *input, services.io.go_on_in_background}));
  return 0;
}

}  // namespace belay
