// For steps that other processes may undo at the same time: several processes set up, remove and
// repair a project, and people remove its folders without asking.

#ifndef BELAY_APP_RETRY_H_
#define BELAY_APP_RETRY_H_

#include <fmt/core.h>

#include "base/result.h"

namespace belay {

// The error of a step that never found what it needs: kBusy.
inline Error StillGoneError(const Error& last) {
  return {ErrorCode::kBusy,
          fmt::format("{}: another process is setting up or removing belay here", last.message),
          "try again in a moment"};
}

// Repeats `step`, a bounded number of times, as long as something it needs is gone (kNotFound).
// Each try makes what it can again.
template <class Step>
auto RetryIfGone(Step step) -> decltype(step()) {
  constexpr int kTries = 10;
  auto outcome = step();
  for (int i = 1; !outcome && outcome.error().code == ErrorCode::kNotFound; ++i) {
    if (i == kTries) return StillGoneError(outcome.error());
    outcome = step();
  }
  return outcome;
}

}  // namespace belay

#endif  // BELAY_APP_RETRY_H_
