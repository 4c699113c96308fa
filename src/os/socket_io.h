// Sending and receiving on a socket without ever waiting.

#ifndef BELAY_OS_SOCKET_IO_H_
#define BELAY_OS_SOCKET_IO_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace belay {

// Appends what is there, at most `most` bytes; false when the other side has ended.
Result<bool> ReceiveSome(const UniqueFd& socket, std::size_t most, std::string& out);

// All of it or an error (kBusy when the other side doesn't take it now): for short answers, which
// fit into what the kernel keeps.
Result<void> SendNow(const UniqueFd& socket, std::string_view bytes);

}  // namespace belay

#endif  // BELAY_OS_SOCKET_IO_H_
