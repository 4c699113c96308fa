#include "os/socket.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/path.h"
#include "os/clock.h"

namespace belay {
namespace {

constexpr int kSoPeerPidfd = 77;  // Debian 12's headers are older
constexpr int kBacklog = 128;

Error Refused(const std::string& what, std::string_view reason) {
  return {ErrorCode::kRefused, fmt::format("{}: {}", what, reason)};
}

Error Busy(const std::string& what, std::string_view reason) {
  return {ErrorCode::kBusy, fmt::format("{}: {}", what, reason)};
}

// `path` is of PlaceIn, and so short enough.
sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

UniqueFd NewSocket() {
  return UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// 0, or an errno. A unix socket connects immediately or not at all, so it needn't wait.
int Connect(const UniqueFd& fd, const sockaddr_un& address) {
  return connect(fd.get(), Generic(address), sizeof(address)) == 0 ? 0 : errno;
}

int Bind(const UniqueFd& fd, const sockaddr_un& address) {
  return bind(fd.get(), Generic(address), sizeof(address)) == 0 ? 0 : errno;
}

// An open folder, and the socket's name under it: short, however long the path.
struct Place {
  UniqueFd folder;
  std::string path;
};

Result<Place> PlaceIn(const std::string& what, const std::string& folder, const std::string& name) {
  const bool is_name =
      !name.empty() && name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  if (!is_name || name.size() > kLongestSocketName) return Refused(what, "not a name for a socket");
  UniqueFd fd(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return SystemError(what, errno);
  std::string path = fmt::format("/proc/self/fd/{}/{}", fd.get(), name);
  return Place{std::move(fd), std::move(path)};
}

Result<void> RemoveSocket(const std::string& what, const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return SystemError(what, errno);
  if (!S_ISSOCK(info.st_mode)) return Refused(what, "the path exists and is not a socket");
  if (unlink(path.c_str()) != 0) return SystemError(what, errno);
  return {};
}

Result<UniqueFd> ConnectTo(const std::string& what, const sockaddr_un& address) {
  UniqueFd fd = NewSocket();
  if (!fd) return SystemError(what, errno);
  const int error = Connect(fd, address);
  if (error == EAGAIN) return Busy(what, "too many connections are waiting");
  if (error == ECONNREFUSED)
    return Error{ErrorCode::kNotFound, what + ": no process is listening there"};
  if (error != 0) return SystemError(what, error);
  if (fcntl(fd.get(), F_SETFL, 0) != 0) return SystemError(what, errno);
  return fd;
}

}  // namespace

Result<UniqueFd> ListenUnixIn(const std::string& folder, const std::string& name) {
  const std::string what = fmt::format("listen at {}", JoinPath(folder, name));
  BELAY_TRY_ASSIGN(const Place place, PlaceIn(what, folder, name));
  const sockaddr_un address = AddressOf(place.path);
  UniqueFd fd = NewSocket();
  // bind gives the file the mode of the socket.
  if (!fd || fchmod(fd.get(), 0600) != 0) return SystemError(what, errno);
  int error = Bind(fd, address);
  if (error == EADDRINUSE) {
    BELAY_TRY(RemoveSocket(what, place.path));
    error = Bind(fd, address);
  }
  if (error != 0) return SystemError(what, error);
  if (listen(fd.get(), kBacklog) != 0) return SystemError(what, errno);
  return fd;
}

Result<UniqueFd> ConnectUnixIn(const std::string& folder, const std::string& name) {
  const std::string what = fmt::format("connect to {}", JoinPath(folder, name));
  BELAY_TRY_ASSIGN(const Place place, PlaceIn(what, folder, name));
  const sockaddr_un address = AddressOf(place.path);
  return ConnectTo(what, address);
}

std::optional<std::size_t> SendSome(const UniqueFd& connection, std::string_view bytes) {
  ssize_t count = 0;
  while ((count = send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)) <
             0 &&
         errno == EINTR) {
  }
  if (count >= 0) return static_cast<std::size_t>(count);
  return errno == EAGAIN ? std::optional<std::size_t>(0) : std::nullopt;
}

bool ReceiveSome(const UniqueFd& connection, std::size_t most, std::string& bytes) {
  const std::size_t before = bytes.size();
  bytes.resize(before + most);
  ssize_t count = 0;
  while ((count = recv(connection.get(), bytes.data() + before, most, MSG_DONTWAIT)) < 0 &&
         errno == EINTR) {
  }
  const bool open = count > 0 || (count < 0 && errno == EAGAIN);
  bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return open;
}

bool AwaitReadable(const UniqueFd& connection, Duration limit) {
  const SystemClock clock;
  const MonotonicTime end = clock.Monotonic() + limit;
  pollfd ready{connection.get(), POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock.Monotonic()).count();
    const int count = poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    if (count > 0) return true;
    if (left <= 0) return false;
  }
}

Result<std::optional<UniqueFd>> Accept(const UniqueFd& listener) {
  UniqueFd fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd) return std::optional(std::move(fd));
  const bool none = errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
  if (none) return std::optional<UniqueFd>();
  return SystemError("accept a connection", errno);
}

Result<Peer> PeerOf(const UniqueFd& connection) {
  ucred who{};
  socklen_t size = sizeof(who);
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
    return SystemError("identify the peer", errno);
  }
  int pidfd = -1;
  size = sizeof(pidfd);
  (void)getsockopt(connection.get(), SOL_SOCKET, kSoPeerPidfd, &pidfd, &size);
  return Peer{who.pid, who.uid, who.gid, UniqueFd(pidfd)};
}

namespace {

constexpr std::size_t kReadPiece = 4096;

}  // namespace

Result<LineSocket> LineSocket::Connect(const std::string& path, Duration limit) {
  BELAY_TRY_ASSIGN(UniqueFd socket,
                   ConnectUnixIn(std::string(ParentPath(path)), std::string(FileName(path))));
  return LineSocket(std::move(socket), SystemClock().Monotonic() + limit, path);
}

Error LineSocket::Late() const {
  return {ErrorCode::kBusy, fmt::format("{}: no answer in time", path_),
          "the process that listens there is stopped or hung"};
}

Result<void> LineSocket::WaitFor(short events) const {
  while (true) {
    const Duration left = until_ - SystemClock().Monotonic();
    if (left <= Duration::zero()) return Late();
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    pollfd entry{socket_.get(), events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(wait));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return SystemError("wait for " + path_, errno);
  }
}

Result<void> LineSocket::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    BELAY_TRY(WaitFor(POLLOUT));
    const ssize_t sent =
        send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent < 0) return SystemError("write to " + path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<std::string> LineSocket::ReceiveLine(std::size_t most) {
  while (true) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > most) {
      return Error{ErrorCode::kDamaged, fmt::format("{}: a line is too long", path_)};
    }
    BELAY_TRY(WaitFor(POLLIN));
    char piece[kReadPiece];
    const ssize_t count = recv(socket_.get(), piece, sizeof(piece), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) return SystemError("read from " + path_, errno);
    if (count == 0) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{}: the other side closed the connection", path_)};
    }
    received_.append(piece, static_cast<std::size_t>(count));
  }
}

}  // namespace belay
