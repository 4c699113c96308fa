#include "adapters/git/conflict_ranges.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "adapters/git/fields.h"
#include "base/split.h"

namespace belay {
namespace {

std::size_t End(const LineRange& range) { return range.first + range.lines; }

// Git compares no files that have more lines than 32 bits can count.
bool ReadNumber(std::string_view& text, std::size_t& number) {
  std::uint32_t small = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), small);
  if (problem != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  number = small;
  return true;
}

// "12,3" or "12", which is one line. "12,0" is the place behind line 12.
std::optional<LineRange> ReadRange(std::string_view& text) {
  LineRange range{0, 1};
  if (!ReadNumber(text, range.first)) return std::nullopt;
  if (text.starts_with(',')) {
    text.remove_prefix(1);
    if (!ReadNumber(text, range.lines)) return std::nullopt;
  }
  if (range.lines == 0) ++range.first;
  return range;
}

// "@@ -1,2 +3 @@ ..."
std::optional<DiffHunk> ReadHeadline(std::string_view line) {
  constexpr std::string_view kStart = "@@ -";
  line.remove_prefix(kStart.size());
  const std::optional<LineRange> base = ReadRange(line);
  if (!base || !line.starts_with(" +")) return std::nullopt;
  line.remove_prefix(2);
  const std::optional<LineRange> now = ReadRange(line);
  if (!now || !line.starts_with(" @@")) return std::nullopt;
  return DiffHunk{*base, *now, {}};
}

// There are unchanged lines between two hunks, as many on both sides.
bool Follows(const DiffHunk& hunk, const DiffHunk* before) {
  if (hunk.base.first == 0 || hunk.now.first == 0) return false;
  if (before == nullptr) return hunk.base.first == hunk.now.first;
  return hunk.base.first > End(before->base) && hunk.now.first > End(before->now) &&
         hunk.base.first - End(before->base) == hunk.now.first - End(before->now);
}

// A file without an end of its last line differs from one with it, and the marker says so.
bool IsContent(std::string_view line) { return line.starts_with('+') || line.starts_with('\\'); }

Result<std::vector<DiffHunk>> Diff(const MergeRoom& room, const ObjectId& base,
                                   const ObjectId& now) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   room.Run({.arguments = {"diff", "-U0", "--histogram", "--no-ext-diff",
                                           "--no-textconv", "--no-color", "--no-indent-heuristic",
                                           "--inter-hunk-context=0", base.text(), now.text()}}));
  return ParseHunks(answer.out);
}

Result<ObjectId> EmptyBlob(const MergeRoom& room) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   room.Run({.arguments = {"hash-object", "-w", "-t", "blob", "--stdin"},
                             .input = InputOf("")}));
  Fields fields(answer.out, "hash-object");
  return fields.IdUntil('\n');
}

// Hunks that belong together, of one side, and the lines of the base that all sides of the group
// cover: as lines of this side.
LineRange InSide(std::span<const DiffHunk> hunks, std::size_t start, std::size_t end) {
  const DiffHunk& first = hunks.front();
  const DiffHunk& last = hunks.back();
  const std::size_t from = first.now.first - (first.base.first - start);
  return {from, End(last.now) + (end - End(last.base)) - from};
}

void DropTwins(std::vector<DiffHunk>& ours, std::vector<DiffHunk>& theirs) {
  const std::vector<DiffHunk> all = ours;
  const auto is_in = [](const std::vector<DiffHunk>& list, const DiffHunk& hunk) {
    return std::any_of(list.begin(), list.end(), [&](const DiffHunk& other) {
      return other.base == hunk.base && other.text == hunk.text;
    });
  };
  std::erase_if(ours, [&](const DiffHunk& hunk) { return is_in(theirs, hunk); });
  std::erase_if(theirs, [&](const DiffHunk& hunk) { return is_in(all, hunk); });
}

// Takes hunks off the front of a side as long as they touch what is covered so far.
std::size_t Extend(std::span<const DiffHunk> hunks, std::size_t taken, std::size_t& end) {
  while (taken < hunks.size() && hunks[taken].base.first <= end) {
    end = std::max(end, End(hunks[taken].base));
    ++taken;
  }
  return taken;
}

}  // namespace

Result<std::vector<DiffHunk>> ParseHunks(std::string_view diff) {
  std::vector<DiffHunk> hunks;
  for (const std::string_view line : Split(diff, '\n')) {
    if (line.starts_with("@@ -")) {
      std::optional<DiffHunk> hunk = ReadHeadline(line);
      if (!hunk || !Follows(*hunk, hunks.empty() ? nullptr : &hunks.back())) {
        return Fields(line, "diff").Damaged("no such hunk");
      }
      hunks.push_back(*std::move(hunk));
    } else if (!hunks.empty() && IsContent(line)) {
      hunks.back().text.append(line).append("\n");
    }
  }
  return hunks;
}

std::vector<ConflictRange> GroupHunks(std::span<const DiffHunk> ours,
                                      std::span<const DiffHunk> theirs) {
  std::vector<DiffHunk> a(ours.begin(), ours.end());
  std::vector<DiffHunk> b(theirs.begin(), theirs.end());
  DropTwins(a, b);
  std::span<const DiffHunk> rest_a(a);
  std::span<const DiffHunk> rest_b(b);
  std::vector<ConflictRange> ranges;
  while (!rest_a.empty() && !rest_b.empty()) {
    const std::size_t start = std::min(rest_a[0].base.first, rest_b[0].base.first);
    std::size_t end = start;
    std::size_t from_a = 0;
    std::size_t from_b = 0;
    for (std::size_t before = 1; before != from_a + from_b;) {
      before = from_a + from_b;
      from_a = Extend(rest_a, from_a, end);
      from_b = Extend(rest_b, from_b, end);
    }
    if (from_a > 0 && from_b > 0) {
      ranges.push_back(
          {InSide(rest_a.first(from_a), start, end), InSide(rest_b.first(from_b), start, end)});
    }
    rest_a = rest_a.subspan(from_a);
    rest_b = rest_b.subspan(from_b);
  }
  return ranges;
}

Result<std::vector<ConflictRange>> FindConflictRanges(const MergeRoom& room,
                                                      const ThreeBlobs& blobs) {
  ObjectId base = blobs.base;
  if (base.IsNone()) {
    BELAY_TRY_ASSIGN(base, EmptyBlob(room));
  }
  BELAY_TRY_ASSIGN(const std::vector<DiffHunk> ours, Diff(room, base, blobs.ours));
  BELAY_TRY_ASSIGN(const std::vector<DiffHunk> theirs, Diff(room, base, blobs.theirs));
  return GroupHunks(ours, theirs);
}

}  // namespace belay
