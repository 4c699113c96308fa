#include "model/resumption.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/utf8.h"
#include "model/resumption_spelling.h"

namespace belay {
namespace {

using enum ResumptionPart;

constexpr std::array<std::string_view, kResumptionParts> kPartNames = {
    "recovery_state", "files_to_read",   "quality_trajectory", "defect_summary",
    "decision_log",   "agent_summaries", "compaction_events"};

constexpr std::string_view kWorkflowStatuses[] = {"ACTIVE", "PAUSED", "COMPLETE", "FAILED",
                                                  "CANCELLED"};

constexpr FieldRule kFields[] = {
    {"recovery_state", "last_checkpoint", FieldType::kText, true},
    {"recovery_state", "current_phase", FieldType::kCount, true},
    {"recovery_state", "current_phase_name", FieldType::kText, true},
    {"recovery_state", "workflow_status", FieldType::kStatus},
    {"recovery_state", "current_activity", FieldType::kText, true},
    {"recovery_state", "next_step", FieldType::kText, true},
    {"recovery_state", "context_fill_at_update", FieldType::kFraction, true},
    {"recovery_state", "updated_at", FieldType::kTime, true, true},
    {"recovery_state", "cross_session_portable", FieldType::kFlag, true},
    {"recovery_state", "ephemeral_references", FieldType::kFlag, true},
    {"files_to_read[]", "path", FieldType::kText},
    {"files_to_read[]", "priority", FieldType::kCount, true},
    {"files_to_read[]", "purpose", FieldType::kText, true},
    {"files_to_read[]", "sections", FieldType::kTexts, true},
    {"quality_trajectory", "gates_completed", FieldType::kTexts},
    {"quality_trajectory", "gates_remaining", FieldType::kTexts},
    {"quality_trajectory", "current_gate", FieldType::kText, true},
    {"quality_trajectory", "current_gate_iteration", FieldType::kCount, true},
    {"quality_trajectory", "score_history", FieldType::kScores},
    {"quality_trajectory", "dimensions", FieldType::kDimensions, true},
    {"quality_trajectory", "lowest_dimension", FieldType::kText, true, true},
    {"quality_trajectory", "total_iterations_used", FieldType::kCount, false, true},
    {"defect_summary", "total_defects_found", FieldType::kCount, false, true},
    {"defect_summary", "total_defects_resolved", FieldType::kCount, false, true},
    {"defect_summary", "unresolved_defects", FieldType::kTexts, false, true},
    {"defect_summary", "recurring_patterns", FieldType::kPatterns},
    {"defect_summary", "last_gate_primary_defect", FieldType::kText, true},
    {"defect_summary.recurring_patterns[]", "pattern", FieldType::kText},
    {"defect_summary.recurring_patterns[]", "gates_affected", FieldType::kTexts, true},
    {"defect_summary.recurring_patterns[]", "resolution", FieldType::kText, true},
    {"decision_log[]", "id", FieldType::kDecisionId, false, true},
    {"decision_log[]", "gate", FieldType::kText, true},
    {"decision_log[]", "iteration", FieldType::kCount, true},
    {"decision_log[]", "decision", FieldType::kText},
    {"decision_log[]", "rationale", FieldType::kText, true},
    {"decision_log[]", "affects_phases", FieldType::kCounts, true},
    {"decision_log[]", "applied", FieldType::kFlag},
    {"compaction_events", "count", FieldType::kCount, false, true},
    {"compaction_events", "events", FieldType::kEvents},
    {"compaction_events.events[]", "id", FieldType::kEventId, false, true},
    {"compaction_events.events[]", "timestamp", FieldType::kTime, false, true},
    {"compaction_events.events[]", "trigger", FieldType::kCause},
    {"compaction_events.events[]", "estimated_fill_before", FieldType::kFraction, true},
    {"compaction_events.events[]", "active_phase", FieldType::kCount, true},
    {"compaction_events.events[]", "active_gate", FieldType::kText, true},
    {"compaction_events.events[]", "active_gate_iteration", FieldType::kCount, true},
    {"compaction_events.events[]", "checkpoint_file", FieldType::kText, true},
    {"compaction_events.events[]", "acknowledged", FieldType::kFlag, false, true},
};

bool AllItems(const Json& list, auto fits) {
  return list.AsArray() != nullptr && std::ranges::all_of(*list.AsArray(), fits);
}

bool AllMembers(const Json& object, auto fits) {
  return object.AsObject() != nullptr &&
         std::ranges::all_of(*object.AsObject(),
                             [&](const JsonMember& member) { return fits(member.value); });
}

bool IsText(const Json& value) { return value.AsString() != nullptr; }
bool IsCount(const Json& value) { return value.AsInteger() != nullptr && *value.AsInteger() >= 0; }
bool IsFraction(const Json& value) {
  const std::optional<double> number = NumberIn(value);
  return number && *number >= 0 && *number <= 1;
}

bool Fits(const Json& value, FieldType type) {
  const std::string* text = value.AsString();
  switch (type) {
    case FieldType::kText:
      return text != nullptr;
    case FieldType::kCount:
      return IsCount(value);
    case FieldType::kFraction:
      return IsFraction(value);
    case FieldType::kTime:
      return text != nullptr && ParseUtc(*text).ok();
    case FieldType::kStatus:
      return text != nullptr && IsIn(kWorkflowStatuses, *text);
    case FieldType::kFlag:
      return value.AsBool() != nullptr;
    case FieldType::kTexts:
      return AllItems(value, IsText);
    case FieldType::kCounts:
      return AllItems(value, IsCount);
    case FieldType::kScores:
      return AllMembers(value, [](const Json& list) { return AllItems(list, IsFraction); });
    case FieldType::kDimensions:
      return AllMembers(value, [](const Json& inner) { return AllMembers(inner, IsFraction); });
    case FieldType::kPatterns:
    case FieldType::kEvents:
      return AllItems(value, [](const Json& item) { return item.AsObject() != nullptr; });
    case FieldType::kDecisionId:
      return text != nullptr && NumberOfId(*text, "RD-");
    case FieldType::kEventId:
      return text != nullptr && NumberOfId(*text, "CX-");
    case FieldType::kCause:
      return text != nullptr && (*text == "auto" || *text == "manual");
  }
  __builtin_unreachable();
}

std::string Shown(const Json& value) { return std::string(CutCodePoints(WriteJson(value), 80)); }

using Problems = std::vector<std::string>;

// Drops the members of one object that break its rules, and reports them.
void CleanObject(Json& object, std::string_view of, const std::string& place, Problems& problems) {
  for (const FieldRule& rule : kFields) {
    if (rule.of != of) continue;
    const Json* value = object.Find(rule.name);
    if (value == nullptr || (value->is_null() && rule.nullable) || Fits(*value, rule.type))
      continue;
    problems.push_back(fmt::format("{}.{} must be {}, not {}", place, rule.name,
                                   FieldTypeText(rule.type), Shown(*value)));
    object.Remove(rule.name);
  }
}

// An entry without one of these says nothing.
bool Lacks(const Json& object, std::string_view of) {
  return std::ranges::any_of(kFields, [&](const FieldRule& rule) {
    const bool key = rule.name == "id" || rule.name == "path" || rule.name == "pattern" ||
                     rule.name == "decision" || rule.name == "timestamp";
    return rule.of == of && key && object.Find(rule.name) == nullptr;
  });
}

void CleanItems(Json& list, std::string_view of, const std::string& place, bool texts,
                Problems& problems) {
  Json::Array kept;
  for (std::size_t i = 0; i < list.AsArray()->size(); ++i) {
    Json& item = (*list.AsArray())[i];
    const std::string where = fmt::format("{}[{}]", place, i);
    const Json before = item;
    if (item.AsObject() != nullptr) CleanObject(item, of, where, problems);
    const bool good = item.AsObject() != nullptr ? !Lacks(item, of) : texts && IsText(item);
    if (good) {
      kept.push_back(std::move(item));
    } else {
      problems.push_back(
          fmt::format("{} can't be read and was left out: {}", where, Shown(before)));
    }
  }
  list = Json(std::move(kept));
}

void CleanMember(Json& part, std::string_view key, std::string_view of, Problems& problems) {
  Json* list = part.AsObject() == nullptr ? nullptr : part.Find(key);
  if (list == nullptr || list->AsArray() == nullptr) return;
  CleanItems(*list, of, std::string(of.substr(0, of.size() - 2)), false, problems);
}

void CleanSummaries(Json& summaries, Problems& problems) {
  Json::Object kept;
  for (JsonMember& member : *summaries.AsObject()) {
    if (IsText(member.value)) {
      kept.push_back(std::move(member));
    } else {
      problems.push_back(fmt::format("agent_summaries.{} must be a text, not {}", member.key,
                                     Shown(member.value)));
    }
  }
  summaries = Json(std::move(kept));
}

void CleanPart(ResumptionPart part, Json& value, Problems& problems) {
  const std::string name(ResumptionPartName(part));
  if (value.AsArray() != nullptr) {
    CleanItems(value, name + "[]", name, part == kFilesToRead, problems);
  }
  if (value.AsObject() == nullptr) return;
  if (part == kAgentSummaries) return CleanSummaries(value, problems);
  CleanObject(value, name, name, problems);
  if (part == kDefectSummary) {
    CleanMember(value, "recurring_patterns", "defect_summary.recurring_patterns[]", problems);
  }
  if (part == kCompactionEvents) {
    CleanMember(value, "events", "compaction_events.events[]", problems);
  }
}

void Clean(Resumption& section, Problems& problems) {
  for (const ResumptionPart part : AllResumptionParts()) CleanPart(part, section[part], problems);
}

// A list or map in place of a text says more than belay could keep.
bool HasListForText(const Json& state) {
  return std::ranges::any_of(kFields, [&](const FieldRule& rule) {
    if (rule.of != "recovery_state" || rule.type != FieldType::kText) return false;
    const Json& value = MemberOf(state, rule.name);
    return value.AsArray() != nullptr || value.AsObject() != nullptr;
  });
}

// What a person wrote into a list and belay can't read stays in the file, under another name. The
// numbers of recovery_state are overwritten at every update anyway.
void CleanRead(ResumptionRead& read) {
  for (const ResumptionPart part : AllResumptionParts()) {
    const std::size_t before = read.problems.size();
    const bool kept = part != kRecoveryState || HasListForText(read.section[part]);
    CleanPart(part, read.section[part], read.problems);
    if (read.problems.size() == before || !kept) continue;
    const std::string_view name = ResumptionPartName(part);
    read.unreadable.emplace_back(name);
    read.problems.push_back(fmt::format("{} as it was is kept as {}_before", name, name));
  }
}

bool IsList(ResumptionPart part) { return part == kFilesToRead || part == kDecisionLog; }

bool IsNumber(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool digits = text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  // JSON's spelling: .5, 5. and 05 are other texts.
  const std::size_t first = text.find_first_of("0123456789");
  const bool plain = first != std::string_view::npos && text.back() != '.' &&
                     (first == 0 || (first == 1 && text[0] == '-')) &&
                     !(text[first] == '0' && first + 1 < text.size() && text[first + 1] >= '0' &&
                       text[first + 1] <= '9') &&
                     text.find(".e") == std::string_view::npos &&
                     text.find(".E") == std::string_view::npos;
  return digits && plain && status == std::errc() && end == text.data() + text.size() &&
         std::isfinite(number);
}

Json ScalarJson(const YamlNode& node) {
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  std::int64_t number = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [behind, status] = std::from_chars(node.text.data(), end, number);
  const bool padded = node.text.size() > 1 && (node.text[0] == '0' || node.text.starts_with("-0"));
  if (status == std::errc() && behind == end && !padded) return number;
  if (IsNumber(node.text)) return Json::Decimal{node.text};
  return node.text;
}

Result<int> VersionOf(const YamlNode& value) {
  const YamlNode* version = value.Find("schema_version");
  if (version == nullptr || version->kind != YamlNode::Kind::kScalar) {
    return value.Find("recovery_state") != nullptr ? 2 : 1;
  }
  const std::string_view major = std::string_view(version->text).substr(0, version->text.find('.'));
  if (major == "1") return 1;
  if (major == "2") return 2;
  return Error{ErrorCode::kDamaged,
               fmt::format("the section has the schema_version {}, which this belay doesn't know",
                           Quote(version->text)),
               "use the belay that wrote it"};
}

std::string ScalarText(const YamlNode* node) {
  return node != nullptr && node->kind == YamlNode::Kind::kScalar ? node->text : std::string();
}

void SetText(Json& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object.Set(key, text);
}

// The seed's mapping: the prose of current_state says what is happening.
void MigrateV1(const YamlNode& value, Json& state) {
  SetText(state, "last_checkpoint", ScalarText(value.Find("last_checkpoint")));
  SetText(state, "current_activity", ScalarText(value.Find("current_state")));
  SetText(state, "next_step", ScalarText(value.Find("next_step")));
  for (const std::string_view flag : {"cross_session_portable", "ephemeral_references"}) {
    const std::string text = ScalarText(value.Find(flag));
    if (text == "true" || text == "false") state.Set(flag, text == "true");
  }
}

// Belay would overwrite them. A home-made section may have no others.
void TakeV1Keys(const YamlNode& value, Json& state) {
  if (state.AsObject() == nullptr) state = Json::EmptyObject();
  for (const std::string_view key : {"last_checkpoint", "next_step"}) {
    if (state.Find(key) == nullptr) SetText(state, key, ScalarText(value.Find(key)));
  }
}

void ReadArchive(const Json& record, ResumptionArchive& archive) {
  archive.file = TextIn(record, "file");
  // Only a name: it lies beside the document.
  if (archive.file.find('/') != std::string::npos) archive.file.clear();
  const auto count = [&](std::string_view key) {
    const Json& number = MemberOf(record, key);
    return IsCount(number) ? *number.AsInteger() : 0;
  };
  archive.decisions = count("decisions");
  archive.agents = count("agents");
  archive.compactions = count("compactions");
  archive.scores = count("scores");
}

void ReadParts(const YamlNode& value, ResumptionRead& read) {
  for (const ResumptionPart part : AllResumptionParts()) {
    const std::string_view name = ResumptionPartName(part);
    const YamlNode* node = value.Find(name);
    if (node == nullptr || node->kind == YamlNode::Kind::kNull) continue;
    const YamlNode::Kind wanted = IsList(part) ? YamlNode::Kind::kList : YamlNode::Kind::kMap;
    if (node->kind == wanted) {
      read.section[part] = JsonOfYaml(*node);
      continue;
    }
    read.unreadable.emplace_back(name);
    read.problems.push_back(fmt::format("{} must be a {}; what is there is kept as {}_before", name,
                                        IsList(part) ? "list" : "map", name));
  }
}

}  // namespace

std::string_view ResumptionPartName(ResumptionPart part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

std::optional<ResumptionPart> ParseResumptionPart(std::string_view name) {
  const auto* found = std::ranges::find(kPartNames, name);
  if (found == kPartNames.end()) return std::nullopt;
  return static_cast<ResumptionPart>(found - kPartNames.begin());
}

std::array<ResumptionPart, kResumptionParts> AllResumptionParts() {
  return {kRecoveryState, kFilesToRead,    kQualityTrajectory, kDefectSummary,
          kDecisionLog,   kAgentSummaries, kCompactionEvents};
}

Json Resumption::State(std::string_view field) const {
  return MemberOf((*this)[kRecoveryState], field);
}

std::string_view FieldTypeText(FieldType type) {
  switch (type) {
    case FieldType::kText:
      return "a text";
    case FieldType::kCount:
      return "a whole number";
    case FieldType::kFraction:
      return "a number from 0 to 1";
    case FieldType::kTime:
      return "a time like \"2026-11-15T06:36:00Z\"";
    case FieldType::kStatus:
      return "ACTIVE, PAUSED, COMPLETE, FAILED or CANCELLED";
    case FieldType::kFlag:
      return "true or false";
    case FieldType::kTexts:
      return "a list of texts";
    case FieldType::kCounts:
      return "a list of whole numbers";
    case FieldType::kScores:
      return "a map from gates to lists of numbers from 0 to 1";
    case FieldType::kDimensions:
      return "a map from gates to maps of numbers from 0 to 1";
    case FieldType::kPatterns:
    case FieldType::kEvents:
      return "a list of maps";
    case FieldType::kDecisionId:
      return "an id like RD-001";
    case FieldType::kEventId:
      return "an id like CX-001";
    case FieldType::kCause:
      return "auto or manual";
  }
  __builtin_unreachable();
}

bool IsVersionOneKey(std::string_view key) {
  constexpr std::string_view kKeys[] = {"last_checkpoint", "current_state", "next_step",
                                        "cross_session_portable", "ephemeral_references"};
  return IsIn(kKeys, key);
}

bool IsResumptionKey(std::string_view key) {
  return ParseResumptionPart(key) || IsVersionOneKey(key) || key == "schema_version" ||
         key == "archive";
}

std::span<const FieldRule> ResumptionFields() { return kFields; }

std::optional<std::string_view> NormalStatus(std::string_view word) {
  struct Synonym {
    std::string_view word;
    std::string_view status;
  };
  constexpr Synonym kSynonyms[] = {{"COMPLETED", "COMPLETE"},
                                   {"DONE", "COMPLETE"},
                                   {"IN_PROGRESS", "ACTIVE"},
                                   {"RUNNING", "ACTIVE"},
                                   {"CANCELED", "CANCELLED"}};
  std::string upper(word);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    if (c == '-' || c == ' ') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  for (const Synonym& one : kSynonyms) {
    if (one.word == upper) return one.status;
  }
  const auto* found = std::ranges::find(kWorkflowStatuses, upper);
  if (found == std::end(kWorkflowStatuses)) return std::nullopt;
  return *found;
}

Resumption EmptyResumption() {
  Resumption section;
  section[kRecoveryState] = MakeObject({{"last_checkpoint", {}},
                                        {"current_phase", {}},
                                        {"current_phase_name", {}},
                                        {"workflow_status", "ACTIVE"},
                                        {"current_activity", {}},
                                        {"next_step", {}},
                                        {"context_fill_at_update", {}},
                                        {"updated_at", {}}});
  section[kFilesToRead] = Json::EmptyArray();
  section[kQualityTrajectory] = MakeObject({{"gates_completed", Json::EmptyArray()},
                                            {"gates_remaining", Json::EmptyArray()},
                                            {"current_gate", {}},
                                            {"current_gate_iteration", {}},
                                            {"score_history", Json::EmptyObject()},
                                            {"lowest_dimension", {}},
                                            {"total_iterations_used", 0}});
  section[kDefectSummary] = MakeObject({{"total_defects_found", 0},
                                        {"total_defects_resolved", 0},
                                        {"unresolved_defects", Json::EmptyArray()},
                                        {"recurring_patterns", Json::EmptyArray()},
                                        {"last_gate_primary_defect", {}}});
  section[kDecisionLog] = Json::EmptyArray();
  section[kAgentSummaries] = Json::EmptyObject();
  section[kCompactionEvents] = MakeObject({{"count", 0}, {"events", Json::EmptyArray()}});
  return section;
}

Json JsonOfYaml(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return {};
    case YamlNode::Kind::kScalar:
      return ScalarJson(node);
    case YamlNode::Kind::kMap: {
      Json object = Json::EmptyObject();
      for (const YamlEntry& entry : node.entries) {
        object.AsObject()->push_back({entry.key, JsonOfYaml(entry.value)});
      }
      return object;
    }
    case YamlNode::Kind::kList: {
      Json list = Json::EmptyArray();
      for (const YamlNode& item : node.items) list.Append(JsonOfYaml(item));
      return list;
    }
  }
  __builtin_unreachable();
}

Result<ResumptionRead> ReadResumption(const YamlNode& value) {
  ResumptionRead read;
  BELAY_TRY_ASSIGN(read.section.version, VersionOf(value));
  ReadParts(value, read);
  if (read.section.version == 1) {
    Json& state = read.section[kRecoveryState];
    if (state.AsObject() == nullptr) state = Json::EmptyObject();
    if (value.kind == YamlNode::Kind::kScalar) state.Set("current_activity", value.text);
    MigrateV1(value, state);
  } else {
    const auto scalar = [&](std::string_view key) {
      const YamlNode* node = value.Find(key);
      return node != nullptr && node->kind != YamlNode::Kind::kMap &&
             node->kind != YamlNode::Kind::kList;
    };
    read.section.keeps_v1_keys = scalar("last_checkpoint") && scalar("next_step");
    if (read.section.keeps_v1_keys) TakeV1Keys(value, read.section[kRecoveryState]);
  }
  if (const YamlNode* archive = value.Find("archive")) {
    ReadArchive(JsonOfYaml(*archive), read.section.archive);
  }
  ReadSpellings(read.section);
  CleanRead(read);
  return read;
}

std::vector<std::string> CheckSchema(const Resumption& section) {
  Problems problems;
  Resumption copy = section;
  Clean(copy, problems);
  if (ItemsOf(section[kFilesToRead]).empty()) {
    problems.emplace_back("files_to_read must not be empty");
  }
  return problems;
}

std::optional<std::int64_t> NumberOfId(std::string_view id, std::string_view prefix) {
  if (!id.starts_with(prefix) || id.size() < prefix.size() + 3) return std::nullopt;
  std::int64_t number = 0;
  const char* end = id.data() + id.size();
  const auto [behind, status] = std::from_chars(id.data() + prefix.size(), end, number);
  if (status != std::errc() || behind != end || number < 1) return std::nullopt;
  return number;
}

std::string IdOf(std::string_view prefix, std::int64_t number) {
  return fmt::format("{}{:03}", prefix, number);
}

std::optional<double> NumberIn(const Json& value) {
  if (const std::int64_t* number = value.AsInteger()) return static_cast<double>(*number);
  const Json::Decimal* decimal = value.AsDecimal();
  if (decimal == nullptr) return std::nullopt;
  double number = 0;
  const char* end = decimal->text.data() + decimal->text.size();
  const auto [behind, status] = std::from_chars(decimal->text.data(), end, number);
  if (status != std::errc() || behind != end) return std::nullopt;
  return number;
}

const Json& MemberOf(const Json& object, std::string_view key) {
  static const Json null;
  const Json* found = object.AsObject() == nullptr ? nullptr : object.Find(key);
  return found == nullptr ? null : *found;
}

const Json::Array& ItemsOf(const Json& list) {
  static const Json::Array empty;
  return list.AsArray() == nullptr ? empty : *list.AsArray();
}

const Json::Object& MembersOf(const Json& object) {
  static const Json::Object empty;
  return object.AsObject() == nullptr ? empty : *object.AsObject();
}

}  // namespace belay
