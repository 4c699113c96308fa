#include "model/resumption_log.h"

#include <algorithm>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/resumption_traces.h"

namespace belay {
namespace {

Json AppliedJson(const AppliedEvent& event) {
  return MakeObject({{"number", event.number},
                     {"id", event.id},
                     {"trigger", event.trigger},
                     {"at", FormatUtcMicros(event.at)},
                     {"agent", TextOrNull(event.agent)},
                     {"session", TextOrNull(event.session)},
                     {"before", event.before},
                     {"after", event.after}});
}

Json TextsJson(const auto& texts) {
  Json list = Json::EmptyArray();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

Json UnsureJson(const UnsureEvent& update) {
  return MakeObject({{"event", ToJson(update.event)},
                     {"number", update.number},
                     {"agent", TextOrNull(update.agent)},
                     {"session", TextOrNull(update.session)},
                     {"before", update.before},
                     {"after", update.after},
                     {"traces", TextsJson(update.traces)}});
}

Result<UnsureEvent> UnsureFromJson(const Json& record) {
  JsonFields fields(record, "resumption update");
  const Json* event = fields.Object("event");
  UnsureEvent update{.number = fields.Integer("number", 0).value_or(0), .event = {}};
  update.agent = fields.Text("agent");
  update.session = fields.Text("session");
  update.before = fields.Text("before");
  update.after = fields.Text("after");
  update.traces = fields.Texts("traces");
  BELAY_TRY(fields.Check());
  BELAY_TRY_ASSIGN(update.event, StoredEventFromJson(event == nullptr ? Json() : *event));
  return update;
}

Json StateJson(const DocumentLog& log) {
  Json waiting = Json::EmptyArray();
  for (const StoredEvent& event : log.waiting) waiting.Append(ToJson(event));
  return MakeObject({{"ids", TextsJson(log.ids)},
                     {"last", log.last ? AppliedJson(*log.last) : Json()},
                     {"phase_began", TimeOrNull(log.phase_began)},
                     {"waiting", std::move(waiting)},
                     {"unsure", log.unsure ? UnsureJson(*log.unsure) : Json()},
                     {"updates", log.updates}});
}

Result<DocumentLog> StateFromJson(const Json& record) {
  JsonFields fields(record, "resumption document");
  DocumentLog log;
  for (std::string& id : fields.Texts("ids")) log.ids.push_back(std::move(id));
  log.phase_began = fields.Time("phase_began");
  log.updates = fields.Integer("updates", 0).value_or(0);
  if (const Json* last = fields.Object("last")) {
    BELAY_TRY_ASSIGN(log.last, AppliedFromJson(*last));
  }
  // The first vaults had an event here that is also in `ids`, and so is known.
  if (const Json* unsure = fields.Object("unsure"); unsure != nullptr && unsure->Find("event")) {
    BELAY_TRY_ASSIGN(log.unsure, UnsureFromJson(*unsure));
  }
  if (const Json::Array* waiting = fields.Array("waiting")) {
    for (const Json& one : *waiting) {
      BELAY_TRY_ASSIGN(StoredEvent event, StoredEventFromJson(one));
      log.waiting.push_back(std::move(event));
    }
  }
  BELAY_TRY(fields.Check());
  return log;
}

void RemoveWaiting(DocumentLog& log, std::string_view id) {
  std::erase_if(log.waiting, [&](const StoredEvent& one) { return one.id == id; });
  if (log.unsure && log.unsure->event.id == id) log.unsure.reset();
}

void AddApplied(DocumentLog& log, AppliedEvent event) {
  RemoveWaiting(log, event.id);
  std::erase(log.ids, event.id);
  log.ids.push_back(event.id);
  if (log.ids.size() > DocumentLog::kRemembered) log.ids.pop_front();
  if (event.trigger == "T1") log.phase_began = event.at;
  log.last = std::move(event);
}

void AddWaiting(DocumentLog& log, StoredEvent event) {
  if (std::ranges::find(log.ids, event.id) != log.ids.end()) return;
  if (std::ranges::find(log.waiting, event.id, &StoredEvent::id) != log.waiting.end()) return;
  RemoveWaiting(log, event.id);
  log.waiting.push_back(std::move(event));
  if (log.waiting.size() > DocumentLog::kMostWaiting) log.waiting.erase(log.waiting.begin());
}

void AddUpdate(DocumentLog& log, UnsureEvent update) {
  RemoveWaiting(log, update.event.id);
  std::erase(log.ids, update.event.id);
  // Another one that is still unsure: its updater was to look first.
  if (log.unsure) AddWaiting(log, StoredEvent(log.unsure->event));
  log.updates = std::max(log.updates, update.number);
  log.unsure = std::move(update);
}

}  // namespace

Json ToJson(const StoredEvent& event) {
  return MakeObject({{"id", event.id},
                     {"trigger", event.trigger},
                     {"at", FormatUtcMicros(event.at)},
                     {"set", event.set},
                     {"data", event.data}});
}

Result<StoredEvent> StoredEventFromJson(const Json& record) {
  JsonFields fields(record, "resumption event");
  StoredEvent event{.id = fields.Text("id"), .trigger = fields.Text("trigger")};
  event.at = fields.TimeOrZero("at");
  if (const Json* set = fields.Object("set")) event.set = *set;
  if (const Json* data = fields.Object("data")) event.data = *data;
  BELAY_TRY(fields.Check());
  return event;
}

Result<AppliedEvent> AppliedFromJson(const Json& record) {
  JsonFields fields(record, "resumption event");
  AppliedEvent event{.number = fields.Integer("number", 0).value_or(0)};
  event.id = fields.Text("id");
  event.trigger = fields.Text("trigger");
  event.at = fields.TimeOrZero("at");
  event.agent = fields.Text("agent");
  event.session = fields.Text("session");
  event.before = fields.Text("before");
  event.after = fields.Text("after");
  BELAY_TRY(fields.Check());
  return event;
}

AppliedEvent UnsureEvent::Applied() const {
  return {.number = number,
          .id = event.id,
          .trigger = event.trigger,
          .at = event.at,
          .agent = agent,
          .session = session,
          .before = before,
          .after = after};
}

bool UnsureEvent::IsIn(const Resumption& section, std::string_view digest) const {
  if (digest == after) return true;
  if (digest == before) return false;
  return HasTraces(section, traces);
}

bool DocumentLog::WasApplied(std::string_view id, std::string_view digest) const {
  if (std::ranges::find(ids, id) == ids.end()) return false;
  const bool reverted =
      last && last->id == id && digest == last->before && last->before != last->after;
  return !reverted;
}

std::vector<StoredEvent> DocumentLog::Pending() const {
  std::vector<StoredEvent> pending;
  if (unsure) pending.push_back(unsure->event);
  pending.insert(pending.end(), waiting.begin(), waiting.end());
  return pending;
}

Json UpdateRecord(WallTime at, std::string_view document, const UnsureEvent& update) {
  Json record = MakeObject({{"at", FormatUtcMicros(at)},
                            {"kind", "update"},
                            {"document", ReplaceInvalidUtf8(document)}});
  const Json json = UnsureJson(update);
  for (const JsonMember& member : *json.AsObject()) record.Set(member.key, member.value);
  return record;
}

Json AppliedRecord(std::string_view document, const AppliedEvent& event) {
  Json record = MakeObject({{"at", FormatUtcMicros(event.at)},
                            {"kind", "applied"},
                            {"document", ReplaceInvalidUtf8(document)}});
  const Json applied = AppliedJson(event);
  for (const JsonMember& member : *applied.AsObject()) record.Set(member.key, member.value);
  return record;
}

Json WaitingRecord(WallTime at, std::string_view document, const StoredEvent& event) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "waiting"},
                     {"document", ReplaceInvalidUtf8(document)},
                     {"event", ToJson(event)}});
}

