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

// A connection with blocking reads and writes.
Result<UniqueFd> ConnectLoopback(std::uint16_t port);

// Waits for data and appends it to `out`. Returns the number of bytes, 0 at end of file, -1 on
// failure.
std::int64_t ReadSome(int fd, std::string& out);

}  // namespace belay

#endif  // BELAY_TESTING_LOOPBACK_H_
