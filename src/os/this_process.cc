#include "os/this_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <climits>

namespace belay {
namespace {

constexpr std::size_t kMostStatus = 65536;
constexpr std::string_view kUmaskLabel = "\nUmask:\t";

}  // namespace

std::int64_t ThisProcess() { return getpid(); }
std::uint32_t ThisUser() { return geteuid(); }

bool ForkIntoBackground() {
  const pid_t child = fork();
  if (child != 0) return false;
  (void)setsid();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (nothing < 0 || dup2(nothing, fd) < 0) _exit(1);  // a reader would wait for its end
  }
  return true;
}

std::uint32_t FileCreationMask(const FileSystem& files) {
  std::uint32_t mask = 022;
  const Result<std::string> status = files.Read("/proc/self/status", kMostStatus);
  if (!status) return mask;
  const std::size_t at = status->find(kUmaskLabel);
  if (at == std::string::npos) return mask;
  const char* digits = status->data() + at + kUmaskLabel.size();
  (void)std::from_chars(digits, status->data() + status->size(), mask, 8);
  return mask;
}

std::string CurrentFolder() {
  char buffer[PATH_MAX];
  return getcwd(buffer, sizeof(buffer)) == nullptr ? "/proc/self/cwd" : buffer;
}

namespace {

// The limit applies to the whole process, and so does the original one.
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

OriginalFileLimit::OriginalFileLimit() {
  rlimit limit{};
  if (!Before() || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (setrlimit(RLIMIT_NOFILE, &*Before()) == 0) raised_ = limit;
}

OriginalFileLimit::~OriginalFileLimit() {
  if (raised_) (void)setrlimit(RLIMIT_NOFILE, &*raised_);
}

}  // namespace belay
