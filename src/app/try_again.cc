#include "app/try_again.h"

#include <fmt/core.h>

namespace belay {

Error GoneAgainAndAgain(const Error& last) {
  return {ErrorCode::kBusy,
          fmt::format("{}: somebody is setting up or taking out belay here", last.message),
          "try again in a moment"};
}

}  // namespace belay
