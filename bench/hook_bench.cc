// The cost of a hook against the binary of another revision: `belay event` for calls of a shell,
// and for other events. The two take turns; the median of each counts.
//
// hook_bench BELAY BASE FOLDER: the folder has to be on a disk.

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "row.h"
#include "turns.h"

namespace {

namespace fs = std::filesystem;

constexpr int kWarmUp = 100;
constexpr int kRounds = 1500;
constexpr double kMostShell = 1.10;
constexpr double kMostOther = 1.03;

struct Call {
  std::string what;
  std::string event;
  std::string tool;
  std::string input;  // of the tool, in JSON
};

const std::vector<Call>& Calls() {
  static const std::vector<Call> calls = {
      {"npm test", "PreToolUse", "Bash", R"({"command":"npm test"})"},
      {"a pipeline", "PreToolUse", "Bash",
       R"({"command":"cd src && grep -rn 'a b' --include=*.cc . | head -20 && git status 2>&1"})"},
      {"a script in a here-document", "PreToolUse", "Bash",
       R"({"command":"cat > x.py <<'E'\nprint(1)\nE\npython3 x.py && git commit -am x"})"},
      {"npm test, afterwards", "PostToolUse", "Bash", R"({"command":"npm test"})"},
      {"Read", "PreToolUse", "Read", R"({"file_path":"a.c"})"},
      {"Edit", "PreToolUse", "Edit", R"({"file_path":"a.c","old_string":"a","new_string":"b"})"},
      {"the end of a turn", "Stop", "", ""}};
  return calls;
}

// About two kilobytes.
std::string Input(const std::string& folder, const Call& call) {
  const std::string tool =
      call.tool.empty()
          ? ""
          : fmt::format(R"(,"tool_name":"{}","tool_use_id":"t","tool_input":{},"description":"{}")",
                        call.tool, call.input, std::string(1500, 'x'));
  return fmt::format(R"({{"session_id":"5f0c1a2b","cwd":"{}","hook_event_name":"{}"{}}})", folder,
                     call.event, tool);
}

Job JobOf(const std::string& belay, const fs::path& project, const Call& call) {
  const std::string file = project.string() + "-" + std::to_string(&call - Calls().data());
  std::ofstream(file) << Input(project, call);
  return {call.what, {belay, "event", call.event}, file, project};
}

void MakeProject(const std::string& belay, const std::string& folder) {
  const std::string command = fmt::format(
      "mkdir -p '{0}' && git init -q '{0}' && cd '{0}' && '{1}' init --yes --quiet >/dev/null",
      folder, belay);
  BELAY_CHECK(std::system(command.c_str()) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 4);
  const std::string belay = fs::absolute(argv[1]);
  const std::string base = fs::absolute(argv[2]);
  const fs::path folder = fs::absolute(argv[3]) / fmt::format("hook-bench-{}", getpid());
  MakeProject(belay, folder / "new");
  MakeProject(base, folder / "base");
  (void)setenv("BELAY_AGENT_ID", "orchestrator-bench#1", 1);
  bool reached = true;
  for (const Call& call : Calls()) {
    std::vector<Job> jobs = {JobOf(base, folder / "base", call),
                             JobOf(belay, folder / "new", call)};
    TakeTurns(jobs, kRounds, kWarmUp);
    const double before = Median(jobs[0].micros);
    const double now = Median(jobs[1].micros);
    const double most = call.tool == "Bash" ? kMostShell : kMostOther;
    reached &= Print({fmt::format("belay event {}: {}", call.event, call.what),
                      fmt::format("{:.0f} us", now), fmt::format("{:.0f} us, the base", before),
                      fmt::format("{:.3f}", now / before), fmt::format("at most {:.2f}", most),
                      now <= most * before});
  }
  fs::remove_all(folder);
  return reached ? 0 : 1;
}
