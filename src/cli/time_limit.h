// How long a command may wait, as the option --timeout says.

#ifndef BELAY_CLI_TIME_LIMIT_H_
#define BELAY_CLI_TIME_LIMIT_H_

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace belay {

constexpr int kTimeLimitExit = 124;  // as timeout(1) does it

// "30" seconds, or "5m"; nothing: no limit.
Result<std::optional<Duration>> ParseTimeLimit(const std::optional<std::string>& text);

}  // namespace belay

#endif  // BELAY_CLI_TIME_LIMIT_H_
