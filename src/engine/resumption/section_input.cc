// What goes into a section besides events: texts that can be stored, fields of the command line,
// what the rest of the file says, and what moves to the archive.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/utf8.h"
#include "engine/resumption/triggers.h"

namespace belay {
namespace {

using enum ResumptionPart;

constexpr std::size_t kLongestResumptionText = 2'000;
constexpr std::size_t kMostBlanks = 100;

}  // namespace

// What the strict parser reads back: no control characters, no long runs of blanks.
std::string StorableText(std::string_view text) {
  const std::string valid = ReplaceInvalidUtf8(text);
  const std::string_view cut = CutCodePoints(valid, kLongestResumptionText);
  std::string out;
  std::size_t blanks = 0;
  for (std::size_t at = 0; at < cut.size();) {
    const CodePoint point = DecodeUtf8(cut.substr(at));
    at += point.bytes;
    const char32_t c = point.value;
    const bool hidden = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) ||
                        c == 0x2028 || c == 0x2029 || c == 0xFEFF;
    const bool blank = c == ' ' || c == '\t' || hidden;
    blanks = blank ? blanks + 1 : 0;
    if (blanks > kMostBlanks) continue;
    AppendUtf8(hidden ? U' ' : c, out);
  }
  return out;
}

Json Storable(const Json& value) {
  if (const std::string* text = value.AsString()) return StorableText(*text);
  if (const Json::Array* items = value.AsArray()) {
    Json list = Json::EmptyArray();
    for (const Json& item : *items) list.Append(Storable(item));
    return list;
  }
  if (const Json::Object* members = value.AsObject()) {
    Json object = Json::EmptyObject();
    for (const JsonMember& member : *members) {
      object.Set(StorableText(member.key), Storable(member.value));
    }
    return object;
  }
  return value;
}

const FieldRule* FindStateRule(std::string_view name) {
  for (const FieldRule& rule : ResumptionFields()) {
    if (rule.of == "recovery_state" && rule.name == name) return &rule;
  }
  return nullptr;
}

namespace {

Json ValueOf(std::string_view text, FieldType type) {
  if (text == "null") return {};
  const Json typed = JsonOfYaml([&] {
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.text = text;
    node.quoted = type == FieldType::kText || type == FieldType::kStatus;
    return node;
  }());
  const std::optional<std::string_view> status =
      type == FieldType::kStatus ? NormalStatus(text) : std::nullopt;
  return status ? Json(*status) : typed;
}

std::vector<std::string_view> SettableFields() {
  std::vector<std::string_view> names;
  for (const FieldRule& rule : ResumptionFields()) {
    if (rule.of == "recovery_state" && !rule.computed) names.push_back(rule.name);
  }
  return names;
}

}  // namespace

Result<void> SetField(Json& set, std::string_view argument) {
  const std::size_t sign = argument.find('=');
  if (sign == std::string_view::npos) {
    return Error{ErrorCode::kUsage, fmt::format("--set {} has no =", Quote(argument)),
                 "--set next_step=\"run the audit\""};
  }
  std::string_view name = argument.substr(0, sign);
  constexpr std::string_view kState = "recovery_state.";
  if (name.starts_with(kState)) name.remove_prefix(kState.size());
  const FieldRule* rule = FindStateRule(name);
  if (rule == nullptr) {
    const std::vector<std::string_view> known = SettableFields();
    return Error{ErrorCode::kUsage, fmt::format("recovery_state has no field {}", Quote(name)),
                 DidYouMean(name, known, "the other sub-sections are changed with --data")};
  }
  if (rule->computed) {
    return Error{ErrorCode::kUsage, fmt::format("belay sets {} itself", name)};
  }
  set.Set(name, ValueOf(argument.substr(sign + 1), rule->type));
  return {};
}

namespace {

// The members that `model` has come first, in its order.
void PutInOrder(Json& value, const Json& model) {
  if (value.AsObject() == nullptr || model.AsObject() == nullptr) return;
  Json ordered = Json::EmptyObject();
  for (const JsonMember& member : *model.AsObject()) {
    const Json* found = value.Find(member.key);
    ordered.Set(member.key, found == nullptr ? member.value : *found);
  }
  for (const JsonMember& member : *value.AsObject()) ordered.Set(member.key, member.value);
  value = std::move(ordered);
}

}  // namespace

