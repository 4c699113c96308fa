#include "merge/ref_guard.h"

#include <fmt/core.h>

#include "base/text.h"

namespace belay {
namespace {

std::string Short(std::string_view id) { return std::string(id.substr(0, 10)); }

}  // namespace

bool IsAllZeros(std::string_view id) {
  return !id.empty() && id.find_first_not_of('0') == std::string_view::npos;
}

bool ChangesNothing(const RefUpdate& update) {
  return update.from == update.to && !IsAllZeros(update.to);
}

std::vector<RefUpdate> ParseRefUpdates(std::string_view text) {
  std::vector<RefUpdate> updates;
  text = text.substr(0, text.rfind('\n') + 1);
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos) continue;
    updates.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1),
                       line.substr(second + 1)});
  }
  return updates;
}

bool MayMove(const RefUpdate& update, const RefValues& values, const MergeTarget& target) {
  const bool any = IsAllZeros(update.from);
  const std::string_view from = any ? std::string_view(values.present().text()) : update.from;
  if (IsAllZeros(update.to)) {
    if (any) return values.present().IsNone();
    return values.packed.text() == from && values.present().text() == from;
  }
  if (update.to == from) return true;
  return target.move && target.move->from == from && target.move->to == update.to;
}

ObjectId FindPackedRef(std::string_view packed_refs, std::string_view name) {
  for (std::size_t at = packed_refs.find(name); at != std::string_view::npos;
       at = packed_refs.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool whole = end == packed_refs.size() || packed_refs[end] == '\n';
    if (!whole || at < 2 || packed_refs[at - 1] != ' ') continue;
    const std::size_t line = packed_refs.rfind('\n', at) + 1;  // npos + 1: the first one
    const Result<ObjectId> id = ObjectId::Parse(packed_refs.substr(line, at - 1 - line));
    if (id) return *id;
  }
  return {};
}

Error RefusalOf(const RefUpdate& update, const RefValues& values, std::string_view branch) {
  const std::string now = Short(values.present().text());
  const std::string wish =
      IsAllZeros(update.to)
          ? std::string("it can't be deleted or renamed")
          : fmt::format("only the merge queue moves it, and this would move it to {}",
                        Short(update.to));
  return {ErrorCode::kRefused,
          now.empty() ? fmt::format("{} is protected: {}", branch, wish)
                      : fmt::format("{} is protected and stays at {}: {}", branch, now, wish),
          "belay merge-queue add BRANCH lands work on it; a person can run BELAY_OVERRIDE=1 git "
          "..., or belay merge-queue unprotect"};
}

}  // namespace belay
