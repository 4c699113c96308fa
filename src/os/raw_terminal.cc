#include "os/raw_terminal.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace belay {

struct RawTerminal::Before {
  int fd;
  termios modes;
};

RawTerminal::RawTerminal(std::unique_ptr<Before> before) : before_(std::move(before)) {}
RawTerminal::RawTerminal(RawTerminal&&) noexcept = default;
RawTerminal& RawTerminal::operator=(RawTerminal&&) noexcept = default;

RawTerminal::~RawTerminal() {
  if (before_) (void)tcsetattr(before_->fd, TCSADRAIN, &before_->modes);
}

Result<RawTerminal> RawTerminal::Enter(int fd) {
  auto before = std::make_unique<Before>(Before{fd, {}});
  if (tcgetattr(fd, &before->modes) != 0) {
    return Error{ErrorCode::kUsage, "the standard input is no terminal"};
  }
  termios raw = before->modes;
  cfmakeraw(&raw);
  if (tcsetattr(fd, TCSADRAIN, &raw) != 0) return SystemError("set the terminal to raw", errno);
  return RawTerminal(std::move(before));
}

std::optional<TerminalSize> SizeOfTerminal(int fd) {
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  if (!known) return std::nullopt;
  return TerminalSize{size.ws_row, size.ws_col};
}

bool ReadKeys(int fd, std::string& keys) {
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(fd, buffer, sizeof(buffer))) < 0 && errno == EINTR) {
  }
  if (count > 0) keys.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EAGAIN);
}

}  // namespace belay