void Complete(Resumption& section, std::string_view document) {
  const Resumption empty = EmptyResumption();
  for (const ResumptionPart part : AllResumptionParts()) {
    Json& value = section[part];
    if (value.is_null()) value = empty[part];
    if (section.version != 2) PutInOrder(value, empty[part]);
    for (const JsonMember& member : MembersOf(empty[part])) {
      if (value.AsObject() != nullptr && value.Find(member.key) == nullptr) {
        value.Set(member.key, member.value);
      }
    }
  }
  for (Json& entry : *section[kDecisionLog].AsArray()) {
    if (entry.Find("applied") == nullptr) entry.Set("applied", false);
  }
  if (ItemsOf(section[kFilesToRead]).empty()) {
    section[kFilesToRead].Append(MakeObject({{"path", StorableText(document)},
                                             {"priority", 1},
                                             {"purpose", "the workflow and where it stands"}}));
  }
}

namespace {

constexpr std::size_t kKeptDecisions = 20;
constexpr std::size_t kKeptAgents = 30;
constexpr std::size_t kKeptCompactions = 10;
constexpr std::size_t kKeptScores = 20;  // of each gate
constexpr std::size_t kKeptGates = 20;   // that passed, with their scores
constexpr std::size_t kKeptPatterns = 20;
constexpr std::size_t kMostOpen = 5;  // times as many, if they aren't finished with

// Takes the oldest entries, as long as each is finished with, or there are far too many.
template <class Done>
Json::Array TakeOldest(Json::Array& entries, std::size_t kept, Done done) {
  std::size_t count = 0;
  while (entries.size() - count > kept &&
         (done(entries[count]) || entries.size() - count > kMostOpen * kept)) {
    ++count;
  }
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(count);
  Json::Array taken(std::make_move_iterator(entries.begin()), std::make_move_iterator(end));
  entries.erase(entries.begin(), end);
  return taken;
}

void MoveOldest(Json& list, std::size_t kept, std::string_view done, std::string_view kind,
                std::int64_t& number, std::string_view prefix, std::vector<ArchivedEntry>& moved) {
  const auto is_done = [&](const Json& entry) { return MemberOf(entry, done) == Json(true); };
  for (Json& entry : TakeOldest(*list.AsArray(), kept, is_done)) {
    const std::string id = TextIn(entry, "id");
    number = NumberOfId(id, prefix).value_or(number);
    moved.push_back({std::string(kind), id, std::move(entry)});
  }
}

void MovePatterns(Json& defects, std::vector<ArchivedEntry>& moved) {
  Json* patterns = defects.Find("recurring_patterns");
  if (patterns == nullptr || patterns->AsArray() == nullptr) return;
  const auto resolved = [](const Json& one) { return !MemberOf(one, "resolution").is_null(); };
  for (Json& one : TakeOldest(*patterns->AsArray(), kKeptPatterns, resolved)) {
    const std::string name = TextIn(one, "pattern");
    moved.push_back({"pattern", name, std::move(one)});
  }
}

// The oldest gates that passed: their names stay.
void MoveGates(Json& quality, std::int64_t& number, std::vector<ArchivedEntry>& moved) {
  Json* history = quality.Find("score_history");
  if (history == nullptr || history->AsObject() == nullptr) return;
  const Json::Array& completed = ItemsOf(MemberOf(quality, "gates_completed"));
  const auto passed = [&](const JsonMember& gate) {
    return std::ranges::find(completed, Json(gate.key)) != completed.end();
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(*history->AsObject(), passed));
  std::size_t extra = count > kKeptGates ? count - kKeptGates : 0;
  std::erase_if(*history->AsObject(), [&](JsonMember& gate) {
    if (extra == 0 || !passed(gate)) return false;
    --extra;
    const auto scores = static_cast<std::int64_t>(ItemsOf(gate.value).size());
    if (scores > 0) moved.push_back({"scores", gate.key, std::move(gate.value), number});
    number += scores;
    return true;
  });
}

void MoveScores(Json& quality, std::int64_t& number, std::vector<ArchivedEntry>& moved) {
  Json* history = quality.Find("score_history");
  if (history == nullptr || history->AsObject() == nullptr) return;
  for (JsonMember& gate : *history->AsObject()) {
    Json::Array* scores = gate.value.AsArray();
    if (scores == nullptr || scores->size() <= kKeptScores) continue;
    const auto end = scores->end() - static_cast<std::ptrdiff_t>(kKeptScores);
    moved.push_back({"scores", gate.key, Json::Array(scores->begin(), end), number});
    number += end - scores->begin();
    scores->erase(scores->begin(), end);
  }
}

}  // namespace

