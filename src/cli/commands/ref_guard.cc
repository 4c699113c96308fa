// Refuses with exit code 4, and allows whatever it can't judge.

#include "app/ref_guard.h"

#include <charconv>

#include "cli/commands/commands.h"

namespace belay {
namespace {

constexpr std::size_t kMostRefInput = std::size_t{1} << 28U;

pid_t GitProcess(const Invocation& invocation) {
  const std::string& text = invocation.operands().front();
  pid_t pid = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid;
}

}  // namespace

Result<int> RunRefGuard(const Invocation& invocation, Services& services) {
  const Result<std::string> input = services.io.read_in(kMostRefInput);
  if (!input) {
    services.say("belay can't guard this, and lets it pass: " + input.error().message);
    return 0;
  }
  BELAY_TRY(GuardRefs(services, {GitProcess(invocation), *input, services.io.go_on_in_background}));
  return 0;
}

}  // namespace belay
