// The asking side of a conversation in lines over a Unix socket, with one bound on all its waits:
// nobody hangs because the other side does.

#ifndef BELAY_OS_LINE_SOCKET_H_
#define BELAY_OS_LINE_SOCKET_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "os/unique_fd.h"

namespace belay {

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

#endif  // BELAY_OS_LINE_SOCKET_H_
