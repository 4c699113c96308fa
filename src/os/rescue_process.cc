#include "os/rescue_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace belay {
namespace {

constexpr char kDismissed = 'd';

// Also true when nothing can be read any more: then no process is left to dismiss us.
bool IsDismissed(int life) {
  char word = 0;
  ssize_t count = 0;
  while ((count = read(life, &word, 1)) < 0 && errno == EINTR) {
  }
  return count == 1 && word == kDismissed;
}

// So that a reader of our output doesn't wait for the copy to end.
void LetGoOfTheTerminal() {
  (void)setsid();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && nothing >= 0; ++fd) (void)dup2(nothing, fd);
}

}  // namespace

Result<RescueProcess> RescueProcess::Start(const std::function<void()>& act) {
  int ends[2];  // a socket: writing to it raises no SIGPIPE when the copy was killed
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{ErrorCode::kFailed, std::string("socketpair: ") + strerror(errno)};
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return Error{ErrorCode::kFailed, std::string("fork: ") + strerror(errno)};
  if (pid == 0) {
    ours.Reset();
    LetGoOfTheTerminal();
    if (!IsDismissed(theirs.get())) act();
    _exit(0);
  }
  return RescueProcess(pid, std::move(ours));
}

void RescueProcess::Dismiss() {
  if (pid_ < 0) return;
  (void)send(life_.get(), &kDismissed, 1, MSG_NOSIGNAL);
  life_.Reset();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace belay
