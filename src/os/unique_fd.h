// A file descriptor that closes itself.

#ifndef BELAY_OS_UNIQUE_FD_H_
#define BELAY_OS_UNIQUE_FD_H_

#include <unistd.h>

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
  // For readers; a writer that cares about the outcome syncs first.
  void Reset() {
    if (fd_ >= 0) Close(std::exchange(fd_, -1));
  }

 private:
  static void Close(int fd);  // not in line: whoever owns a descriptor needn't call the kernel

  int fd_ = -1;
};

}  // namespace belay

#endif  // BELAY_OS_UNIQUE_FD_H_
