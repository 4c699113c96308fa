// Any output of git as two diffs is parsed or refused, and the conflicts between them lie in
// existing lines, one after the other. A line "====" separates the two.

#include <cstdint>
#include <string_view>

#include "adapters/git/merge_trees.h"
#include "base/check.h"

namespace {

using belay::ConflictRange;
using belay::LineRange;

constexpr std::string_view kBetween = "====\n";

constexpr std::size_t kMost = std::size_t{1} << 34U;  // more lines come only of counting below 0

std::size_t End(const LineRange& range) { return range.first + range.lines; }

bool IsSane(const LineRange& range) {
  return range.first > 0 && range.first < kMost && range.lines < kMost;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t between = text.find(kBetween);
  if (between == std::string_view::npos) return 0;
  const auto ours = belay::ParseHunks(text.substr(0, between));
  const auto theirs = belay::ParseHunks(text.substr(between + kBetween.size()));
  for (const auto* hunks : {&ours, &theirs}) {
    if (*hunks) continue;
    BELAY_CHECK(hunks->error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const std::vector<ConflictRange> ranges = belay::GroupHunks(*ours, *theirs);
  const std::vector<ConflictRange> other_way = belay::GroupHunks(*theirs, *ours);
  BELAY_CHECK(ranges.size() == other_way.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ConflictRange& range = ranges[i];
    BELAY_CHECK(range.ours == other_way[i].theirs && range.theirs == other_way[i].ours);
    BELAY_CHECK(IsSane(range.ours) && IsSane(range.theirs));
    if (i == 0) continue;
    BELAY_CHECK(End(ranges[i - 1].ours) <= range.ours.first);
    BELAY_CHECK(End(ranges[i - 1].theirs) <= range.theirs.first);
  }
  return 0;
}
