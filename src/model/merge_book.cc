#include "model/merge_book.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
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
    const bool over = IsFinished(entry.status) && entry.told && !entry.IsPending();
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
  const Json* green = record.Find("green");
  if (green != nullptr && !green->is_null()) target.green = fields.Bool("green", false);
  (void)fields.Any("green");
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
  const GateHistory history{static_cast<std::uint64_t>(fields.Integer("runs", 0).value_or(0)),
                            static_cast<std::uint64_t>(fields.Integer("flakes", 0).value_or(0))};
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
