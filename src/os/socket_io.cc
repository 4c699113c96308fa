#include "os/socket_io.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace belay {
namespace {

constexpr std::size_t kPiece = 16384;

}  // namespace

Result<bool> ReceiveSome(const UniqueFd& socket, std::size_t most, std::string& out) {
  char piece[kPiece];
  const ssize_t count = recv(socket.get(), piece, std::min(sizeof(piece), most), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count < 0) return SystemError("receive", errno);
  out.append(piece, static_cast<std::size_t>(count));
  return count > 0;
}

Result<void> SendNow(const UniqueFd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return Error{ErrorCode::kBusy, "send: nobody takes it"};
    if (sent < 0) return SystemError("send", errno);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

}  // namespace belay
