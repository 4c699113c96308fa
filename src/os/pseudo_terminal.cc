#include "os/pseudo_terminal.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/check.h"

namespace belay {

Result<PseudoTerminal> PseudoTerminal::Open(TerminalSize size) {
  UniqueFd ours(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!ours) return SystemError("open a terminal", errno);
  if (unlockpt(ours.get()) != 0) return SystemError("unlock a terminal", errno);
  // By descriptor and not by name: /dev/pts may be a different mount here.
  UniqueFd theirs(ioctl(ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs) return SystemError("open the other side of a terminal", errno);
  PseudoTerminal terminal(std::move(ours), std::move(theirs));
  BELAY_TRY(terminal.Resize(size));
  return terminal;
}

Result<void> PseudoTerminal::Resize(TerminalSize size) const {
  const winsize wanted{size.rows, size.columns, 0, 0};
  if (ioctl(ours_.get(), TIOCSWINSZ, &wanted) == 0) return {};
  return SystemError("resize a terminal", errno);
}

std::size_t PseudoTerminal::Read(char* buffer, std::size_t size) const {
  ssize_t count = 0;
  while ((count = read(ours_.get(), buffer, size)) < 0 && errno == EINTR) {
  }
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

std::size_t PseudoTerminal::Write(std::string_view bytes) const {
  ssize_t count = 0;
  while ((count = write(ours_.get(), bytes.data(), bytes.size())) < 0 && errno == EINTR) {
  }
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

namespace {

using HeldFailure = tl::unexpected<ExecFailure>;

struct HeldPipe {
  UniqueFd read;
  UniqueFd write;
};

std::optional<HeldPipe> MakeHeldPipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return HeldPipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A socket, because writing to it raises no SIGPIPE when the other side is gone.
std::optional<HeldPipe> MakeGate() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return HeldPipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> HeldPointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> HeldEntries(const Environment::Variables& variables) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

// Everything the child needs, prepared before the fork.
struct Child {
  char** command;
  char** variables;
  int folder;
  int terminal;
  int gate;
  int gate_outside;  // the parent's end, which keeps the gate from opening when the parent ends
  int failures;
};

void SetSignalsToDefault() {
  for (int signal = 1; signal < NSIG; ++signal) (void)std::signal(signal, SIG_DFL);
  sigset_t none;
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool TakeTerminal(int terminal) {
  const bool leads = setsid() > 0 && ioctl(terminal, TIOCSCTTY, 0) == 0;
  return leads && dup2(terminal, 0) == 0 && dup2(terminal, 1) == 1 && dup2(terminal, 2) == 2;
}

bool WaitAtGate(int gate) {
  char word = 0;
  ssize_t count = 0;
  while ((count = read(gate, &word, 1)) < 0 && errno == EINTR) {
  }
  return count == 1;
}

[[noreturn]] void FailHeld(int failures, int error) {
  (void)!write(failures, &error, sizeof(error));
  _exit(127);
}

[[noreturn]] void RunChild(const Child& child) {
  (void)close(child.gate_outside);
  // First the signals that were blocked for us, so that a signal sent while it waits can end it.
  SetSignalsToDefault();
  if (!TakeTerminal(child.terminal) || fchdir(child.folder) != 0) FailHeld(child.failures, errno);
  if (!WaitAtGate(child.gate)) _exit(127);
  (void)syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  environ = child.variables;  // exec searches its own PATH
  (void)execvp(child.command[0], child.command);
  FailHeld(child.failures, errno);
}

// With signals blocked, so that the child doesn't run our handlers with its copy of our state.
pid_t Fork(const Child& child) {
  sigset_t all;
  sigset_t before;
  (void)sigfillset(&all);
  (void)sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  const int error = errno;
  if (pid == 0) RunChild(child);
  (void)sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

tl::expected<HeldProcess, ExecFailure> HeldProcess::Start(const HeldRequest& request,
                                                          const PseudoTerminal& terminal) {
  BELAY_CHECK(!request.command.empty());
  const UniqueFd folder(open(request.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const bool enterable = folder && faccessat(folder.get(), ".", X_OK, AT_EACCESS) == 0;
  if (!enterable) return HeldFailure(ExecFailure{SpawnStage::kFolder, errno, request.folder});
  std::optional<HeldPipe> gate = MakeGate();
  std::optional<HeldPipe> failures = MakeHeldPipe();
  if (!gate || !failures)
    return HeldFailure(ExecFailure{SpawnStage::kDescriptors, errno, "a pipe"});
  const std::vector<std::string> entries = HeldEntries(request.environment);
  std::vector<char*> command = HeldPointers(request.command);
  std::vector<char*> variables = HeldPointers(entries);
  const std::string& program = request.command[0];
  const pid_t pid = Fork({command.data(), variables.data(), folder.get(), terminal.theirs(),
                          gate->read.get(), gate->write.get(), failures->write.get()});
  if (pid < 0) return HeldFailure(ExecFailure{SpawnStage::kFork, errno, program});
  Result<Process> process = Process::Open(pid);
  // Without a pidfd it never runs: destroying `gate` closes it. We are about to end, too.
  if (!process) return HeldFailure(ExecFailure{SpawnStage::kPidfd, EMFILE, program});
  return HeldProcess(*std::move(process), std::move(gate->write), std::move(failures->read),
                     program);
}

tl::expected<void, ExecFailure> HeldProcess::LetGo() {
  (void)send(gate_.get(), "g", 1, MSG_NOSIGNAL);
  gate_.Reset();
  int error = 0;
  ssize_t count = 0;
  while ((count = read(failures_.get(), &error, sizeof(error))) < 0 && errno == EINTR) {
  }
  failures_.Reset();
  if (count != sizeof(error)) return {};
  return HeldFailure(ExecFailure{SpawnStage::kExec, error, program_});
}

}  // namespace belay
