// The cost of a hook at every tool call: `belay event`, with a guardian and without, against a
// static program that only reads its standard input. They alternate; the median of each counts. For
// comparison, the same job (take five members of the input, append a line to a file) by bash and
// jq, python3 and node, where they are installed.
//
// event_bench BELAY FOLDER: the folder has to be on a disk; read_input is beside this program.

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "base/check.h"
#include "row.h"
#include "turns.h"

namespace {

namespace fs = std::filesystem;

constexpr int kWarmUp = 100;
constexpr int kRounds = 1500;
constexpr int kSlowRounds = 60;  // of the peers
constexpr double kMostWith = 2;
constexpr double kMostWithout = 3;

std::string Write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

// About two kilobytes, as a call of a shell has.
std::string Input(const std::string& folder, bool post) {
  const std::string response =
      post ? fmt::format(R"(,"tool_response":{{"stdout":"{}","stderr":"","interrupted":false}})",
                         std::string(1200, 'x'))
           : "";
  return fmt::format(
      R"({{"session_id":"5f0c1a2b-0000-4000-8000-000000000001","transcript_path":"{0}/t.jsonl",)"
      R"("cwd":"{0}","permission_mode":"bypassPermissions","hook_event_name":"{1}",)"
      R"("tool_name":"Bash","tool_input":{{"command":"cd {0} && make {2}","description":"build"}},)"
      R"("tool_use_id":"toolu_01"{3}}})",
      folder, post ? "PostToolUse" : "PreToolUse", std::string(400, 'a'), response);
}

bool Has(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::vector<Job> Peers(const fs::path& folder, const std::string& input) {
  const std::string log = folder / "peer.jsonl";
  std::vector<Job> peers;
  if (Has("jq")) {
    peers.push_back({"bash + jq",
                     {"bash", "-c",
                      "jq -c '{e:.hook_event_name,s:.session_id,t:.tool_name,"
                      "c:.tool_input.command,u:.tool_use_id}' >>" +
                          log},
                     input});
  }
  if (Has("python3")) {
    const std::string script =
        Write(folder / "peer.py",
              fmt::format("import json, sys\nd = json.load(sys.stdin)\n"
                          "open('{}', 'a').write(json.dumps([d['hook_event_name'], "
                          "d['session_id'], d['tool_name'],"
                          " d['tool_input']['command'], d['tool_use_id']]) + '\\n')\n",
                          log));
    peers.push_back({"python3", {"python3", script}, input});
  }
  if (Has("node")) {
    const std::string script = Write(
        folder / "peer.js",
        fmt::format(
            "const fs = require('fs');\nconst d = JSON.parse(fs.readFileSync(0));\n"
            "fs.appendFileSync('{}', JSON.stringify([d.hook_event_name, d.session_id, d.tool_name,"
            " d.tool_input.command, d.tool_use_id]) + '\\n');\n",
            log));
    peers.push_back({"node", {"node", script}, input});
  }
  return peers;
}

class Guardian {
 public:
  Guardian(const std::string& belay, const fs::path& project) {
    const std::string log = project / "../guardian.log";
    posix_spawn_file_actions_t actions;
    BELAY_CHECK(posix_spawn_file_actions_init(&actions) == 0);
    BELAY_CHECK(
        posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT, 0600) == 0);
    const std::string root = project;
    const char* words[] = {belay.c_str(), "guard", "--root", root.c_str(), nullptr};
    BELAY_CHECK(posix_spawn(&pid_, belay.c_str(), &actions, nullptr,
                            const_cast<char* const*>(words), environ) == 0);
    (void)posix_spawn_file_actions_destroy(&actions);
    // It creates its socket when it watches everything.
    while (!fs::exists(project / ".git/belay/run/guardian.sock")) {
      BELAY_CHECK(waitpid(pid_, nullptr, WNOHANG) == 0);  // it still runs
      (void)usleep(1000);
    }
  }
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  ~Guardian() {
    (void)kill(pid_, SIGTERM);
    (void)waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
};

void Shell(const std::string& command) { BELAY_CHECK(std::system(command.c_str()) == 0); }

bool PrintRow(const std::string& what, const Job& job, const Job& floor, double most) {
  const double ratio = Median(job.micros) / Median(floor.micros);
  return Print({what, fmt::format("{:.0f} us", Median(job.micros)),
                fmt::format("{:.0f} us, static program that reads its input", Median(floor.micros)),
                fmt::format("{:.2f}", ratio), fmt::format("at most {:.0f}", most), ratio <= most});
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 3);
  const std::string belay = fs::absolute(argv[1]);
  const std::string floor = fs::absolute(argv[0]).parent_path() / "read_input";
  const fs::path folder = fs::absolute(argv[2]) / fmt::format("event-bench-{}", getpid());
  const fs::path project = folder / "p";
  Shell(
      fmt::format("mkdir -p '{0}' && git init -q '{0}' && cd '{0}' && '{1}' init --yes --quiet "
                  ">/dev/null",
                  project.string(), belay));
  BELAY_CHECK(chdir(project.c_str()) == 0);
  (void)setenv("BELAY_STATE", (project / ".claude/state").c_str(), 1);
  const std::string pre = Write(folder / "pre.json", Input(project, false));
  const std::string post = Write(folder / "post.json", Input(project, true));
  bool reached = true;
  for (const bool guarded : {true, false}) {
    std::vector<Job> jobs = {{"floor", {floor}, pre},
                             {"PreToolUse", {belay, "event", "PreToolUse"}, pre},
                             {"PostToolUse", {belay, "event", "PostToolUse"}, post}};
    {
      const auto guardian = guarded ? std::make_unique<Guardian>(belay, project) : nullptr;
      (void)setenv("BELAY_AGENT_ID", "orchestrator-bench#1", 1);  // not the guardian's
      TakeTurns(jobs, kRounds, kWarmUp);
    }
    (void)unsetenv("BELAY_AGENT_ID");
    const std::string how = guarded ? "a guardian is running" : "no guardian";
    const double most = guarded ? kMostWith : kMostWithout;
    reached &= PrintRow(fmt::format("belay event PreToolUse, {}", how), jobs[1], jobs[0], most);
    reached &= PrintRow(fmt::format("belay event PostToolUse, {}", how), jobs[2], jobs[0], most);
  }
  (void)setenv("BELAY_AGENT_ID", "orchestrator-bench#1", 1);
  std::vector<Job> peers = Peers(folder, pre);
  peers.push_back({"belay", {belay, "event", "PreToolUse"}, pre});
  TakeTurns(peers, kSlowRounds, 5);
  for (const Job& peer : peers) {
    if (peer.name == "belay") continue;
    reached &=
        Print({"the same job by " + peer.name, fmt::format("{:.1f} ms", Median(peer.micros) / 1000),
               fmt::format("{:.0f} us, belay event", Median(peers.back().micros)),
               fmt::format("{:.1f}", Median(peer.micros) / Median(peers.back().micros)), "", true});
  }
  fs::remove_all(folder);
  return reached ? 0 : 1;
}
