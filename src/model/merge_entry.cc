#include "model/merge_entry.h"

#include <fmt/core.h>

#include <charconv>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/names.h"
#include "model/stored_record.h"

namespace belay {
namespace {

constexpr std::string_view kEntryStatuses[] = {
    "queued",      "rebasing",        "testing",      "merging",   "merged",          "conflict",
    "gate_failed", "gate_unrunnable", "target_moved", "cancelled", "waiting_checkout"};
constexpr std::string_view kOutcomes[] = {"passed", "failed", "timed_out", "unrunnable",
                                          "cancelled"};

Json ToJson(const ConflictLines& range) {
  return Json::Array{LargeNumber(range.first), LargeNumber(range.count)};
}

std::optional<ConflictLines> RangeFrom(const Json* json) {
  const Json::Array* pair = json != nullptr ? json->AsArray() : nullptr;
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  const std::int64_t* first = (*pair)[0].AsInteger();
  const std::int64_t* count = (*pair)[1].AsInteger();
  if (first == nullptr || count == nullptr || *first < 0 || *count < 0) return std::nullopt;
  return ConflictLines{static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*count)};
}

Json ToJson(const ConflictFile& file) {
  Json::Array hunks;
  for (const ConflictHunk& hunk : file.hunks) {
    hunks.push_back(MakeObject({{"target", ToJson(hunk.target)}, {"branch", ToJson(hunk.branch)}}));
  }
  return MakeObject({{"path", ReplaceInvalidUtf8(file.path)},
                     {"what", ReplaceInvalidUtf8(file.what)},
                     {"hunks", std::move(hunks)}});
}

ConflictFile ConflictFileFrom(const Json& json, JsonFields& whole) {
  JsonFields fields(json, "file");
  ConflictFile file{fields.Text("path"), fields.Text("what")};
  if (const Json::Array* hunks = fields.Array("hunks")) {
    for (const Json& one : *hunks) {
      const auto target = RangeFrom(one.Find("target"));
      const auto branch = RangeFrom(one.Find("branch"));
      if (target && branch) file.hunks.push_back({*target, *branch});
    }
  }
  if (const Result<void> checked = fields.Check(); !checked) whole.Fail(checked.error());
  return file;
}

Json ToJson(const ConflictReport& report) {
  if (report == ConflictReport()) return {};
  Json::Array files;
  for (const ConflictFile& file : report.files) files.push_back(ToJson(file));
  return MakeObject({{"commit", TextOrNull(report.commit)},
                     {"target", TextArray(report.target)},
                     {"files", std::move(files)}});
}

ConflictReport ConflictFrom(JsonFields& whole) {
  ConflictReport report;
  const Json* json = whole.Object("conflict");
  if (json == nullptr) return report;
  JsonFields fields(*json, "conflict");
  report.commit = fields.Text("commit");
  report.target = fields.Texts("target");
  if (const Json::Array* files = fields.Array("files")) {
    for (const Json& one : *files) report.files.push_back(ConflictFileFrom(one, fields));
  }
  if (const Result<void> checked = fields.Check(); !checked) whole.Fail(checked.error());
  return report;
}

Json ToJson(const GateResult& result) {
  return MakeObject({{"name", ReplaceInvalidUtf8(result.name)},
                     {"outcome", GateOutcomeName(result.outcome)},
                     {"exit_code", result.exit_code},
                     {"runs", std::int64_t{result.runs}},
                     {"took", FormatDuration(result.took)},
                     {"commit", TextOrNull(result.commit)},
                     {"log", TextOrNull(result.log)},
                     {"detail", TextOrNull(result.detail)},
                     {"rule", TextOrNull(result.rule)}});
}

GateResult GateResultFrom(const Json& json, JsonFields& whole) {
  JsonFields fields(json, "gate result");
  GateResult result{.name = fields.Text("name")};
  result.outcome = fields.Name("outcome", ParseGateOutcome);
  result.exit_code = static_cast<int>(fields.Integer("exit_code", 0, 255).value_or(0));
  result.runs = fields.Count("runs", 1);
  result.took = fields.Length("took");
  result.commit = fields.Text("commit");
  result.log = fields.Text("log");
  result.detail = fields.Text("detail");
  result.rule = fields.Text("rule");
  if (const Result<void> checked = fields.Check(); !checked) whole.Fail(checked.error());
  return result;
}

std::vector<std::uint64_t> NumbersFrom(JsonFields& fields, std::string_view key) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& id : fields.Texts(key)) {
    const std::optional<std::uint64_t> number = ParseMergeEntryId(id);
    if (!number) fields.Fail(key, "names no entry");
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

Json IdArray(const std::vector<std::uint64_t>& numbers) {
  Json::Array ids;
  for (const std::uint64_t number : numbers) ids.push_back(fmt::format("m{}", number));
  return ids;
}

}  // namespace

