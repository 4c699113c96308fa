#include "testing/real_process.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/check.h"

namespace belay {
namespace {

struct Stream {
  int read = -1;
  int write = -1;
};

Stream MakePipe() {
  int ends[2];
  BELAY_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  return {ends[0], ends[1]};
}

Stream MakeTerminal(unsigned columns) {
  Stream terminal;
  const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
  BELAY_CHECK(openpty(&terminal.read, &terminal.write, nullptr, nullptr, &size) == 0);
  BELAY_CHECK(fcntl(terminal.read, F_SETFD, FD_CLOEXEC) == 0);
  return terminal;
}

std::vector<std::string> EnvironmentOf(const RunOptions& options) {
  std::map<std::string, std::string> variables = options.environment;
  for (const char* name : {"PATH", "HOME"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) variables.try_emplace(name, value);
  }
  if (options.terminal_columns) variables.try_emplace("TERM", "xterm");
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Until end of file; a terminal whose other side is gone returns EIO instead.
std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(fd, buffer, sizeof(buffer))) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(fd);
  return text;
}

std::string WithoutReturns(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != '\r') out.push_back(c);
  }
  return out;
}

// As in a terminal window of its own.
bool TakeTerminal(int terminal) { return setsid() > 0 && ioctl(terminal, TIOCSCTTY, 0) == 0; }

[[noreturn]] void Exec(char* const* command, char* const* environment, const char* folder, int out,
                       int err) {
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready =
      dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 && chdir(folder) == 0;
  if (ready) execvpe(command[0], command, environment);
  std::perror("exec");
  _exit(126);
}

}  // namespace

RunOutcome RunReal(const std::vector<std::string>& command, const RunOptions& options) {
  const bool terminal = options.terminal_columns.has_value();
  Stream out = terminal ? MakeTerminal(*options.terminal_columns) : MakePipe();
  Stream err = terminal ? Stream{} : MakePipe();
  const int file =
      options.out_path.empty() ? -1 : open(options.out_path.c_str(), O_WRONLY | O_CLOEXEC);
  const std::vector<std::string> entries = EnvironmentOf(options);
  const std::vector<char*> words = Pointers(command);
  const std::vector<char*> variables = Pointers(entries);
  const pid_t pid = fork();
  BELAY_CHECK(pid >= 0);
  if (pid == 0) {
    if (terminal) BELAY_CHECK(TakeTerminal(out.write));
    Exec(words.data(), variables.data(), options.folder.c_str(), file >= 0 ? file : out.write,
         terminal ? out.write : err.write);
  }
  for (const int fd : {out.write, err.write, file}) {
    if (fd >= 0) close(fd);
  }
  RunOutcome outcome{};
  std::thread errors([&] { outcome.err = terminal ? "" : ReadAll(err.read); });
  outcome.out = ReadAll(out.read);
  errors.join();
  if (terminal) outcome.out = WithoutReturns(outcome.out);
  int status = 0;
  BELAY_CHECK(waitpid(pid, &status, 0) == pid);
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

}  // namespace belay
