// What the campaign finds wrong.

#ifndef BELAY_SESSIONS_PROBLEM_H_
#define BELAY_SESSIONS_PROBLEM_H_

#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace belay {

struct Problem {
  enum class Kind {
    kTorn,       // a file that isn't whole
    kLost,       // said to be done, and not there
    kDouble,     // two incarnations at once, or one twice
    kRespawned,  // although it was stopped
    kWrong,      // any other broken promise
  };
  Kind kind;
  std::string text;
};
using Problems = std::vector<Problem>;

inline void MoveInto(Problems& all, Problems some) {
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

}  // namespace belay

#endif  // BELAY_SESSIONS_PROBLEM_H_
