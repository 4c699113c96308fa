// Scenarios with real agents. All of it, the model and the agents too, is in a network of its own.
//
//   agents_test --why-not     says why none of them can run here, and exits 1; nothing when they
//   can

#include <gtest/gtest.h>

#include <string_view>

#include "agents/agent_program.h"
#include "os/fd.h"
#include "testing/private_network.h"

namespace {

int SayWhyNot() {
  const std::optional<std::string> reason = belay::WhyNoScenario();
  if (reason) (void)belay::WriteAll(1, *reason + "\n");
  return reason ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const belay::Result<void> entered = belay::EnterPrivateNetwork();
  if (!entered) belay::SetNoNetwork(entered.error().message);
  if (argc == 2 && std::string_view(argv[1]) == "--why-not") return SayWhyNot();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
