#include "os/file_limit.h"

namespace belay {
namespace {

// The limit is one for the whole process, and so is what it was.
std::optional<rlimit>& Before() {
  static std::optional<rlimit> before;
  return before;
}

}  // namespace

void RaiseFileLimit() {
  rlimit limit{};
  if (Before() || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  rlimit raised = limit;
  raised.rlim_cur = raised.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) Before() = limit;
}

FileLimitOfBefore::FileLimitOfBefore() {
  rlimit limit{};
  if (!Before() || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (setrlimit(RLIMIT_NOFILE, &*Before()) == 0) raised_ = limit;
}

FileLimitOfBefore::~FileLimitOfBefore() {
  if (raised_) (void)setrlimit(RLIMIT_NOFILE, &*raised_);
}

}  // namespace belay
