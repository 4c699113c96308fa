#include "os/terminal.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace belay {

bool IsTerminal(int fd) { return isatty(fd) == 1; }

bool IsPipe(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

std::optional<std::size_t> TerminalColumns(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::optional<std::size_t> TerminalRows(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return std::nullopt;
  return size.ws_row;
}

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
    return Error{ErrorCode::kUsage, "standard input is not a terminal"};
  }
  termios raw = before->modes;
  cfmakeraw(&raw);
  if (tcsetattr(fd, TCSADRAIN, &raw) != 0)
    return SystemError("set the terminal to raw mode", errno);
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

Result<KeyInput> KeyInput::Open() {
  termios before{};
  if (tcgetattr(STDIN_FILENO, &before) != 0) {
    return Error{ErrorCode::kUsage, "standard input is not a terminal"};
  }
  termios keys = before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSANOW, &keys) != 0) return SystemError("tcsetattr", errno);
  return KeyInput(before);
}

KeyInput::KeyInput(KeyInput&& other) noexcept
    : before_(std::exchange(other.before_, std::nullopt)) {}

KeyInput::~KeyInput() {
  if (before_) (void)tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

int KeyInput::fd() const { return STDIN_FILENO; }

std::optional<std::string> KeyInput::Read() const {
  char keys[64];
  const ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return std::string();
  if (count <= 0) return std::nullopt;
  return std::string(keys, static_cast<std::size_t>(count));
}

}  // namespace belay
