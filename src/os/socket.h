// Unix stream sockets: the guardian listens, commands and agents connect, and the kernel vouches
// for who they are. Errors name the call and the path.

#ifndef BELAY_OS_SOCKET_H_
#define BELAY_OS_SOCKET_H_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace belay {

// The kernel has room for no more (sockaddr_un), and a longer path must not be cut.
constexpr std::size_t kLongestSocketPath = 107;

// Listens at `path`, for this user only (0600 from the first moment); never blocks in Accept. The
// file stays when the descriptor is closed.
//
// What lies at the path is replaced only if it is a socket at which nobody listens any longer. One
// that is in use, and two who start at once: kBusy. Anything else there, or a path that is too
// long: kRefused.
Result<UniqueFd> ListenUnix(const std::string& path);

// A connection whose reads and writes block. Nobody listens: kNotFound. Too many wait: kBusy.
Result<UniqueFd> ConnectUnix(const std::string& path);

// The next connection, which never blocks; nothing when nobody waits. After an error somebody may
// still wait, so the listener stays readable: close something, or stop watching it for a while.
Result<std::optional<UniqueFd>> Accept(const UniqueFd& listener);

// Who connected (seen from the listening side) or listens (seen from the other), as they were at
// that moment.
struct Peer {
  pid_t pid;  // may be somebody else's by now; the pidfd isn't
  uid_t uid;
  gid_t gid;
  UniqueFd pidfd;  // for Process::Adopt; none before Linux 6.5, and maybe none of the dead
};
Result<Peer> PeerOf(const UniqueFd& connection);

}  // namespace belay

#endif  // BELAY_OS_SOCKET_H_
