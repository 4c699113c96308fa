// Who gets how much of too little room: pure arithmetic, in whatever unit the caller counts.

#ifndef BELAY_PROMPT_BUDGET_H_
#define BELAY_PROMPT_BUDGET_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace belay {

struct Demand {
  int rank;              // 1 matters most; among equals the earlier one does
  std::size_t left_out;  // what it takes to say that it was left out
  std::size_t least;     // less isn't worth having
  std::size_t wanted;    // at least `least`
};

// What each demand gets, from `least` to `wanted`, in their order; nothing for those left out.
//
// A demand is left out only when its least doesn't fit although all that matter less are left out.
// What remains then goes to those that matter most, up to what they want: so the least important
// are cut first. The sum, with `left_out` for those left out, exceeds `room` only if all of them
// left out would.
std::vector<std::optional<std::size_t>> ShareOut(std::span<const Demand> demands, std::size_t room);

}  // namespace belay

#endif  // BELAY_PROMPT_BUDGET_H_
