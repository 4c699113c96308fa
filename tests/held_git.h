// A git of a person's that stands still right before it takes index.lock: it has read the index,
// and no other process knows yet that it will write it. Traced for that, so no chance decides.

#ifndef BELAY_TESTS_HELD_GIT_H_
#define BELAY_TESTS_HELD_GIT_H_

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

class HeldGit {
 public:
  HeldGit(std::vector<std::string> command, std::string folder,
          std::vector<std::string> environment)
      : command_(std::move(command)),
        folder_(std::move(folder)),
        environment_(std::move(environment)) {}

  // False when it ended without taking that lock.
  bool RunToTheLock() {
    pid_ = fork();
    if (pid_ == 0) BeTraced();
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) return false;
    (void)ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    while (ptrace(PTRACE_SYSCALL, pid_, nullptr, 0) == 0 && waitpid(pid_, &status, 0) == pid_) {
      if (!WIFSTOPPED(status)) return false;
      if (IsAtTheLock()) return true;
    }
    return false;
  }

  // Its exit code.
  int GoOn() {
    (void)ptrace(PTRACE_DETACH, pid_, nullptr, nullptr);
    int status = 0;
    return waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[noreturn]] void BeTraced() const {
    std::vector<char*> words = Pointers(command_);
    std::vector<char*> variables = Pointers(environment_);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool ready = dup2(nowhere, 0) == 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2 &&
                       chdir(folder_.c_str()) == 0 &&
                       ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
    if (ready) execvpe(words[0], words.data(), variables.data());
    _exit(127);
  }
  static std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  bool IsAtTheLock() const {
    __ptrace_syscall_info info = {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info) <= 0) return false;
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != SYS_openat) return false;
    char bytes[512] = {};
    const iovec ours{bytes, sizeof bytes - 1};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process.
    const iovec theirs{reinterpret_cast<void*>(info.entry.args[1]), sizeof bytes - 1};
    (void)process_vm_readv(pid_, &ours, 1, &theirs, 1, 0);
    return std::string_view(bytes).ends_with("/index.lock");
  }

  std::vector<std::string> command_;
  std::string folder_;
  std::vector<std::string> environment_;
  pid_t pid_ = 0;
};

}  // namespace belay

#endif  // BELAY_TESTS_HELD_GIT_H_
