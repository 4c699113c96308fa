#include "os/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace belay {
namespace {

constexpr std::uintptr_t kDeepest = std::uintptr_t{128} << 10U;

// The stack grows down and stays as large as it ever was. What lies far below this frame is
// nobody's.
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

}  // namespace belay
