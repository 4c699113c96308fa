#include "os/terminal.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace belay
