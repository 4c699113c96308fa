// A promise that the code makes to itself. When it is broken the program is wrong, whatever the
// input was, so it stops at once, before it can act on what it no longer understands.

#ifndef BELAY_BASE_CHECK_H_
#define BELAY_BASE_CHECK_H_

namespace belay {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace belay

#define BELAY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::belay::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // BELAY_BASE_CHECK_H_
