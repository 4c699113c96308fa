// Scenarios with real agents. All of it, the model and the agents too, is in a network of its own.

#include <gtest/gtest.h>

#include "agents/agent_program.h"
#include "testing/private_network.h"

int main(int argc, char** argv) {
  const belay::Result<void> entered = belay::EnterPrivateNetwork();
  if (!entered) belay::SetNoNetwork(entered.error().message);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
