// Unix stream sockets: the guardian listens, commands and agents connect, and the kernel vouches
// for their identity. Errors name the call and the path.

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
// For callers that hold their own lock as the only listener: an existing socket is replaced without
// probing it. Anything else at the path: kRefused.
constexpr std::size_t kLongestSocketName = 80;
Result<UniqueFd> ListenUnixIn(const std::string& folder, const std::string& name);

// A connection with blocking reads and writes. No listener: kNotFound. Too many waiting: kBusy.
Result<UniqueFd> ConnectUnixIn(const std::string& folder, const std::string& name);

// Sends without blocking and without SIGPIPE; returns how many bytes were accepted. Nothing when
// the other side is gone.
std::optional<std::size_t> SendSome(const UniqueFd& connection, std::string_view bytes);
// Receives without blocking: appends at most `most` bytes to `bytes`. False when the other side is
// gone and everything was read.
bool ReceiveSome(const UniqueFd& connection, std::size_t most, std::string& bytes);

// Waits until there is something to read, or the other side is gone. False when the time is up.
bool AwaitReadable(const UniqueFd& connection, Duration limit);

// The next connection, non-blocking; nothing when none waits. After an error one may still wait, so
// the listener stays readable: close something, or stop watching it for a while.
Result<std::optional<UniqueFd>> Accept(const UniqueFd& listener);

// The peer: who connected (seen from the listening side) or who listens (seen from the other), at
// that moment.
struct Peer {
  pid_t pid;  // may be reused by now; the pidfd can't be
  uid_t uid;
  gid_t gid;
  UniqueFd pidfd;  // for Process::Adopt; none before Linux 6.5, and maybe none for a dead peer
};
Result<Peer> PeerOf(const UniqueFd& connection);

// The client side of a line protocol over a Unix socket, with one time limit on all its waits, so
// that it never hangs with the other side.

class LineSocket {
 public:
  // All calls together take at most `limit`; then kBusy. No listener: kNotFound. The path may be of
  // any length.
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
