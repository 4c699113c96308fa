#include "model/merge_entry.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/utf8.h"
#include "model/json_fields.h"
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
  const auto hunk_json = [](const ConflictHunk& hunk) {
    return MakeObject({{"target", ToJson(hunk.target)}, {"branch", ToJson(hunk.branch)}});
  };
  return MakeObject({{"path", ReplaceInvalidUtf8(file.path)},
                     {"what", ReplaceInvalidUtf8(file.what)},
                     {"hunks", MakeArray(file.hunks, hunk_json)}});
}

ConflictFile ReadConflictFile(JsonFields& fields) {
  ConflictFile file{fields.Text("path"), fields.Text("what")};
  if (const Json::Array* hunks = fields.Array("hunks")) {
    for (const Json& one : *hunks) {
      const auto target = RangeFrom(one.Find("target"));
      const auto branch = RangeFrom(one.Find("branch"));
      if (target && branch) file.hunks.push_back({*target, *branch});
    }
  }
  return file;
}

Json ToJson(const ConflictReport& report) {
  if (report == ConflictReport()) return {};
  const auto file_json = [](const ConflictFile& file) { return ToJson(file); };
  return MakeObject({{"commit", TextOrNull(report.commit)},
                     {"target", TextArray(report.target)},
                     {"files", MakeArray(report.files, file_json)}});
}

ConflictReport ReadConflict(JsonFields& fields) {
  return {.commit = fields.Text("commit"),
          .target = fields.Texts("target"),
          .files = fields.Parts("files", "file", ReadConflictFile)};
}

Json ToJson(const GateResult& result) {
  Json json = MakeObject({{"name", ReplaceInvalidUtf8(result.name)},
                          {"outcome", GateOutcomeName(result.outcome)},
                          {"exit_code", result.exit_code},
                          {"runs", std::int64_t{result.runs}},
                          {"took", FormatDuration(result.took)},
                          {"commit", TextOrNull(result.commit)},
                          {"log", TextOrNull(result.log)},
                          {"detail", TextOrNull(result.detail)},
                          {"rule", TextOrNull(result.rule)}});
  if (result.target_is_red) json.Set("target_is_red", true);
  return json;
}

GateResult ReadGateResult(JsonFields& fields) {
  GateResult result{.name = fields.Text("name")};
  result.outcome = fields.Name("outcome", ParseGateOutcome);
  result.exit_code = static_cast<int>(fields.Integer("exit_code", 0, 255).value_or(0));
  result.runs = fields.Count("runs", 1);
  result.took = fields.Length("took");
  result.commit = fields.Text("commit");
  result.log = fields.Text("log");
  result.detail = fields.Text("detail");
  result.rule = fields.Text("rule");
  result.target_is_red = fields.Bool("target_is_red", false);
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
  return MakeArray(numbers, [](std::uint64_t number) { return fmt::format("m{}", number); });
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
  const auto number = ParseNumber<std::uint64_t>(text);
  return number != 0U ? number : std::nullopt;
}

bool MergeEntry::IsPending() const { return delete_pending || follow_pending; }

Json ToJson(const MergeEntry& entry) {
  const auto path_json = [](const ConflictFile& file) { return ReplaceInvalidUtf8(file.path); };
  const auto gate_json = [](const GateResult& result) { return ToJson(result); };
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
      {"conflict_files", MakeArray(entry.conflict.files, path_json)},
      {"conflict", ToJson(entry.conflict)},
      {"gate_results", MakeArray(entry.gate_results, gate_json)},
      {"merged_as", TextOrNull(entry.merged_as)},
      {"proof", TextOrNull(entry.proof)},
      {"changed_at", KnownTime(entry.changed_at)},
      {"delete_pending", entry.delete_pending},
      {"follow_pending", entry.follow_pending},
      {"told", entry.reported},
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
  entry.conflict = fields.Part("conflict", ReadConflict).value_or(ConflictReport());
  entry.gate_results = fields.Parts("gate_results", "gate result", ReadGateResult);
  entry.merged_as = fields.Text("merged_as");
  entry.proof = fields.Text("proof");
  entry.changed_at = fields.TimeOrZero("changed_at");
  entry.delete_pending = fields.Bool("delete_pending", false);
  entry.follow_pending = fields.Bool("follow_pending", false);
  entry.reported = fields.Bool("told", false);
  entry.unknown = fields.Unknown();
  BELAY_TRY(fields.Check());
  return entry;
}

}  // namespace

