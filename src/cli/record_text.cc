#include "cli/record_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/delivery.h"
#include "model/hook.h"
#include "model/identity_book.h"
#include "model/json_fields.h"
#include "model/merge_book.h"
#include "model/taint.h"

namespace belay {
namespace {

// Members that a line for people is clearer without.
constexpr std::string_view kLeftOut[] = {"at", "kind", "seq", "commit", "worktree", "bytes"};

// A string as it is, anything else as JSON; what holds other values is too long for a line.
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

void ReadIdentity(const Json& record, RecordText& text) {
  const Json* identity = record.Find("identity");
  text.who = TextIn(identity != nullptr ? *identity : record, "agent_id");
}

std::string LatestNote(const Json& hook) {
  const Json* notes = hook.Find("notes");
  const Json::Array* list = notes != nullptr ? notes->AsArray() : nullptr;
  return list == nullptr || list->empty() ? std::string() : TextIn(list->back(), "text");
}

void ReadHook(const Json& record, RecordText& text) {
  const Json* hook = record.Find("hook");
  if (hook == nullptr) return;
  text.who = TextIn(*hook, "identity_name");
  const Json* incarnation = hook->Find("incarnation");
  if (incarnation != nullptr && incarnation->AsInteger() != nullptr) {
    text.who += fmt::format("#{}", *incarnation->AsInteger());
  }
  const std::string said = text.what == "phase"  ? TextIn(*hook, "work_phase")
                           : text.what == "note" ? LatestNote(*hook)
                                                 : std::string();
  if (!said.empty()) text.why = fmt::format("{} ({})", said, text.why);
}

void ReadTaint(const Json& record, RecordText& text) {
  text.who = TextIn(record, "session");
  const Json* source = record.Find("source");
  if (text.why.empty() && source != nullptr) {
    text.why = fmt::format("it read {}", TextIn(*source, "path"));
  }
  if (text.what == "inherited") text.why = fmt::format("from {}", TextIn(record, "from"));
}

void ReadDelivery(const Json& record, RecordText& text) {
  text.who = TextIn(record, "agent_id");
  if (const Result<Delivery> delivery = DeliveryFromRecord(record)) {
    text.why = DeliveryText(*delivery);
  }
}

// "testing  m3 login: it fits the target"
void ReadMerge(const Json& record, RecordText& text) {
  const Json* entry = record.Find("entry");
  const Json* target = record.Find("target");
  if (entry != nullptr) {
    text.who = TextIn(*entry, "identity_name");
    text.what = TextIn(*entry, "status");
    text.why =
        fmt::format("{} {}: {}", TextIn(*entry, "entry_id"), TextIn(*entry, "branch"), text.why);
  } else if (target != nullptr) {
    text.why = fmt::format("{}: {}", TextIn(*target, "branch"), text.why);
  } else {
    text.why = SingleValues(record);
  }
}

}  // namespace

RecordText ReadRecordText(std::string_view journal, const Json& record) {
  RecordText text{.who = {}, .what = TextIn(record, "kind"), .why = TextIn(record, "why")};
  if (journal == kIdentityJournal) {
    ReadIdentity(record, text);
  } else if (journal == kHookJournal) {
    ReadHook(record, text);
  } else if (journal == kTaintJournal) {
    ReadTaint(record, text);
  } else if (journal == kDeliveryJournal) {
    ReadDelivery(record, text);
  } else if (journal == kMergeJournal) {
    ReadMerge(record, text);
  } else {
    text.why = SingleValues(record);
  }
  return text;
}

}  // namespace belay
