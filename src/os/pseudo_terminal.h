// A pseudo terminal, and a program that runs on it.
//
// The program is forked and held back: it has a pid, its terminal and its folder, and does nothing
// until LetGo. If we end before that, also by kill -9, it ends by itself. So a program never runs
// before its start is recorded.
//
// Fork and not posix_spawn, because only a fork can wait before exec. It copies the page tables of
// the caller, so this is for small processes: `belay exec`.

#ifndef BELAY_OS_PSEUDO_TERMINAL_H_
#define BELAY_OS_PSEUDO_TERMINAL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/result.h"
#include "os/environment.h"
#include "os/fd.h"
#include "os/process.h"

namespace belay {

struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;

  bool operator==(const TerminalSize&) const = default;
};

class PseudoTerminal {
 public:
  static Result<PseudoTerminal> Open(TerminalSize size);

  // Our side; never blocks. Readable when the program wrote something.
  int fd() const { return ours_.get(); }
  // The program's side.
  int theirs() const { return theirs_.get(); }

  // The program gets SIGWINCH if the size changes.
  Result<void> Resize(TerminalSize size) const;
  // Reads at most `size` bytes. 0: nothing available, or end of file.
  std::size_t Read(char* buffer, std::size_t size) const;
  // Returns how many bytes were accepted; retry the rest when the terminal is writable.
  std::size_t Write(std::string_view bytes) const;

 private:
  PseudoTerminal(UniqueFd ours, UniqueFd theirs)
      : ours_(std::move(ours)), theirs_(std::move(theirs)) {}

  UniqueFd ours_;
  UniqueFd theirs_;  // kept open, so that ours doesn't hang up when the program closes its own
};

struct HeldRequest {
  // command[0] with a slash is a path relative to `folder`; else it is looked up in the PATH of
  // `environment`.
  std::vector<std::string> command;
  std::string folder;
  Environment::Variables environment;
};

// Leads a session on its terminal. It gets no blocked and no ignored signals, and no descriptors
// except the three of the terminal.
class HeldProcess {
 public:
  [[nodiscard]] static tl::expected<HeldProcess, ExecFailure> Start(const HeldRequest& request,
                                                                    const PseudoTerminal& terminal);

  Process& process() { return process_; }
  // Starts the program, or reports why it can't; then the process has ended and must be reaped.
  // Call once.
  [[nodiscard]] tl::expected<void, ExecFailure> LetGo();

 private:
  HeldProcess(Process process, UniqueFd gate, UniqueFd failures, std::string program)
      : process_(std::move(process)),
        gate_(std::move(gate)),
        failures_(std::move(failures)),
        program_(std::move(program)) {}

  Process process_;
  UniqueFd gate_;      // closed without a message: it ends
  UniqueFd failures_;  // an errno, or end of file when the program runs
  std::string program_;
};

}  // namespace belay

#endif  // BELAY_OS_PSEUDO_TERMINAL_H_
