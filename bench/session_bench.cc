// The cost of supervision, with the real belay, its guardian, git, and idle agents: session_bench
// BELAY FOLDER. The folder has to be on a disk; the small programs for comparison are beside this
// one. Names of parts (deaths, agents, idle, deadlines) after it run only those.

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "session/rows.h"

int main(int argc, char** argv) {
  using namespace belay::bench;
  BELAY_CHECK(argc >= 3);
  namespace fs = std::filesystem;
  const Programs programs{fs::absolute(argv[1]), fs::absolute(argv[0]).parent_path()};
  ScratchFolder scratch(fs::absolute(argv[2]));
  const std::vector<std::string_view> wanted(argv + 3, argv + argc);
  const auto wants = [&](std::string_view part) {
    return wanted.empty() || std::ranges::find(wanted, part) != wanted.end();
  };
  bool reached = true;
  if (wants("agents")) reached &= AgentsRows(programs, scratch);
  if (wants("deaths")) reached &= DeathRows(programs, scratch);
  if (wants("idle")) reached &= IdleRows(programs, scratch);
  if (wants("deadlines")) reached &= DeadlineRows(programs, scratch);
  return reached ? 0 : 1;
}
