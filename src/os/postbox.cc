#include "os/postbox.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <utility>

namespace belay {

Result<UniqueFd> Postbox::MakeBell() {
  UniqueFd bell(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell) return SystemError("make an eventfd", errno);
  return bell;
}

void Postbox::Post(EventLoop::Callback callback) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(callback));
  }
  Ring();
}

// It can only fail when it was rung 2^64 times already.
void Postbox::Ring() { (void)eventfd_write(bell_.get(), 1); }

void Postbox::RunAll() {
  eventfd_t rings = 0;
  // Silenced before looking, so that no ring can be missed.
  (void)eventfd_read(bell_.get(), &rings);
  std::vector<EventLoop::Callback> posted;
  {
    const std::scoped_lock lock(mutex_);
    posted.swap(posted_);
  }
  for (const EventLoop::Callback& callback : posted) callback();
}

}  // namespace belay
