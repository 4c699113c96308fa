// Unix stream sockets: the guardian listens, commands and agents connect, and the kernel vouches
// for who they are. Errors name the call and the path.

#ifndef BELAY_OS_SOCKET_H_
#define BELAY_OS_SOCKET_H_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "os/fd.h"

namespace belay {

// Listens at `name` in an existing folder, whose path may be of any length; the name has at most
// kLongestSocketName bytes. For this user only (0600 from the first moment); never blocks in
// Accept. The file stays when the descriptor is closed.
//
// For callers that hold a lock of their own which makes them the only one: a socket that lies there
// is replaced without asking who listens. Anything else there: kRefused.
constexpr std::size_t kLongestSocketName = 80;
Result<UniqueFd> ListenUnixIn(const std::string& folder, const std::string& name);

// A connection whose reads and writes block. Nobody listens: kNotFound. Too many wait: kBusy.
Result<UniqueFd> ConnectUnixIn(const std::string& folder, const std::string& name);

// Sends without blocking and without SIGPIPE: how many bytes were taken. Nothing when the other
// side is gone.
std::optional<std::size_t> SendSome(const UniqueFd& connection, std::string_view bytes);
// Takes what has come, without blocking: appends it to `bytes`, at most `most`. False when the
// other side is gone and everything was read.
bool ReceiveSome(const UniqueFd& connection, std::size_t most, std::string& bytes);

// Until something has come, or the other side is gone. False when the time is up.
bool AwaitReadable(const UniqueFd& connection, Duration limit);

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

// The asking side of a conversation in lines over a Unix socket, with one bound on all its waits:
// nobody hangs because the other side does.

class LineSocket {
 public:
  // Everything together takes at most `limit`; then kBusy. Nobody listens: kNotFound. The path may
  // be of any length.
  static Result<LineSocket> Connect(const std::string& path, Duration limit);

  Result<void> Send(std::string_view bytes);
  // Without its line end. The other side is gone: kNotFound. Longer than `most`: kDamaged.
  Result<std::string> ReceiveLine(std::size_t most);

 private:
  LineSocket(UniqueFd socket, MonotonicTime until, std::string path)
      : socket_(std::move(socket)), until_(until), path_(std::move(path)) {}

  Result<void> WaitFor(short events) const;
  Error Late() const;

  UniqueFd socket_;
  MonotonicTime until_;
  std::string path_;
  std::string received_;
};

}  // namespace belay

#endif  // BELAY_OS_SOCKET_H_
