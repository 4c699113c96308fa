// A file descriptor that closes itself, and whole reads and writes on one.

#ifndef BELAY_OS_FD_H_
#define BELAY_OS_FD_H_

#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Ignores errors: a writer that cares about the outcome syncs first.
  void Reset() {
    if (fd_ >= 0) Close(std::exchange(fd_, -1));
  }

 private:
  static void Close(int fd);  // not inline: it keeps the kernel's headers out of this one

  int fd_ = -1;
};

// Whole reads and writes on a descriptor: they handle interruptions and short counts.

// 0, or the errno of the call that failed.
[[nodiscard]] int WriteAll(int fd, std::string_view bytes);

// Appends to `out` until end of file, or until it holds more than `limit` bytes. 0, or an errno.
[[nodiscard]] int ReadToEnd(int fd, std::size_t limit, std::string& out);

// The same from a writer that may stall: ETIME at the deadline, with what arrived so far in `out`.
// Bytes beyond the limit are read and dropped, so that the writer doesn't block.
[[nodiscard]] int ReadToEndWithin(int fd, std::size_t limit, std::chrono::milliseconds time,
                                  std::string& out);

}  // namespace belay

#endif  // BELAY_OS_FD_H_
