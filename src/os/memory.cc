#include "os/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace belay {
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
