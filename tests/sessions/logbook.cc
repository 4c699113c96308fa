#include "sessions/logbook.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "base/ids.h"

namespace belay {

void Logbook::Add(const std::string& line) {
  std::istringstream words(line);
  std::string what;
  std::string id;
  words >> what >> id;
  const Result<AgentId> agent_id = AgentId::Parse(id);
  if (!agent_id) {
    problems_.push_back({Problem::Kind::kWrong, fmt::format("an agent says \"{}\"", line)});
    return;
  }
  AgentLog& agent = agents_[agent_id->identity().text()];
  if (what == "double") problems_.push_back({Problem::Kind::kDouble, id + " is not alone"});
  if (what == "start") {
    pid_t pid = 0;
    words >> pid;
    AddStart(id, agent, agent_id->incarnation(), pid);
  }
  if (what != "begin" && what != "done") return;
  std::uint64_t number = 0;
  std::uint64_t version = 0;
  words >> number >> version;
  Slot& slot = agent.slots[number];
  (what == "begin" ? slot.begun : slot.done) = version;
  agent.begun = std::max(agent.begun, version);
}

void Logbook::AddStart(const std::string& id, AgentLog& agent, std::uint32_t incarnation,
                       pid_t pid) {
  ++starts_;
  if (incarnation <= agent.incarnation) {
    problems_.push_back(
        {Problem::Kind::kDouble, fmt::format("{} starts after #{}", id, agent.incarnation)});
  }
  if (agent.stopped && incarnation > agent.may_start) {
    problems_.push_back({Problem::Kind::kRespawned, id + " starts although it was stopped"});
  }
  agent.incarnation = std::max(incarnation, agent.incarnation);
  agent.pid = pid;
}

// As agent.sh writes it (place.cc).
std::string SlotText(const std::string& identity, std::uint64_t slot, std::uint64_t version) {
  std::string text = fmt::format("{} {} {}\n", identity, slot, version);
  for (int line = 0; line < 40; ++line) text += fmt::format("{} {}\n", version, line);
  return text + fmt::format("end {}\n", version);
}

}  // namespace belay
