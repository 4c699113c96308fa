#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace belay {

void CheckFailed(const char* condition, const char* file, int line) {
  (void)std::fprintf(stderr, "belay: internal error at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace belay
