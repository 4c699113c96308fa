// A program that is killed at the very moment at which it wants to start another one: neither runs
// on from there. It is traced for that, so no chance decides.

#ifndef BELAY_TESTS_KILLED_AT_FORK_H_
#define BELAY_TESTS_KILLED_AT_FORK_H_

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace belay {

namespace killed_at_fork {

[[noreturn]] inline void RunTraced(const std::vector<std::string>& command,
                                   const std::string& folder) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const bool ready = ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && chdir(folder.c_str()) == 0;
  if (ready) execv(words[0], words.data());
  _exit(127);
}

// The child of a traced one is traced too, and stands still from its beginning.
inline pid_t ChildOf(pid_t pid) {
  unsigned long child = 0;
  (void)ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &child);
  return static_cast<pid_t>(child);
}

inline void End(pid_t pid) {
  (void)kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, __WALL) == pid && !WIFEXITED(status) && !WIFSIGNALED(status)) {
  }
}

}  // namespace killed_at_fork

// Gives whether it was killed; false when it ended before. Forks before `is_time` are let pass.
inline bool KilledAtFork(const std::vector<std::string>& command, const std::string& folder,
                         const std::function<bool()>& is_time) {
  using namespace killed_at_fork;
  const pid_t pid = fork();
  if (pid == 0) RunTraced(command, folder);
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return false;
  (void)ptrace(PTRACE_SETOPTIONS, pid, nullptr,
               PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE);
  int signal = 0;
  while (ptrace(PTRACE_CONT, pid, nullptr, signal) == 0 && waitpid(pid, &status, __WALL) == pid) {
    if (!WIFSTOPPED(status)) return false;
    const bool forks = status >> 16 != 0;
    signal = forks || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (!forks) continue;
    const pid_t child = ChildOf(pid);
    if (is_time()) {
      End(child);
      End(pid);
      return true;
    }
    (void)waitpid(child, &status, __WALL);
    (void)ptrace(PTRACE_DETACH, child, nullptr, nullptr);
  }
  return false;
}

}  // namespace belay

#endif  // BELAY_TESTS_KILLED_AT_FORK_H_
