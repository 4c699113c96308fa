// Single keys from a terminal, without waiting for Enter and without showing them, for as long as
// this lives; then the terminal is as it was. Keys that mean signals (Ctrl-C) still do.

#ifndef BELAY_OS_KEY_INPUT_H_
#define BELAY_OS_KEY_INPUT_H_

#include <termios.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace belay {

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

#endif  // BELAY_OS_KEY_INPUT_H_
