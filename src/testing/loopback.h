// TCP on 127.0.0.1, for servers that tests talk to.

#ifndef BELAY_TESTING_LOOPBACK_H_
#define BELAY_TESTING_LOOPBACK_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace belay {

struct LoopbackListener {
  UniqueFd socket;  // for Accept (os/socket.h)
  std::uint16_t port;
};

// At a free port that the kernel chooses.
Result<LoopbackListener> ListenLoopback();

// A connection whose reads and writes block.
Result<UniqueFd> ConnectLoopback(std::uint16_t port);

// Waits until there is something, and appends it to `out`: how many bytes it was, 0 at the end,
// -1 when it failed.
std::int64_t ReadSome(int fd, std::string& out);

}  // namespace belay

#endif  // BELAY_TESTING_LOOPBACK_H_
