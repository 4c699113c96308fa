#include "os/key_input.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace belay {

Result<KeyInput> KeyInput::Open() {
  termios before{};
  if (tcgetattr(STDIN_FILENO, &before) != 0) {
    return Error{ErrorCode::kUsage, "the standard input is no terminal"};
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
