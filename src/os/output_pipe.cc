#include "os/output_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace belay {
namespace {

constexpr int kWide = 1 << 20;  // what the kernel allows everybody, unless it was told otherwise

}  // namespace

Result<OutputPipe> OutputPipe::Make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
  OutputPipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  // Ours alone: the flag is of the open end, and the other end is a different one.
  if (fcntl(pipe.ours(), F_SETFL, O_NONBLOCK) != 0) return SystemError("fcntl", errno);
  return pipe;
}

void OutputPipe::Widen() const { (void)fcntl(ours(), F_SETPIPE_SZ, kWide); }

OutputPipe::Piece OutputPipe::Read(char* buffer, std::size_t size) const {
  const ssize_t count = read(ours(), buffer, size);
  if (count > 0) return {{buffer, static_cast<std::size_t>(count)}};
  return {.bytes = {}, .ended = count == 0 || (errno != EAGAIN && errno != EINTR)};
}

}  // namespace belay
