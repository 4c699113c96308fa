#include "os/line_socket.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>

#include "base/path.h"
#include "os/clock.h"
#include "os/socket.h"

namespace belay {
namespace {

constexpr std::size_t kPiece = 4096;

}  // namespace

Result<LineSocket> LineSocket::Connect(const std::string& path, Duration limit) {
  BELAY_TRY_ASSIGN(UniqueFd socket,
                   ConnectUnixIn(std::string(ParentPath(path)), std::string(FileName(path))));
  return LineSocket(std::move(socket), SystemClock().Monotonic() + limit, path);
}

Error LineSocket::Late() const {
  return {ErrorCode::kBusy, fmt::format("{}: no answer in time", path_),
          "whoever listens there is stopped or hangs"};
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
    char piece[kPiece];
    const ssize_t count = recv(socket_.get(), piece, sizeof(piece), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) return SystemError("read from " + path_, errno);
    if (count == 0) {
      return Error{ErrorCode::kNotFound, fmt::format("{}: the other side is gone", path_)};
    }
    received_.append(piece, static_cast<std::size_t>(count));
  }
}

}  // namespace belay
