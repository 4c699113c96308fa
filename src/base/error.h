// Why an operation failed, as one of six codes.
//
// The set of codes is closed: scripts see them by name in `--json` and as exit codes. A message
// names the operation, the object and the reason ("rename hooks/a.json.tmp: No space left on
// device"); the hint, if any, tells the user what to do. Library code returns errors and never
// prints them; the command line prints each one once.

#ifndef BELAY_BASE_ERROR_H_
#define BELAY_BASE_ERROR_H_

#include <string>
#include <string_view>

namespace belay {

enum class ErrorCode {
  kFailed,    // exit 1: the operation failed
  kUsage,     // exit 2: wrong command line or configuration
  kNotFound,  // exit 3: the named object doesn't exist
  kRefused,   // exit 4: a rule forbids it
  kDamaged,   // exit 5: damaged data, or data of a newer version
  kBusy,      // exit 75: another process holds it; try later
};

std::string_view ErrorCodeName(ErrorCode code);
int ExitCode(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;
  std::string hint = {};

  // Adds context: "`object`: message".
  Error In(std::string_view object) &&;
};

// From an errno value: "`what`: No such file or directory". ENOENT and ENOTDIR become kNotFound,
// all others kFailed. A full, read-only or broken disk, a missing permission and too many open
// files get a hint; a caller for which these mean something else sets its own.
Error SystemError(std::string_view what, int errno_value);

}  // namespace belay

#endif  // BELAY_BASE_ERROR_H_
