// What went wrong, in one of six ways.
//
// The codes are closed: scripts see them by name in `--json` and by number as the exit code, and
// nothing else decides how a command ends. A message names the operation, the object and the reason
// ("rename hooks/a.json.tmp: No space left on device"); the hint, if any, says what to do about it.
// Library code returns errors and never prints them; the command line prints each one once.

#ifndef BELAY_BASE_ERROR_H_
#define BELAY_BASE_ERROR_H_

#include <string>
#include <string_view>

namespace belay {

enum class ErrorCode {
  kFailed,    // exit 1: it was tried and did not work
  kUsage,     // exit 2: wrong command line or configuration
  kNotFound,  // exit 3: what was named is not there
  kRefused,   // exit 4: a rule forbids it
  kDamaged,   // exit 5: data that can't be trusted, or of a newer version
  kBusy,      // exit 75: held by somebody else; try later
};

std::string_view ErrorCodeName(ErrorCode code);
int ExitCode(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;
  std::string hint = {};

  // The same error seen from further out: "`object`: message".
  Error In(std::string_view object) &&;
};

// From an errno value: "`what`: No such file or directory". ENOENT and ENOTDIR become kNotFound,
// all others kFailed. A disk that is full, read-only or broken, a right that is missing and too
// many open files come with a hint; for a call that means something else by these, the caller sets
// its own.
Error SystemError(std::string_view what, int errno_value);

}  // namespace belay

#endif  // BELAY_BASE_ERROR_H_
