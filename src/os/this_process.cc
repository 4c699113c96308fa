#include "os/this_process.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <climits>

#include "base/text.h"

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

namespace {

constexpr std::uintptr_t kDeepest = std::uintptr_t{128} << 10U;

// The stack grows down and never shrinks. The pages far below this frame are unused.
[[gnu::noinline]] void ReturnStack() {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t end = (here / page - 1) * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  (void)madvise(reinterpret_cast<void*>(end - kDeepest), kDeepest, MADV_DONTNEED);
}

}  // namespace

void ReturnFreeMemory() {
  (void)malloc_trim(0);
  ReturnStack();
}

namespace {

constexpr std::size_t kMostBytes = 65536;
constexpr std::string_view kLabel = "oom_kill ";
constexpr std::string_view kUnified = "0::";

std::string EventsOfOurGroup(const FileSystem& files) {
  const Result<std::string> groups = files.Read("/proc/self/cgroup", kMostBytes);
  if (!groups) return {};
  for (const std::string_view line : Split(*groups, '\n')) {
    if (!line.starts_with(kUnified)) continue;
    const std::string path = std::string(line.substr(kUnified.size()));
    const Result<std::string> events =
        files.Read("/sys/fs/cgroup" + path + "/memory.events", kMostBytes);
    if (events) return *events;
  }
  return {};
}

}  // namespace

std::uint64_t ParseOomKills(std::string_view text) {
  std::uint64_t count = 0;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.starts_with(kLabel)) continue;
    (void)std::from_chars(line.data() + kLabel.size(), line.data() + line.size(), count);
  }
  return count;
}

std::uint64_t OomKills(const FileSystem& files) {
  const std::string ours = EventsOfOurGroup(files);
  if (!ours.empty()) return ParseOomKills(ours);
  const Result<std::string> machine = files.Read("/proc/vmstat", kMostBytes);
  return machine ? ParseOomKills(*machine) : 0;
}

}  // namespace belay
