// Processes whose hooks tell something: a shell, as belay's agent or started by hand, that
// calls `belay event` for every line it gets. What the real agents tell is in tests/agents/.

#ifndef BELAY_TESTS_HOOK_SANDBOX_H_
#define BELAY_TESTS_HOOK_SANDBOX_H_

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>

#include "guard_sandbox.h"
#include "os/fd.h"
#include "testing/places.h"

namespace belay {

class HookSandbox : public GuardSandbox {
 protected:
  HookSandbox() {
    EXPECT_EQ(mkfifo((folder_ / "lines").c_str(), 0600), 0);
    lines_ = UniqueFd(open((folder_ / "lines").c_str(), O_RDWR | O_CLOEXEC));
  }

  std::string TellingScript() const {
    return "while read -r event input; do\n"
           "  if [ \"$event\" = statusline ]; then " +
           BelayBinary() +
           " statusline <\"$input\" >\"$input.out\"\n"
           "  elif [ \"$event\" = run ]; then sh \"$input\" >\"$input.out\" 2>&1\n"
           "  else " +
           BelayBinary() +
           " event \"$event\" <\"$input\" >\"$input.out\"; fi\n"
           "  mv \"$input.out\" \"$input.done\"\n"
           "done <'" +
           (folder_ / "lines") + "'\n";
  }
  // An agent started by belay, whose hooks report what Tell says.
  Identity StartTelling(const std::string& name) { return Start(name, TellingScript()); }
  // Back when the hook has ended; what it printed. "run": the input is a script.
  std::string Tell(const std::string& event, const std::string& input) {
    const std::string file = "told-" + std::to_string(++reports_);
    folder_.Write(file, input);
    const std::string line = event + " " + (folder_ / file) + "\n";
    EXPECT_EQ(write(lines_.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    EXPECT_TRUE(Await([&] { return folder_.Read(file + ".done") != "(missing)"; }));
    return folder_.Read(file + ".done");
  }
  void TellEdit(const std::string& file) {
    Tell("PreToolUse", R"({"tool_name":"Edit","tool_input":{"file_path":")" + file + "\"}}");
  }
  void TellShell(const std::string& event, const std::string& command,
                 const std::string& more = "") {
    Tell(event, R"({"session_id":"s1","tool_name":"Bash","tool_input":{"command":")" + command +
                    "\"}" + more + "}");
  }

  // The same from a process of no agent; "" claims no name.
  RunOutcome TellFromOutside(const std::string& agent, const std::string& event,
                             const std::string& input,
                             std::map<std::string, std::string> environment = {}) {
    const std::string file = "outside-" + std::to_string(++reports_);
    folder_.Write(file, input);
    if (!agent.empty()) environment["BELAY_AGENT_ID"] = agent;
    const RunOutcome outcome = RunReal(
        {"sh", "-c", "exec \"$0\" event \"$1\" <\"$2\"", BelayBinary(), event, folder_ / file},
        {.folder = folder_ / "repo", .environment = environment});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }
  bool HookSays(const std::string& name, std::string_view key, const std::string& value) {
    return Text(Hook(name), key) == value;
  }

 private:
  UniqueFd lines_;
  int reports_ = 0;
};

}  // namespace belay

#endif  // BELAY_TESTS_HOOK_SANDBOX_H_
