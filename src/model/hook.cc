#include "model/hook.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/utf8.h"
#include "codec/json_lines.h"
#include "codec/json_skim.h"
#include "model/json_fields.h"
#include "model/taint.h"

namespace belay {
namespace {

constexpr std::string_view kPhases[] = {"investigation", "planning", "implementation", "testing",
                                        "completion"};
constexpr std::string_view kStatuses[] = {"active",  "blocked", "handed_off",
                                          "merging", "merged",  "failed"};

template <class T>
std::span<const T> Latest(const std::vector<T>& all, std::size_t most) {
  return std::span<const T>(all).last(std::min(all.size(), most));
}

template <class T>
void KeepLatest(std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) return;
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
}

Json PhasesJson(const Hook& hook) {
  return MakeArray(Latest(hook.phase_history, Hook::kMostPhases), [](const PhaseChange& one) {
    return MakeObject({{"phase", WorkPhaseName(one.phase)},
                       {"at", FormatUtcMicros(one.at)},
                       {"incarnation", one.incarnation},
                       {"source", TextOrNull(one.source)}});
  });
}

Json NotesJson(const Hook& hook) {
  return MakeArray(Latest(hook.notes, Hook::kMostNotes), [](const HookNote& one) {
    return MakeObject({{"text", ReplaceInvalidUtf8(one.text)},
                       {"at", FormatUtcMicros(one.at)},
                       {"incarnation", one.incarnation},
                       {"by", TextOrNull(one.by)}});
  });
}

Json ActionsJson(const Hook& hook) {
  return MakeArray(Latest(hook.last_actions, Hook::kMostActions), [](const HookAction& one) {
    return MakeObject({{"what", ReplaceInvalidUtf8(one.what)},
                       {"at", FormatUtcMicros(one.at)},
                       {"passed", one.passed ? Json(*one.passed) : Json()}});
  });
}

Json PositionJson(const EventLogPosition& position) {
  return MakeObject({{"inode", LargeNumber(position.inode)},
                     {"offset", LargeNumber(position.offset)},
                     {"first", LargeNumber(position.first)}});
}

Json FilesJson(const Hook& hook) {
  const std::size_t count = std::min(hook.files_modified.size(), Hook::kMostFiles);
  return MakeArray(std::span(hook.files_modified).first(count), ReplaceInvalidUtf8);
}

Json TaintJson(const Hook& hook) {
  const TaintState state = hook.tainted ? TaintState::kTainted : TaintState::kClean;
  return MakeObject({{"state", TaintStateName(state)}, {"sources", TextArray(hook.taint_sources)}});
}

Json::Object Members(const Hook& hook) {
  const std::uint64_t files =
      std::max<std::uint64_t>(hook.files_modified_count, hook.files_modified.size());
  return {{"schema_version", Hook::kSchemaVersion},
          {"identity_name", hook.identity.text()},
          {"incarnation", hook.incarnation},
          {"status", HookStatusName(hook.status)},
          {"current_bead", TextOrNull(hook.current_bead)},
          {"current_node", TextOrNull(hook.current_node)},
          {"scope", TextOrNull(hook.scope)},
          {"work_phase", WorkPhaseName(hook.work_phase)},
          {"work_summary", TextOrNull(hook.work_summary)},
          {"last_checkpoint_at", TimeOrNull(hook.last_checkpoint_at)},
          {"files_modified", FilesJson(hook)},
          {"files_modified_count", LargeNumber(files)},
          {"tests_status", TextOrNull(hook.tests_status)},
          {"tests_detail", TextOrNull(hook.tests_detail)},
          {"resumption_instructions", TextOrNull(hook.resumption_instructions)},
          {"phase_history", PhasesJson(hook)},
          {"notes", NotesJson(hook)},
          {"snapshot", TextOrNull(hook.snapshot)},
          {"context_fill", NumberOrNull(hook.context_fill)},
          {"context_window", LargeNumber(hook.context_window)},
          {"last_actions", ActionsJson(hook)},
          {"transcript_path", TextOrNull(hook.transcript_path)},
          {"heard", PositionJson(hook.events_read)},
          {"taint", TaintJson(hook)}};
}

PhaseChange ReadPhase(JsonFields& fields) {
  return {.phase = fields.Name("phase", ParseWorkPhase),
          .at = fields.TimeOrZero("at"),
          .incarnation = fields.Count("incarnation"),
          .source = fields.Text("source")};
}

HookNote ReadNote(JsonFields& fields) {
  return {.text = fields.Text("text"),
          .at = fields.TimeOrZero("at"),
          .incarnation = fields.Count("incarnation"),
          .by = fields.Text("by")};
}

HookAction ReadAction(JsonFields& fields) {
  return {.what = fields.Text("what"),
          .at = fields.TimeOrZero("at"),
          .passed = fields.OptionalBool("passed")};
}

EventLogPosition ReadPosition(JsonFields& fields) {
  return {fields.LargeCount("inode"), fields.LargeCount("offset"), fields.LargeCount("first")};
}

// Tainted unless recorded as clean.
bool ReadTaint(JsonFields& fields, Hook& hook) {
  const std::string state = fields.Text("state");
  hook.tainted = state != TaintStateName(TaintState::kClean);
  if (hook.tainted && state != TaintStateName(TaintState::kTainted)) {
    fields.Fail("state", "isn't a known name");
  }
  hook.taint_sources = fields.Texts("sources");
  return true;
}

void ReadWork(JsonFields& fields, Hook& hook) {
  hook.status = fields.Name("status", ParseHookStatus);
  hook.current_bead = fields.Text("current_bead");
  hook.current_node = fields.Text("current_node");
  hook.scope = fields.Text("scope");
  hook.work_phase = fields.Name("work_phase", ParseWorkPhase);
  hook.work_summary = fields.Text("work_summary");
  hook.last_checkpoint_at = fields.Time("last_checkpoint_at");
  hook.files_modified = fields.Texts("files_modified");
  hook.files_modified_count = fields.LargeCount("files_modified_count");
  hook.tests_status = fields.OptionalText("tests_status").value_or("unknown");
  hook.tests_detail = fields.Text("tests_detail");
  hook.resumption_instructions = fields.Text("resumption_instructions");
  if (const Json* problem = fields.Object("landing_problem")) hook.landing_problem = *problem;
  hook.phase_history = fields.Parts("phase_history", "phase_history", ReadPhase);
  hook.notes = fields.Parts("notes", "notes", ReadNote);
  hook.snapshot = fields.Text("snapshot");
  hook.context_fill = fields.Number("context_fill");
  hook.context_window = fields.LargeCount("context_window");
  hook.last_actions = fields.Parts("last_actions", "last_actions", ReadAction);
  hook.transcript_path = fields.Text("transcript_path");
  hook.events_read = fields.Part("heard", ReadPosition).value_or(EventLogPosition());
  const auto read_taint = [&](JsonFields& inner) { return ReadTaint(inner, hook); };
  if (!fields.Part("taint", read_taint)) fields.Fail("taint", "is missing");
}

Result<Hook> ReadHook(const Json& record) {
  JsonFields fields(record, "hook");
  Result<IdentityName> name = IdentityName::Parse(fields.Text("identity_name"));
  if (!name) fields.Fail("identity_name", "isn't an identity's name");
  const std::uint32_t incarnation = fields.Count("incarnation");
  if (incarnation == 0) fields.Fail("incarnation", "isn't a valid number");
  BELAY_TRY(fields.Check());
  Hook hook{.identity = *std::move(name), .incarnation = incarnation};
  ReadWork(fields, hook);
  BELAY_TRY(fields.Check());
  hook.unknown = fields.Unknown();
  return hook;
}

}  // namespace

