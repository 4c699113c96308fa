#include "agents/agent_program.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <tuple>

namespace belay {
namespace {

constexpr const char* kNoNetwork = "BELAY_NO_PRIVATE_NETWORK";

std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

}  // namespace

std::string ClaudeVersion() { return Variable("BELAY_CLAUDE_VERSION", "2.1.325"); }

std::string ClaudeProgram() {
  const std::string caches = Variable("XDG_CACHE_HOME", Variable("HOME", "") + "/.cache");
  const std::string cache = Variable("BELAY_TEST_CACHE", caches + "/belay-tests");
  return cache + "/claude-" + ClaudeVersion() + "/node_modules/.bin/claude";
}

bool ClaudeIsAtLeast(int major, int minor) {
  int its_major = 0;
  int its_minor = 0;
  if (std::sscanf(ClaudeVersion().c_str(), "%d.%d", &its_major, &its_minor) != 2) return false;
  return std::tie(its_major, its_minor) >= std::tie(major, minor);
}

std::optional<std::string> WhyNoScenario() {
  const std::string reason = Variable(kNoNetwork, "");
  if (!reason.empty()) return "no network of its own for the agent: " + reason;
  if (access(ClaudeProgram().c_str(), X_OK) == 0) return std::nullopt;
  return "claude " + ClaudeVersion() + " is not installed: tests/agents/install " + ClaudeVersion();
}

void SetNoNetwork(const std::string& reason) { (void)setenv(kNoNetwork, reason.c_str(), 1); }

}  // namespace belay
