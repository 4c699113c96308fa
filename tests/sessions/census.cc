#include "sessions/census.h"

#include <charconv>
#include <filesystem>
#include <optional>

#include "os/process_identity.h"

namespace belay {
namespace {

namespace fs = std::filesystem;

// The value of a variable among those that end with a zero byte each.
std::string Variable(const std::string& environment, std::string_view name) {
  const std::string start = '\0' + std::string(name) + '=';
  const std::size_t at = ('\0' + environment).find(start);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + start.size() - 1;
  return environment.substr(begin, environment.find('\0', begin) - begin);
}

std::optional<Living> LookAt(pid_t pid, const std::string& state_root, const std::string& boot) {
  const std::string environment = ReadProcFile(pid, "environ", std::size_t{4} << 20U);
  if (Variable(environment, "BELAY_STATE") != state_root) return std::nullopt;
  const Result<AgentId> id = AgentId::Parse(Variable(environment, "BELAY_AGENT_ID"));
  const Result<ProcStat> stat = ReadProcStat(pid);
  if (!id || !stat || stat->ended()) return std::nullopt;
  return Living{*id, {pid, stat->start_time, boot}, stat->parent};
}

}  // namespace

std::vector<Living> TakeCensus(const std::string& state_root) {
  const Result<std::string> boot = BootId();
  std::vector<Living> living;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (status != std::errc() || end != name.data() + name.size()) continue;
    if (auto one = LookAt(pid, state_root, boot ? *boot : "")) living.push_back(*std::move(one));
  }
  return living;
}

}  // namespace belay
