#include "testing/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace belay {
namespace {

constexpr int kBacklog = 128;
constexpr std::size_t kBytesARead = std::size_t{64} << 10U;

sockaddr_in AddressOf(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

Result<LoopbackListener> ListenLoopback() {
  constexpr std::string_view kWhat = "listen at 127.0.0.1";
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = AddressOf(0);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!fd || bind(fd.get(), generic, size) != 0 || listen(fd.get(), kBacklog) != 0 ||
      getsockname(fd.get(), generic, &size) != 0) {
    return SystemError(kWhat, errno);
  }
  return LoopbackListener{std::move(fd), ntohs(address.sin_port)};
}

Result<UniqueFd> ConnectLoopback(std::uint16_t port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = AddressOf(port);
  if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return SystemError("connect to 127.0.0.1", errno);
  }
  return fd;
}

std::int64_t ReadSome(int fd, std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + kBytesARead);
  ssize_t count = 0;
  while ((count = read(fd, out.data() + before, kBytesARead)) < 0 && errno == EINTR) {
  }
  out.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
  return count;
}

}  // namespace belay
