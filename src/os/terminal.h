// Terminals: whether a descriptor is one, its size, raw mode and keys.

#ifndef BELAY_OS_TERMINAL_H_
#define BELAY_OS_TERMINAL_H_

#include <termios.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/pseudo_terminal.h"

namespace belay {

bool IsTerminal(int fd);
bool IsPipe(int fd);

// Nothing when it isn't a terminal or doesn't report it.
std::optional<std::size_t> TerminalColumns(int fd);
std::optional<std::size_t> TerminalRows(int fd);

// The user's terminal in raw mode, for another program: every key is passed on unchanged, and
// nothing is echoed.

// Raw while it lives; then restored. kUsage when it isn't a terminal.
class RawTerminal {
 public:
  static Result<RawTerminal> Enter(int fd);
  RawTerminal(RawTerminal&&) noexcept;
  RawTerminal& operator=(RawTerminal&&) noexcept;
  ~RawTerminal();

 private:
  struct Before;
  explicit RawTerminal(std::unique_ptr<Before> before);

  std::unique_ptr<Before> before_;
};

// Nothing when it isn't a terminal or doesn't report it.
std::optional<TerminalSize> SizeOfTerminal(int fd);

// Appends typed keys, waiting for them if necessary. False at end of file.
bool ReadKeys(int fd, std::string& keys);

// Single keys from a terminal, without waiting for Enter and without echo, while this lives; then
// the terminal is restored. Keys that send signals (Ctrl-C) still do.

class KeyInput {
 public:
  // Of the standard input. Not a terminal: kUsage.
  static Result<KeyInput> Open();
  KeyInput(KeyInput&& other) noexcept;
  KeyInput& operator=(KeyInput&&) = delete;
  ~KeyInput();

  int fd() const;  // readable when a key was pressed

  // The pressed keys. Nothing: the terminal is gone.
  std::optional<std::string> Read() const;

 private:
  explicit KeyInput(const termios& before) : before_(before) {}

  std::optional<termios> before_;
};

}  // namespace belay

#endif  // BELAY_OS_TERMINAL_H_
