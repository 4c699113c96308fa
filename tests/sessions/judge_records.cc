#include <fmt/core.h>

#include <algorithm>

#include "model/hook.h"
#include "model/identity_book.h"
#include "sessions/judge.h"

namespace belay {
namespace {

const Json::Array& ListIn(const Json& record, std::string_view key) {
  static const Json::Array kNone;
  const Json* value = record.Find(key);
  return value != nullptr && value->AsArray() != nullptr ? *value->AsArray() : kNone;
}

std::string ValueText(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value == nullptr ? "" : WriteJson(*value);
}

std::uint32_t IncarnationOf(const Json& row) {
  const Json* value = row.Find("incarnation");
  return value != nullptr && value->AsInteger() != nullptr
             ? static_cast<std::uint32_t>(*value->AsInteger())
             : 0;
}

bool IsPresent(const Json& row) { return ValueText(row, "present") == "true"; }

}  // namespace

Problems JudgeAgents(const Json& before, const Json& after) {
  std::map<std::string, const Json*> now;       // by agent id
  std::map<std::string, std::uint32_t> latest;  // by identity
  for (const Json& row : ListIn(after, "agents")) {
    now[ValueText(row, "agent_id")] = &row;
    std::uint32_t& number = latest[ValueText(row, "identity_name")];
    number = std::max(number, IncarnationOf(row));
  }
  Problems problems;
  for (const Json& row : ListIn(before, "agents")) {
    const std::string id = ValueText(row, "agent_id");
    const auto found = now.find(id);
    const std::uint32_t present = latest[ValueText(row, "identity_name")];
    if (found == now.end() && IncarnationOf(row) + kMostHistory < present) continue;
    if (found == now.end()) {
      problems.push_back({Problem::Kind::kLost, id + " is no longer recorded"});
      continue;
    }
    for (const std::string_view key : {"created_at", "predecessor_id", "worktree_path", "host"}) {
      if (ValueText(row, key) == ValueText(*found->second, key)) continue;
      problems.push_back({Problem::Kind::kWrong, fmt::format("{} of {} has changed", key, id)});
    }
    if (IsPresent(row) || row == *found->second) continue;
    // Its colour goes with the time; what is recorded doesn't.
    Json old = row;
    Json same = *found->second;
    old.Remove("color");
    same.Remove("color");
    if (old != same) problems.push_back({Problem::Kind::kWrong, id + " had ended and has changed"});
  }
  return problems;
}

Problems JudgeNotes(const Json& before, const Json& after) {
  const Json::Array& old = ListIn(before, "notes");
  const Json::Array& now = ListIn(after, "notes");
  // Only where there are as many as are kept, some of the oldest may have gone.
  const std::size_t most_dropped = now.size() == Hook::kMostNotes ? old.size() : 0;
  for (std::size_t dropped = 0; dropped <= most_dropped; ++dropped) {
    const auto first = old.begin() + static_cast<std::ptrdiff_t>(dropped);
    const bool fits = old.size() - dropped <= now.size();
    if (fits && std::equal(first, old.end(), now.begin())) return {};
  }
  return {{Problem::Kind::kLost, fmt::format("of {} notes some are gone", old.size())}};
}

}  // namespace belay
