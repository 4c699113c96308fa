// A person's terminal, handed over to somebody else's program: every key comes as it is, and
// nothing is echoed.

#ifndef BELAY_OS_RAW_TERMINAL_H_
#define BELAY_OS_RAW_TERMINAL_H_

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/pseudo_terminal.h"

namespace belay {

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

}  // namespace belay

#endif  // BELAY_OS_RAW_TERMINAL_H_
