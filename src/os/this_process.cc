#include "os/this_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace belay {
namespace {

constexpr std::size_t kMostStatus = 65536;
constexpr std::string_view kLabel = "\nUmask:\t";

}  // namespace

std::int64_t ThisProcess() { return getpid(); }
std::uint32_t ThisUser() { return geteuid(); }

bool GoOnInBackground() {
  const pid_t child = fork();
  if (child != 0) return false;
  (void)setsid();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (nothing < 0 || dup2(nothing, fd) < 0) _exit(1);  // somebody would wait for its end
  }
  return true;
}

std::uint32_t FileCreationMask(const FileSystem& files) {
  std::uint32_t mask = 022;
  const Result<std::string> status = files.Read("/proc/self/status", kMostStatus);
  if (!status) return mask;
  const std::size_t at = status->find(kLabel);
  if (at == std::string::npos) return mask;
  const char* digits = status->data() + at + kLabel.size();
  (void)std::from_chars(digits, status->data() + status->size(), mask, 8);
  return mask;
}

}  // namespace belay
