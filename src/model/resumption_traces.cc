#include "model/resumption_traces.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::size_t kTraceDigits = 12;

// Every single value with its place. Where a value stands in a list doesn't matter: a person may
// have added another one.
void AddLeaves(const Json& value, const std::string& place, std::set<std::string>& leaves) {
  if (const Json::Object* members = value.AsObject()) {
    for (const JsonMember& member : *members) {
      AddLeaves(member.value, place + "/" + member.key, leaves);
    }
    return;
  }
  const Json::Array* items = value.AsArray();
  if (items == nullptr) {
    leaves.insert(place + "=" + WriteJson(value));
    return;
  }
  std::map<std::string, int> seen;
  for (const Json& item : *items) {
    std::string text = WriteJson(item);
    const int number = ++seen[text];
    leaves.insert(fmt::format("{}[{}]={}", place, number, text));
  }
}

std::set<std::string> LeavesOf(const Resumption& section, ResumptionPart part) {
  std::set<std::string> leaves;
  AddLeaves(section[part], std::string(ResumptionPartName(part)), leaves);
  return leaves;
}

std::string TraceOf(std::string_view leaf) { return Sha256Hex(leaf).substr(0, kTraceDigits); }

}  // namespace

std::vector<std::string> TracesOf(const Resumption& before, const Resumption& after) {
  std::vector<std::string> traces;
  for (const ResumptionPart part : AllResumptionParts()) {
    if (before[part] == after[part]) continue;
    const std::set<std::string> old = LeavesOf(before, part);
    for (const std::string& leaf : LeavesOf(after, part)) {
      if (!old.contains(leaf) && traces.size() < kMostTraces) traces.push_back(TraceOf(leaf));
    }
  }
  return traces;
}

bool HasTraces(const Resumption& section, const std::vector<std::string>& traces) {
  std::set<std::string> there;
  for (const ResumptionPart part : AllResumptionParts()) {
    for (const std::string& leaf : LeavesOf(section, part)) there.insert(TraceOf(leaf));
  }
  const auto found =
      std::ranges::count_if(traces, [&](const std::string& one) { return there.contains(one); });
  return static_cast<std::size_t>(found) * 2 >= traces.size();
}

}  // namespace belay