std::string_view MergeStatusName(MergeStatus status) { return NameIn(kEntryStatuses, status); }
std::optional<MergeStatus> ParseMergeStatus(std::string_view name) {
  return FindIn<MergeStatus>(kEntryStatuses, name);
}
std::string_view GateOutcomeName(GateOutcome outcome) { return NameIn(kOutcomes, outcome); }
std::optional<GateOutcome> ParseGateOutcome(std::string_view name) {
  return FindIn<GateOutcome>(kOutcomes, name);
}

std::string MergeEntry::id() const { return fmt::format("m{}", number); }

std::optional<std::uint64_t> ParseMergeEntryId(std::string_view text) {
  if (text.starts_with('m')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  return whole && number > 0 ? std::optional(number) : std::nullopt;
}

bool MergeEntry::IsPending() const { return delete_pending || follow_pending; }

Json ToJson(const MergeEntry& entry) {
  Json::Array paths;
  Json::Array gates;
  for (const ConflictFile& file : entry.conflict.files) {
    paths.push_back(ReplaceInvalidUtf8(file.path));
  }
  for (const GateResult& result : entry.gate_results) gates.push_back(ToJson(result));
  Json::Object members = {
      {"entry_id", entry.id()},
      {"identity_name", TextOrNull(entry.identity_name)},
      {"branch", ReplaceInvalidUtf8(entry.branch)},
      {"target", ReplaceInvalidUtf8(entry.target)},
      {"worktree_path", TextOrNull(entry.worktree_path)},
      {"pr_number", TextOrNull(entry.pr_number)},
      {"bead_id", TextOrNull(entry.bead_id)},
      {"node_id", TextOrNull(entry.node_id)},
      {"requested_at", FormatUtcMicros(entry.requested_at)},
      {"status", MergeStatusName(entry.status)},
      {"head", TextOrNull(entry.head)},
      {"base", TextOrNull(entry.base)},
      {"candidate", TextOrNull(entry.candidate)},
      {"built_at", KnownTime(entry.built_at)},
      {"attempts", std::int64_t{entry.attempts}},
      {"priority", entry.priority},
      {"depends_on", IdArray(entry.depends_on)},
      {"no_gates", entry.no_gates},
      {"settings_allowed", TextOrNull(entry.settings_allowed)},
      {"last_error", TextOrNull(entry.last_error)},
      {"conflict_files", std::move(paths)},
      {"conflict", ToJson(entry.conflict)},
      {"gate_results", std::move(gates)},
      {"merged_as", TextOrNull(entry.merged_as)},
      {"proof", TextOrNull(entry.proof)},
      {"changed_at", KnownTime(entry.changed_at)},
      {"delete_pending", entry.delete_pending},
      {"follow_pending", entry.follow_pending},
      {"told", entry.told},
  };
  AddUnknown(entry.unknown, members);
  return members;
}

namespace {

Result<MergeEntry> ReadEntry(const Json& record) {
  JsonFields fields(record, "merge entry");
  MergeEntry entry;
  const std::string id = fields.Text("entry_id");
  const std::optional<std::uint64_t> number = ParseMergeEntryId(id);
  if (!number) fields.Fail("entry_id", "names no entry");
  entry.number = number.value_or(0);
  entry.identity_name = fields.Text("identity_name");
  entry.branch = fields.Text("branch");
  entry.target = fields.Text("target");
  entry.worktree_path = fields.Text("worktree_path");
  entry.pr_number = fields.Text("pr_number");
  entry.bead_id = fields.Text("bead_id");
  entry.node_id = fields.Text("node_id");
  entry.requested_at = fields.TimeOrZero("requested_at");
  entry.status = fields.Name("status", ParseMergeStatus);
  entry.head = fields.Text("head");
  entry.base = fields.Text("base");
  entry.candidate = fields.Text("candidate");
  entry.built_at = fields.TimeOrZero("built_at");
  entry.attempts = fields.Count("attempts");
  entry.priority = fields.Integer("priority").value_or(0);
  entry.depends_on = NumbersFrom(fields, "depends_on");
  entry.no_gates = fields.Bool("no_gates", false);
  entry.settings_allowed = fields.Text("settings_allowed");
  entry.last_error = fields.Text("last_error");
  (void)fields.Array("conflict_files");  // in `conflict`, with more
  entry.conflict = ConflictFrom(fields);
  if (const Json::Array* gates = fields.Array("gate_results")) {
    for (const Json& one : *gates) entry.gate_results.push_back(GateResultFrom(one, fields));
  }
  entry.merged_as = fields.Text("merged_as");
  entry.proof = fields.Text("proof");
  entry.changed_at = fields.TimeOrZero("changed_at");
  entry.delete_pending = fields.Bool("delete_pending", false);
  entry.follow_pending = fields.Bool("follow_pending", false);
  entry.told = fields.Bool("told", false);
  entry.unknown = fields.Unknown();
  BELAY_TRY(fields.Check());
  return entry;
}

}  // namespace

Result<MergeEntry> MergeEntryFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kMergeEntry), record, ReadEntry);
}

}  // namespace belay
