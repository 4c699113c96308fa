#include "prompt/budget.h"

#include <algorithm>
#include <numeric>

namespace belay {
namespace {

std::vector<std::size_t> ByImportance(std::span<const Demand> demands) {
  std::vector<std::size_t> order(demands.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return demands[a].rank < demands[b].rank; });
  return order;
}

}  // namespace

std::vector<std::optional<std::size_t>> ShareOut(std::span<const Demand> demands,
                                                 std::size_t room) {
  std::vector<std::optional<std::size_t>> granted(demands.size());
  std::size_t used = 0;
  for (const Demand& demand : demands) used += demand.left_out;
  const std::vector<std::size_t> order = ByImportance(demands);
  for (const std::size_t i : order) {
    const std::size_t with_it = used - demands[i].left_out + demands[i].least;
    if (with_it > std::max(room, used)) continue;
    granted[i] = demands[i].least;
    used = with_it;
  }
  std::size_t rest = room - std::min(room, used);
  for (const std::size_t i : order) {
    if (!granted[i]) continue;
    const std::size_t more = std::min(rest, demands[i].wanted - demands[i].least);
    *granted[i] += more;
    rest -= more;
  }
  return granted;
}

}  // namespace belay
