// Finds the processes that belong to a project, by what they were started with: for tests that have
// to know that none is left, or that there is one and not two.

#ifndef BELAY_TESTS_PROCESS_SEARCH_H_
#define BELAY_TESTS_PROCESS_SEARCH_H_

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/process_identity.h"
#include "store/layout.h"

namespace belay {

struct FoundProcess {
  ProcessIdentity identity;
  std::string command;
  std::string agent_id;  // empty: no agent's
};

// Empty when it is gone, also while it is read, which a stream would throw for.
inline std::string ReadProcFile(const std::filesystem::path& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (file) (void)ReadToEnd(file.get(), std::size_t{4} << 20U, text);
  return text;
}

// "NAME=" in what /proc has of an environment.
inline std::string VariableIn(const std::string& environment, std::string_view name) {
  const std::string text = '\0' + environment;
  const std::string wanted = '\0' + std::string(name) + "=";
  const std::size_t at = text.find(wanted);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + wanted.size();
  return text.substr(begin, text.find('\0', begin) - begin);
}

// Whether it works for that project: an agent or a child of one, an exec, a guardian, a snapshot.
inline bool WorksAt(const Layout& project, const std::string& command,
                    const std::string& environment) {
  if (VariableIn(environment, "BELAY_STATE") == project.StateRoot()) return true;
  const std::string root = '\0' + std::string("--root") + '\0' + project.Root() + '\0';
  return command.find(root) != std::string::npos;
}

inline std::vector<FoundProcess> ProcessesAt(const Layout& project) {
  std::vector<FoundProcess> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    std::string command = ReadProcFile(entry.path() / "cmdline");
    const std::string environment = ReadProcFile(entry.path() / "environ");
    if (command.empty() || !WorksAt(project, command, environment)) continue;
    const Result<ProcessIdentity> identity = IdentityOf(pid);
    if (!identity || !IsAlive(*identity)) continue;
    std::replace(command.begin(), command.end(), '\0', ' ');
    found.push_back({*identity, command, VariableIn(environment, "BELAY_AGENT_ID")});
  }
  return found;
}

inline bool EndsWithin(const Process& process, Duration bound) {
  pollfd entry{process.pidfd(), POLLIN, 0};
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(bound).count();
  return poll(&entry, 1, static_cast<int>(wait)) == 1;
}

}  // namespace belay

#endif  // BELAY_TESTS_PROCESS_SEARCH_H_