Json WithdrawnRecord(WallTime at, std::string_view document, std::string_view id) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "withdrawn"},
                     {"document", ReplaceInvalidUtf8(document)},
                     {"id", id}});
}

void ResumptionBook::Apply(const Json& record) {
  const Result<void> applied = ReadRecord(kResumptionFormat, record,
                                          [&](const Json& newest) { return ApplyNewest(newest); });
  if (!applied) ++unreadable_;
}

Result<void> ResumptionBook::ApplyNewest(const Json& record) {
  JsonFields fields(record, "resumption record");
  const std::string kind = fields.Text("kind");
  DocumentLog& log = documents_[fields.Text("document")];
  if (kind == "applied") {
    BELAY_TRY_ASSIGN(AppliedEvent event, AppliedFromJson(record));
    AddApplied(log, std::move(event));
  } else if (kind == "update") {
    BELAY_TRY_ASSIGN(UnsureEvent update, UnsureFromJson(record));
    AddUpdate(log, std::move(update));
  } else if (kind == "withdrawn") {
    RemoveWaiting(log, fields.Text("id"));
  } else if (kind == "waiting") {
    const Json* stored = fields.Object("event");
    BELAY_TRY_ASSIGN(StoredEvent event, StoredEventFromJson(stored == nullptr ? Json() : *stored));
    AddWaiting(log, std::move(event));
  } else if (kind == "document") {
    const Json* state = fields.Object("state");
    BELAY_TRY_ASSIGN(log, StateFromJson(state == nullptr ? Json() : *state));
  } else {
    return Error{ErrorCode::kDamaged, "an unknown kind of record"};
  }
  return fields.Check();
}

const DocumentLog* ResumptionBook::Find(std::string_view document) const {
  const auto found = documents_.find(ReplaceInvalidUtf8(document));
  return found == documents_.end() ? nullptr : &found->second;
}

std::vector<Json> ResumptionBook::Snapshot(WallTime now) const {
  std::vector<Json> records;
  for (const auto& [document, log] : documents_) {
    records.push_back(MakeObject({{"at", FormatUtcMicros(now)},
                                  {"kind", "document"},
                                  {"document", document},
                                  {"state", StateJson(log)}}));
  }
  return records;
}

}  // namespace belay
