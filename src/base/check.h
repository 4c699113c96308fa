// An invariant of the code itself. A violation is a bug, whatever the input was, so the program
// aborts before it acts on a state that it doesn't understand.

#ifndef BELAY_BASE_CHECK_H_
#define BELAY_BASE_CHECK_H_

namespace belay {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace belay

#define BELAY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::belay::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // BELAY_BASE_CHECK_H_