std::string_view WorkPhaseName(WorkPhase phase) { return NameIn(kPhases, phase); }
std::optional<WorkPhase> ParseWorkPhase(std::string_view name) {
  return FindIn<WorkPhase>(kPhases, name);
}

std::string_view HookStatusName(HookStatus status) { return NameIn(kStatuses, status); }
std::optional<HookStatus> ParseHookStatus(std::string_view name) {
  return FindIn<HookStatus>(kStatuses, name);
}

Json ToJson(const Hook& hook) {
  Json::Object members = Members(hook);
  if (!hook.landing_problem.is_null()) members.push_back({"landing_problem", hook.landing_problem});
  AddUnknown(hook.unknown, members);
  return members;
}

Result<Hook> HookFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kHook), record, ReadHook);
}

void SetPhase(Hook& hook, WorkPhase phase, WallTime at, std::string_view source) {
  if (hook.work_phase == phase) return;
  hook.work_phase = phase;
  hook.phase_history.push_back({phase, at, hook.incarnation, std::string(source)});
  KeepLatest(hook.phase_history, Hook::kMostPhases);
}

void SetScope(Hook& hook, std::string_view task) {
  if (task.empty()) return;
  hook.scope = CutCodePoints(ReplaceInvalidUtf8(task), Hook::kLongestNote);
}

void AddAction(std::vector<HookAction>& actions, HookAction action) {
  actions.push_back(std::move(action));
  KeepLatest(actions, Hook::kMostActions);
}

void AddNote(Hook& hook, HookNote note) {
  note.text = CutCodePoints(ReplaceInvalidUtf8(note.text), Hook::kLongestNote);
  const std::size_t start = std::min(note.text.find_first_not_of("\r\n"), note.text.size());
  const std::size_t end = note.text.find_first_of("\r\n", start);
  hook.work_summary = note.text.substr(start, end == std::string::npos ? end : end - start);
  hook.notes.push_back(std::move(note));
  KeepLatest(hook.notes, Hook::kMostNotes);
}

// The book: the state that the records of the journal "hooks" add up to.

