#include "app/program_outcome.h"

namespace belay {
namespace {

std::uint64_t CountIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  const bool count = value != nullptr && value->AsInteger() != nullptr && *value->AsInteger() > 0;
  return count ? static_cast<std::uint64_t>(*value->AsInteger()) : 0;
}

bool TruthIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

Error ErrorIn(const Json& record) {
  const Json* error = record.Find("error");
  if (error == nullptr) return {ErrorCode::kFailed, "it doesn't mention a snapshot"};
  const bool gone = TextIn(*error, "code") == ErrorCodeName(ErrorCode::kNotFound);
  return {gone ? ErrorCode::kNotFound : ErrorCode::kFailed, TextIn(*error, "message")};
}

}  // namespace

void AddOutcome(const SnapshotOutcome& outcome, Json& record) {
  record.Set("id", outcome.id);
  record.Set("new", outcome.is_new);
  record.Set("paths", MakeArray(outcome.paths));
  record.Set("paths_count", outcome.paths_count);
  record.Set("head", outcome.head.empty() ? Json() : Json(outcome.head));
}

Result<SnapshotOutcome> ParseSnapshotOutcome(std::string_view text) {
  BELAY_TRY_ASSIGN(const Json record, ParseJson(text));
  SnapshotOutcome outcome{.id = TextIn(record, "id")};
  if (outcome.id.empty()) return ErrorIn(record);
  outcome.is_new = TruthIn(record, "new");
  outcome.head = TextIn(record, "head");
  outcome.paths_count = CountIn(record, "paths_count");
  const Json* paths = record.Find("paths");
  if (paths == nullptr || paths->AsArray() == nullptr) return outcome;
  for (const Json& path : *paths->AsArray()) {
    if (path.AsString() != nullptr) outcome.paths.push_back(*path.AsString());
  }
  return outcome;
}

Json ToJson(const ProcessOutcome& outcome) {
  const auto entry_json = [](const MergeEntry& entry) { return ToJson(entry); };
  return MakeObject({{"entries", MakeArray(outcome.entries, entry_json)},
                     {"stopped", outcome.stopped},
                     {"paused", outcome.paused}});
}

Result<ProcessOutcome> ProcessOutcomeFromJson(const Json& record) {
  ProcessOutcome outcome{.stopped = TruthIn(record, "stopped"),
                         .paused = TruthIn(record, "paused")};
  const Json* entries = record.Find("entries");
  if (entries == nullptr || entries->AsArray() == nullptr) return outcome;
  for (const Json& entry : *entries->AsArray()) {
    BELAY_TRY_ASSIGN(MergeEntry parsed, MergeEntryFromJson(entry));
    outcome.entries.push_back(std::move(parsed));
  }
  return outcome;
}

Result<Json> ParseOutcome(std::string_view text, int exit_code) {
  BELAY_TRY_ASSIGN(Json record, ParseJson(text));
  const Json* error = record.Find("error");
  if (error == nullptr) return record;
  const bool passing = exit_code == 75 || exit_code == 1;
  return Error{passing ? ErrorCode::kBusy : ErrorCode::kRefused, TextIn(*error, "message")};
}

}  // namespace belay