std::vector<ArchivedEntry> MoveToArchive(Resumption& section, std::string_view archive_file) {
  std::vector<ArchivedEntry> moved;
  MoveOldest(section[kDecisionLog], kKeptDecisions, "applied", "decision",
             section.archive.decisions, "RD-", moved);
  Json& events = *section[kCompactionEvents].Find("events");
  MoveOldest(events, kKeptCompactions, "acknowledged", "compaction", section.archive.compactions,
             "CX-", moved);
  MoveScores(section[kQualityTrajectory], section.archive.scores, moved);
  MoveGates(section[kQualityTrajectory], section.archive.scores, moved);
  MovePatterns(section[kDefectSummary], moved);
  auto& agents = *section[kAgentSummaries].AsObject();
  const std::size_t extra = agents.size() > kKeptAgents ? agents.size() - kKeptAgents : 0;
  for (std::size_t i = 0; i < extra; ++i) {
    moved.push_back({"agent", agents[i].key, agents[i].value});
  }
  agents.erase(agents.begin(), agents.begin() + static_cast<std::ptrdiff_t>(extra));
  section.archive.agents += static_cast<std::int64_t>(extra);
  if (!moved.empty()) section.archive.file = archive_file;
  return moved;
}

namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    if (c == '-' || c == ' ') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

std::string ScalarAt(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.Find(key);
  return found != nullptr && found->kind == YamlNode::Kind::kScalar ? found->text : std::string();
}

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// A phase of a list, or of a map by name.
struct PhaseEntry {
  const YamlNode* node;
  std::string key;  // of a map
};

std::vector<PhaseEntry> PhasesOf(const YamlNode& pipeline) {
  std::vector<PhaseEntry> phases;
  const YamlNode* node = pipeline.Find("phases");
  if (node == nullptr) return phases;
  for (const YamlNode& item : node->items) phases.push_back({&item, {}});
  for (const YamlEntry& entry : node->entries) phases.push_back({&entry.value, entry.key});
  return phases;
}

// By its id or number, else by the number that its key ends with.
std::optional<std::int64_t> NumberOfPhase(const PhaseEntry& phase) {
  for (const std::string_view key : {"id", "number", "phase"}) {
    if (const auto number = WholeNumber(ScalarAt(*phase.node, key))) return number;
  }
  const std::size_t digits = phase.key.find_last_not_of("0123456789");
  if (digits == std::string::npos || digits + 1 == phase.key.size()) return WholeNumber(phase.key);
  return WholeNumber(std::string_view(phase.key).substr(digits + 1));
}

bool IsInProgress(const YamlNode& node) {
  const std::string status = Upper(ScalarAt(node, "status"));
  return status == "IN_PROGRESS" || status == "ACTIVE";
}

const YamlNode* ChoosePipeline(const YamlNode& pipelines) {
  const YamlNode* first = nullptr;
  for (const YamlEntry& entry : pipelines.entries) {
    if (entry.value.kind != YamlNode::Kind::kMap) continue;
    if (first == nullptr) first = &entry.value;
    if (IsInProgress(entry.value)) return &entry.value;
  }
  for (const YamlEntry& entry : pipelines.entries) {
    for (const PhaseEntry& phase : PhasesOf(entry.value)) {
      if (IsInProgress(*phase.node)) return &entry.value;
    }
  }
  return first;
}

void ReadPhase(const YamlNode& pipeline, WorkflowFacts& facts) {
  const std::vector<PhaseEntry> phases = PhasesOf(pipeline);
  facts.phase = WholeNumber(ScalarAt(pipeline, "current_phase"));
  const auto found = std::ranges::find_if(phases, [&](const PhaseEntry& phase) {
    return facts.phase ? NumberOfPhase(phase) == facts.phase : IsInProgress(*phase.node);
  });
  if (found == phases.end()) return;
  if (!facts.phase) facts.phase = NumberOfPhase(*found);
  const std::string name = ScalarAt(*found->node, "name");
  if (!name.empty() || !found->key.empty()) facts.phase_name = name.empty() ? found->key : name;
  const std::string status = Upper(ScalarAt(*found->node, "status"));
  facts.phase_status = status == "COMPLETED" || status == "DONE" ? "COMPLETE" : status;
}

}  // namespace

WorkflowFacts ReadWorkflow(const YamlNode& root) {
  WorkflowFacts facts;
  if (const YamlNode* checkpoints = root.Find("checkpoints")) {
    const std::string latest = ScalarAt(*checkpoints, "latest_id");
    if (!latest.empty()) facts.last_checkpoint = StorableText(latest);
  }
  if (const YamlNode* workflow = root.Find("workflow")) {
    facts.status = NormalStatus(ScalarAt(*workflow, "status"));
  }
  const YamlNode* pipelines = root.Find("pipelines");
  const YamlNode* pipeline = pipelines == nullptr ? nullptr : ChoosePipeline(*pipelines);
  if (pipeline != nullptr) ReadPhase(*pipeline, facts);
  return facts;
}

}  // namespace belay