namespace {

Result<Hook> HookIn(const Json& record) {
  const Json* whole = record.Find("hook");
  if (whole == nullptr) return Error{ErrorCode::kDamaged, "no hook"};
  return HookFromJson(*whole);
}

// Whose hook a line is about.
struct HookSubject {
  std::string_view name;
  std::uint32_t incarnation = 0;
};

// "schema_version", "identity_name", "incarnation", in that order.
std::optional<HookSubject> SubjectIn(JsonSkimmer hook) {
  if (!hook.Next() || hook.key() != "schema_version" ||
      hook.Number() != static_cast<std::uint64_t>(Hook::kSchemaVersion)) {
    return std::nullopt;
  }
  if (!hook.Next() || hook.key() != "identity_name") return std::nullopt;
  const std::optional<std::string_view> name = hook.Text();
  if (!hook.Next() || hook.key() != "incarnation") return std::nullopt;
  const std::optional<std::uint64_t> incarnation = hook.Number();
  if (!name || !incarnation || *incarnation == 0 || *incarnation > UINT32_MAX) return std::nullopt;
  return HookSubject{*name, static_cast<std::uint32_t>(*incarnation)};
}

std::optional<JsonSkimmer> HookIn(std::string_view line) {
  for (JsonSkimmer record(line); record.Next();) {
    if (record.key() == "hook") return record.Object();
  }
  return std::nullopt;
}

// Nothing when the line has to be parsed.
std::optional<HookSummary> HookSummaryIn(JsonSkimmer hook) {
  std::optional<WorkPhase> phase;
  std::optional<HookStatus> status;
  while (hook.Next()) {
    if (hook.key() == "status") status = ParseHookStatus(hook.Text().value_or(""));
    if (hook.key() == "work_phase") phase = ParseWorkPhase(hook.Text().value_or(""));
    if (hook.key() != "context_fill") continue;
    const bool plain = phase && status && hook.IsNull();
    return plain ? std::optional(HookSummary{*phase, std::nullopt, *status}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Json HookRecord(WallTime at, std::string_view kind, std::string_view why, const Hook& hook) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", ReplaceInvalidUtf8(kind)},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"hook", ToJson(hook)}});
}

void HookBook::Put(Hook hook) {
  const IdentityName name = hook.identity;
  const auto at = hooks_.find(name);
  if (at == hooks_.end()) {
    hooks_.emplace(name, std::move(hook));
  } else {
    if (hook.incarnation < at->second.incarnation) return;  // the fence
    at->second = std::move(hook);
  }
  changed_.insert(name);
}

void HookBook::Apply(const Json& record) {
  (void)ParseOffered();  // its result is checked after the last record
  Result<Hook> hook = HookIn(record);
  if (!hook) {
    ++unreadable_;
    return;
  }
  Put(*std::move(hook));
}

bool HookBook::Offer(std::string_view line) {
  const std::optional<JsonSkimmer> hook = HookIn(line);
  const std::optional<HookSubject> subject = hook ? SubjectIn(*hook) : std::nullopt;
  if (!subject) return false;
  auto offered = offered_.find(subject->name);
  if (offered == offered_.end()) {
    const Result<IdentityName> name = IdentityName::Parse(subject->name);
    if (!name) return false;
    const Hook* known = Find(*name);
    if (known != nullptr && subject->incarnation < known->incarnation) return true;  // the fence
    offered = offered_.emplace(name->text(), Offered{}).first;
  }
  if (subject->incarnation < offered->second.incarnation) return true;
  offered->second.incarnation = subject->incarnation;
  lines_.Put(line, offered->second.line);
  return true;
}

bool HookBook::ParseOffered() {
  const KeptLines lines = std::exchange(lines_, {});
  for (const auto& [name, offered] : std::exchange(offered_, {})) {
    const Result<Json> record = ParseGoodJsonLine(lines.Get(offered.line));
    Result<Hook> hook = record ? HookIn(*record) : Result<Hook>(record.error());
    doubtful_ = doubtful_ || !hook;
    if (hook) Put(*std::move(hook));
  }
  return !doubtful_;
}

const Hook* HookBook::Find(const IdentityName& name) const {
  const auto at = hooks_.find(name);
  return at == hooks_.end() ? nullptr : &at->second;
}

HookSummary SummarizeHook(const Hook& hook) {
  return {hook.work_phase, hook.context_fill, hook.status};
}

std::optional<HookSummary> HookBook::Summary(const IdentityName& name) const {
  const auto offered = offered_.find(name.text());
  const Hook* known = Find(name);
  if (offered == offered_.end()) return known ? std::optional(SummarizeHook(*known)) : std::nullopt;
  const std::string_view line = lines_.Get(offered->second.line);
  const std::optional<JsonSkimmer> members = HookIn(line);
  if (const auto glance = members ? HookSummaryIn(*members) : std::nullopt) return glance;
  const Result<Json> record = ParseGoodJsonLine(line);
  const Result<Hook> hook = record ? HookIn(*record) : Result<Hook>(record.error());
  return hook ? std::optional(SummarizeHook(*hook)) : std::nullopt;
}

std::set<IdentityName> HookBook::TakeChanged() { return std::exchange(changed_, {}); }

std::vector<Json> HookBook::Snapshot(WallTime now) const {
  std::vector<Json> records;
  for (const auto& [name, hook] : hooks_) {
    records.push_back(HookRecord(now, "compacted", "the journal was compacted", hook));
  }
  return records;
}

}  // namespace belay
