// The system calls that a program makes, by tracing it: what it asks the kernel for is the same on
// every machine, however fast that is.

#ifndef BELAY_TESTS_TRACED_CALLS_H_
#define BELAY_TESTS_TRACED_CALLS_H_

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace belay {

struct TracedRun {
  std::vector<std::string> command = {};
  std::string folder = {};
  std::string input = {};                     // a file
  std::vector<std::string> environment = {};  // "NAME=value"
};

namespace traced_calls {

inline std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] inline void Run(const TracedRun& run) {
  const std::vector<char*> words = Pointers(run.command);
  const std::vector<char*> variables = Pointers(run.environment);
  const int input = open(run.input.c_str(), O_RDONLY | O_CLOEXEC);
  const bool ready = dup2(input, STDIN_FILENO) == STDIN_FILENO && chdir(run.folder.c_str()) == 0 &&
                     ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
  if (ready) execve(words[0], words.data(), variables.data());
  _exit(127);
}

// That it is about to make; nothing when it stopped for anything else.
inline std::optional<long> CallOf(pid_t pid) {
  __ptrace_syscall_info info = {};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return std::nullopt;
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return std::nullopt;
  return static_cast<long>(info.entry.nr);
}

}  // namespace traced_calls

// Their numbers (SYS_read, ...) in order, from the start of the program on. Nothing when it can't
// be traced or doesn't end with exit code 0.
inline std::optional<std::vector<long>> TracedCalls(const TracedRun& run) {
  using namespace traced_calls;
  const pid_t pid = fork();
  if (pid == 0) Run(run);
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return std::nullopt;
  (void)ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  std::vector<long> calls;
  int signal = 0;
  while (ptrace(PTRACE_SYSCALL, pid, nullptr, signal) == 0 && waitpid(pid, &status, 0) == pid) {
    if (!WIFSTOPPED(status)) break;
    const bool call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    signal = call || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (!call) continue;
    if (const std::optional<long> number = CallOf(pid)) calls.push_back(*number);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return calls;
}

}  // namespace belay

#endif  // BELAY_TESTS_TRACED_CALLS_H_
