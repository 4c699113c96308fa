#include "model/resumption_log.h"

#include <algorithm>

#include "base/utf8.h"
#include "model/json_fields.h"

namespace belay {
namespace {

Json AppliedJson(const AppliedEvent& event) {
  return MakeObject({{"id", event.id},
                     {"trigger", event.trigger},
                     {"at", FormatUtcMicros(event.at)},
                     {"agent", TextOrNull(event.agent)},
                     {"session", TextOrNull(event.session)},
                     {"before", event.before},
                     {"after", event.after}});
}

Result<AppliedEvent> AppliedFromJson(const Json& record) {
  JsonFields fields(record, "resumption event");
  AppliedEvent event{.id = fields.Text("id"), .trigger = fields.Text("trigger")};
  event.at = fields.TimeOrZero("at");
  event.agent = fields.Text("agent");
  event.session = fields.Text("session");
  event.before = fields.Text("before");
  event.after = fields.Text("after");
  BELAY_TRY(fields.Check());
  return event;
}

Json StateJson(const DocumentLog& log) {
  Json ids = Json::EmptyArray();
  for (const std::string& id : log.ids) ids.Append(id);
  Json waiting = Json::EmptyArray();
  for (const StoredEvent& event : log.waiting) waiting.Append(ToJson(event));
  return MakeObject({{"ids", std::move(ids)},
                     {"last", log.last ? AppliedJson(*log.last) : Json()},
                     {"phase_began", TimeOrNull(log.phase_began)},
                     {"waiting", std::move(waiting)},
                     {"unsure", log.unsure ? ToJson(*log.unsure) : Json()}});
}

Result<DocumentLog> StateFromJson(const Json& record) {
  JsonFields fields(record, "resumption document");
  DocumentLog log;
  for (std::string& id : fields.Texts("ids")) log.ids.push_back(std::move(id));
  log.phase_began = fields.Time("phase_began");
  if (const Json* last = fields.Object("last")) {
    BELAY_TRY_ASSIGN(log.last, AppliedFromJson(*last));
  }
  if (const Json* unsure = fields.Object("unsure")) {
    BELAY_TRY_ASSIGN(log.unsure, StoredEventFromJson(*unsure));
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

void AddApplied(DocumentLog& log, AppliedEvent event) {
  const auto waited = std::ranges::find(log.waiting, event.id, &StoredEvent::id);
  if (waited != log.waiting.end()) {
    log.unsure = std::move(*waited);
    log.waiting.erase(waited);
  } else if (!log.unsure || log.unsure->id != event.id) {
    log.unsure.reset();
  }
  std::erase(log.ids, event.id);
  log.ids.push_back(event.id);
  if (log.ids.size() > DocumentLog::kRemembered) log.ids.pop_front();
  if (event.trigger == "T1") log.phase_began = event.at;
  log.last = std::move(event);
}

void AddWaiting(DocumentLog& log, StoredEvent event) {
  const bool known =
      std::ranges::find(log.waiting, event.id, &StoredEvent::id) != log.waiting.end();
  if (known || std::ranges::find(log.ids, event.id) != log.ids.end()) return;
  log.waiting.push_back(std::move(event));
  if (log.waiting.size() > DocumentLog::kMostWaiting) log.waiting.erase(log.waiting.begin());
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

bool DocumentLog::WasApplied(std::string_view id, std::string_view digest) const {
  if (std::ranges::find(ids, id) == ids.end()) return false;
  const bool unfinished =
      last && last->id == id && digest == last->before && last->before != last->after;
  return !unfinished;
}

std::vector<StoredEvent> DocumentLog::Pending(std::string_view digest) const {
  std::vector<StoredEvent> pending;
  if (unsure && !WasApplied(unsure->id, digest)) pending.push_back(*unsure);
  pending.insert(pending.end(), waiting.begin(), waiting.end());
  return pending;
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

void ResumptionBook::Apply(const Json& record) {
  const Result<void> applied = [&]() -> Result<void> {
    JsonFields fields(record, "resumption record");
    const std::string kind = fields.Text("kind");
    DocumentLog& log = documents_[fields.Text("document")];
    if (kind == "applied") {
      BELAY_TRY_ASSIGN(AppliedEvent event, AppliedFromJson(record));
      AddApplied(log, std::move(event));
    } else if (kind == "waiting") {
      const Json* stored = fields.Object("event");
      BELAY_TRY_ASSIGN(StoredEvent event,
                       StoredEventFromJson(stored == nullptr ? Json() : *stored));
      AddWaiting(log, std::move(event));
    } else if (kind == "document") {
      const Json* state = fields.Object("state");
      BELAY_TRY_ASSIGN(log, StateFromJson(state == nullptr ? Json() : *state));
    } else {
      return Error{ErrorCode::kDamaged, "an unknown kind of record"};
    }
    return fields.Check();
  }();
  if (!applied) ++unreadable_;
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
