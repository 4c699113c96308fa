// A repository, belay, and a fake `claude` that only tells its version.

#ifndef BELAY_TESTS_CLAUDE_SANDBOX_H_
#define BELAY_TESTS_CLAUDE_SANDBOX_H_

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "sandbox.h"
#include "testing/places.h"

namespace belay {

class ClaudeSandbox : public Sandbox {
 protected:
  ClaudeSandbox() { FakeClaude("2.1.325 (Claude Code)"); }

  void Script(const std::string& name, const std::string& body) {
    folder_.Write(name, "#!/bin/sh\n" + body + "\n");
    ASSERT_EQ(chmod((folder_ / name).c_str(), 0755), 0);
  }
  void FakeClaude(const std::string& version) { Script("bin/claude", "echo '" + version + "'"); }

  RunOutcome Run(std::vector<std::string> arguments) {
    return RunReal(arguments,
                   {.folder = folder_ / "repo",
                    .environment = {{"PATH", folder_ / "bin:" + std::string(getenv("PATH"))}}});
  }
  RunOutcome Init(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {BelayBinary(), "init", "--agent", "claude"});
    return Run(more);
  }
  RunOutcome Doctor() { return Run({BelayBinary(), "doctor"}); }

  void Settings(std::string_view text) { folder_.Write(kSettings, text); }
  std::string Settings() { return folder_.Read(kSettings); }
  bool Exists(std::string_view name) { return access((folder_ / name).c_str(), F_OK) == 0; }

  static constexpr const char* kSettings = "repo/.claude/settings.json";
};

}  // namespace belay

#endif  // BELAY_TESTS_CLAUDE_SANDBOX_H_
