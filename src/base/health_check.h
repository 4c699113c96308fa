// One check of `belay doctor` and its result.

#ifndef BELAY_BASE_HEALTH_CHECK_H_
#define BELAY_BASE_HEALTH_CHECK_H_

#include <string>

#include "base/result.h"

namespace belay {

enum class Verdict {
  kFine,
  kLacking,  // belay works, with less
  kBroken,   // belay can't do its work
};

struct Check {
  std::string name;
  Verdict verdict;
  std::string found;
  std::string cost = {};                // what doesn't work because of it
  std::string fix = {};                 // how to fix it
  ErrorCode code = ErrorCode::kFailed;  // doctor's exit code when this is broken
};

}  // namespace belay

#endif  // BELAY_BASE_HEALTH_CHECK_H_
