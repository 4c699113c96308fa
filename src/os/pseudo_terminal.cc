#include "os/pseudo_terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace belay {

Result<PseudoTerminal> PseudoTerminal::Open(TerminalSize size) {
  UniqueFd ours(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!ours) return SystemError("open a terminal", errno);
  if (unlockpt(ours.get()) != 0) return SystemError("unlock a terminal", errno);
  // By descriptor and not by name: /dev/pts may be another one here.
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

}  // namespace belay
