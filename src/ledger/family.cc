#include "ledger/family.h"

#include <fmt/core.h>

#include <algorithm>

#include "codec/json.h"
#include "model/project.h"

namespace belay {
namespace {

// Members that are noise in a line for people.
constexpr std::string_view kLeftOut[] = {"at",     "kind",     "seq",  "compacted",
                                         "commit", "worktree", "bytes"};

}  // namespace

RecordText KindAndWhy(const Json& record) {
  return {.who = {}, .what = TextIn(record, "kind"), .why = TextIn(record, "why")};
}

Json EditedNote(WallTime at, std::string_view file, std::string_view kept_as) {
  return EditedRecord(at, file, kept_as);
}

bool IsEditedNote(const Json& record) { return TextIn(record, "kind") == "edited"; }

RecordText PlainRecordText(const Json& record) {
  return {.who = {}, .what = TextIn(record, "kind"), .why = SingleValues(record)};
}

// A string unchanged, anything else as JSON; objects and lists are too long for a line.
std::string SingleValues(const Json& record) {
  std::string text;
  for (const JsonMember& member : *record.AsObject()) {
    const bool single = member.value.AsObject() == nullptr && member.value.AsArray() == nullptr;
    if (!single || std::ranges::find(kLeftOut, member.key) != std::end(kLeftOut)) continue;
    const std::string* string = member.value.AsString();
    text += fmt::format("{}{}: {}", text.empty() ? "" : "  ", member.key,
                        string != nullptr ? *string : WriteJson(member.value));
  }
  return text;
}

}  // namespace belay