Result<MergeEntry> MergeEntryFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kMergeEntry), record, ReadEntry);
}

namespace {

constexpr std::size_t kRenderedFinished = 50;

// The entries that an entry in the queue depends on.
std::set<std::uint64_t> WaitedFor(const std::map<std::uint64_t, MergeEntry>& entries) {
  std::set<std::uint64_t> numbers;
  for (const auto& [number, entry] : entries) {
    if (!IsFinished(entry.status)) {
      numbers.insert(entry.depends_on.begin(), entry.depends_on.end());
    }
  }
  return numbers;
}

// All entries except the older finished ones, which need no more work.
std::vector<const MergeEntry*> Latest(const std::map<std::uint64_t, MergeEntry>& entries,
                                      std::size_t most_finished) {
  std::vector<const MergeEntry*> kept;
  const std::set<std::uint64_t> waited_for = WaitedFor(entries);
  std::size_t finished = 0;
  for (auto one = entries.rbegin(); one != entries.rend(); ++one) {
    const MergeEntry& entry = one->second;
    const bool over = IsFinished(entry.status) && entry.reported && !entry.IsPending();
    if (over && !waited_for.contains(entry.number) && ++finished > most_finished) continue;
    kept.push_back(&one->second);
  }
  std::ranges::reverse(kept);
  return kept;
}

Json AnswersJson(const MergeTarget& target) {
  Json answers = Json::EmptyObject();
  for (const auto& [gate, answer] : target.answers) {
    answers.Set(
        ReplaceInvalidUtf8(gate),
        MakeObject({{"commit", answer.commit}, {"rule", answer.rule}, {"passed", answer.passed}}));
  }
  return answers;
}

void ReadAnswers(JsonFields& fields, MergeTarget& target) {
  const Json* answers = fields.Object("answers");
  if (answers == nullptr) return;
  for (const auto& [gate, answer] : *answers->AsObject()) {
    const Json* passed = answer.Find("passed");
    if (passed == nullptr || passed->AsBool() == nullptr) continue;
    target.answers.insert_or_assign(
        gate, TargetAnswer{TextIn(answer, "commit"), TextIn(answer, "rule"), *passed->AsBool()});
  }
}

Result<MergeTarget> ReadTarget(const Json& record) {
  JsonFields fields(record, "target");
  MergeTarget target{.branch = fields.Text("branch")};
  target.commit = fields.Text("commit");
  target.green = fields.OptionalBool("green");
  target.red_gate = fields.Text("red_gate");
  target.untested = fields.Bool("untested", false);
  target.news = fields.Text("news");
  ReadAnswers(fields, target);
  target.paused = fields.Bool("paused", false);
  target.paused_why = fields.Text("paused_why");
  target.guarded = fields.Bool("guarded", false);
  target.named = fields.Bool("named", false);
  if (const Json* move = fields.Object("move")) {
    target.move = TargetMove{TextIn(*move, "from"), TextIn(*move, "to")};
  }
  target.unknown = fields.Unknown();
  BELAY_TRY(fields.Check());
  return target;
}

}  // namespace

void MergeTarget::Remember(const GateResult& result) {
  const bool passed = result.outcome == GateOutcome::kPassed;
  const bool red =
      result.outcome == GateOutcome::kFailed || result.outcome == GateOutcome::kTimedOut;
  if (!passed && !red) return;
  answers.insert_or_assign(result.name, TargetAnswer{result.commit, result.rule, passed});
  if (result.commit != commit) return;
  if (red) {
    green = false;
    red_gate = result.name;
  } else if (red_gate == result.name) {
    green.reset();
    red_gate.clear();
  }
}

std::optional<bool> MergeTarget::Answer(const std::string& gate, const std::string& rule,
                                        const std::string& of) const {
  const auto known = answers.find(gate);
  const bool same =
      known != answers.end() && known->second.commit == of && known->second.rule == rule;
  return same ? std::optional(known->second.passed) : std::nullopt;
}

Json ToJson(const MergeTarget& target) {
  Json::Object members = {
      {"branch", ReplaceInvalidUtf8(target.branch)},
      {"commit", TextOrNull(target.commit)},
      {"green", target.green ? Json(*target.green) : Json()},
      {"red_gate", TextOrNull(target.red_gate)},
      {"untested", target.untested},
      {"news", TextOrNull(target.news)},
      {"answers", AnswersJson(target)},
      {"paused", target.paused},
      {"paused_why", TextOrNull(target.paused_why)},
      {"guarded", target.guarded},
      {"named", target.named},
      {"move",
       target.move ? MakeObject({{"from", target.move->from}, {"to", target.move->to}}) : Json()},
  };
  AddUnknown(target.unknown, members);
  return members;
}

