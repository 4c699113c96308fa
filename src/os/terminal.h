// What the other end of a descriptor is.

#ifndef BELAY_OS_TERMINAL_H_
#define BELAY_OS_TERMINAL_H_

#include <cstddef>
#include <optional>

namespace belay {

bool IsTerminal(int fd);
bool IsPipe(int fd);

// Nothing when it is no terminal or doesn't say.
std::optional<std::size_t> TerminalColumns(int fd);
std::optional<std::size_t> TerminalRows(int fd);

}  // namespace belay

#endif  // BELAY_OS_TERMINAL_H_
