#include "os/service_notice.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "os/socket.h"

namespace belay {
namespace {

constexpr std::size_t kLongestSocketPath = 107;  // sockaddr_un has room for no more

std::optional<Duration> Micros(const std::string& text) {
  const auto micros = ParseNumber<std::uint64_t>(text);
  if (!micros || *micros == 0 || *micros > std::uint64_t{1} << 40U) return std::nullopt;
  return std::chrono::microseconds(*micros);
}

}  // namespace

ServiceNotice::ServiceNotice(const Environment& environment)
    : path_(environment.Get("NOTIFY_SOCKET").value_or("")) {
  if (path_.size() > kLongestSocketPath) path_.clear();
  if (path_.empty()) return;
  period_ = Micros(environment.Get("WATCHDOG_USEC").value_or(""));
  socket_ = UniqueFd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Errors are ignored: the service manager notices the silence itself.
void ServiceNotice::Send(std::string_view text) const {
  if (path_.empty() || !socket_) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (path_[0] == '@') address.sun_path[0] = '\0';  // an abstract address
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  (void)sendto(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), length);
}

}  // namespace belay