Result<MergeTarget> MergeTargetFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kMergeTarget), record, ReadTarget);
}

Json EntryRecord(WallTime at, std::string_view why, const MergeEntry& entry) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "entry"},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"entry", ToJson(entry)}});
}

Json TargetRecord(WallTime at, std::string_view why, const MergeTarget& target) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "target"},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"target", ToJson(target)}});
}

Json GateRecord(WallTime at, std::string_view name, const GateHistory& history) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "gate"},
                     {"name", ReplaceInvalidUtf8(name)},
                     {"runs", LargeNumber(history.runs)},
                     {"flakes", LargeNumber(history.flakes)}});
}

void MergeBook::Apply(const Json& record) {
  const std::string kind = TextIn(record, "kind");
  const bool sense = kind == "entry"    ? ApplyEntry(record)
                     : kind == "target" ? ApplyTarget(record)
                                        : kind == "gate" && ApplyGate(record);
  if (!sense) ++unreadable_;
}

bool MergeBook::ApplyEntry(const Json& record) {
  const Json* json = record.Find("entry");
  Result<MergeEntry> entry = json != nullptr ? MergeEntryFromJson(*json) : MergeEntry();
  if (!entry || entry->number == 0) return false;
  last_number_ = std::max(last_number_, entry->number);
  const std::uint64_t number = entry->number;
  entries_.insert_or_assign(number, *std::move(entry));
  return true;
}

bool MergeBook::ApplyTarget(const Json& record) {
  const Json* json = record.Find("target");
  Result<MergeTarget> target = json != nullptr ? MergeTargetFromJson(*json) : MergeTarget();
  if (!target || target->branch.empty()) return false;
  const std::string branch = target->branch;
  targets_.insert_or_assign(branch, *std::move(target));
  return true;
}

bool MergeBook::ApplyGate(const Json& record) {
  const Result<Json> newest = Migrate(FormatOf(StoredRecord::kMergeGate), record);
  if (!newest) return false;
  JsonFields fields(*newest, "gate");
  const std::string name = fields.Text("name");
  const GateHistory history{fields.LargeCount("runs"), fields.LargeCount("flakes")};
  if (!fields.ok() || name.empty()) return false;
  gates_.insert_or_assign(name, history);
  return true;
}

const MergeEntry* MergeBook::Find(std::uint64_t number) const {
  const auto at = entries_.find(number);
  return at != entries_.end() ? &at->second : nullptr;
}

const MergeEntry* MergeBook::FindOpen(std::string_view branch, std::string_view target) const {
  for (const auto& [number, entry] : entries_) {
    if (entry.branch == branch && entry.target == target && !IsFinished(entry.status)) {
      return &entry;
    }
  }
  return nullptr;
}

MergeTarget MergeBook::Target(std::string_view branch) const {
  const auto at = targets_.find(branch);
  return at != targets_.end() ? at->second : MergeTarget{.branch = std::string(branch)};
}

GateHistory MergeBook::Gate(std::string_view name) const {
  const auto at = gates_.find(name);
  return at != gates_.end() ? at->second : GateHistory();
}

std::vector<Json> MergeBook::Snapshot(WallTime now) const {
  std::vector<Json> records;
  for (const auto& [branch, target] : targets_) {
    records.push_back(TargetRecord(now, "snapshot", target));
  }
  for (const auto& [name, history] : gates_) records.push_back(GateRecord(now, name, history));
  for (const MergeEntry* entry : Latest(entries_, kKeptFinished)) {
    records.push_back(EntryRecord(now, "snapshot", *entry));
  }
  return records;
}

Json MergeRendering(const MergeBook& book) {
  Json::Array targets;
  Json::Array entries;
  for (const auto& [branch, target] : book.targets()) targets.push_back(ToJson(target));
  for (const MergeEntry* entry : Latest(book.entries(), kRenderedFinished)) {
    entries.push_back(ToJson(*entry));
  }
  return MakeObject({{kVersionKey, NewestVersion(StoredRecord::kMergeEntry)},
                     {"targets", std::move(targets)},
                     {"entries", std::move(entries)}});
}

}  // namespace belay
