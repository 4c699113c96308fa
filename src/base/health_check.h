// One thing that `belay doctor` looked at, and what it found.

#ifndef BELAY_BASE_HEALTH_CHECK_H_
#define BELAY_BASE_HEALTH_CHECK_H_

#include <string>

#include "base/error.h"

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
  std::string cost = {};                // what the lack takes away
  std::string fix = {};                 // what to do about it
  ErrorCode code = ErrorCode::kFailed;  // how doctor ends when this is broken
};

}  // namespace belay

#endif  // BELAY_BASE_HEALTH_CHECK_H_
