// What the other end of a descriptor is.

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

// Nothing when it is no terminal or doesn't say.
std::optional<std::size_t> TerminalColumns(int fd);
std::optional<std::size_t> TerminalRows(int fd);

// A person's terminal, handed over to somebody else's program: every key comes as it is, and
// nothing is echoed.

// Raw as long as it lives; then as it was. kUsage when it is no terminal.
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

// Nothing when it is no terminal or doesn't say.
std::optional<TerminalSize> SizeOfTerminal(int fd);

// Appends what has been typed, after waiting for it if need be. False when nothing can come any
// more.
bool ReadKeys(int fd, std::string& keys);

// Single keys from a terminal, without waiting for Enter and without showing them, for as long as
// this lives; then the terminal is as it was. Keys that mean signals (Ctrl-C) still do.

class KeyInput {
 public:
  // Of the standard input. No terminal: kUsage.
  static Result<KeyInput> Open();
  KeyInput(KeyInput&& other) noexcept;
  KeyInput& operator=(KeyInput&&) = delete;
  ~KeyInput();

  int fd() const;  // readable when a key was pressed

  // The keys that were pressed. Nothing: the terminal is gone.
  std::optional<std::string> Read() const;

 private:
  explicit KeyInput(const termios& before) : before_(before) {}

  std::optional<termios> before_;
};

}  // namespace belay

#endif  // BELAY_OS_TERMINAL_H_
