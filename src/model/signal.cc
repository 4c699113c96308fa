#include "model/signal.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

constexpr std::string_view kGuardianName = "guardian";
constexpr std::string_view kPersonName = "person";
constexpr std::string_view kCommandName = "command";

std::string_view PartyName(Party party) {
  switch (party) {
    case Party::kAgent:
      return "an agent";
    case Party::kRunner:
      return "a runner";
    case Party::kGuardian:
      return "the guardian";
    case Party::kPerson:
      return "a person";
    case Party::kCommand:
      return "the configured command";
  }
  __builtin_unreachable();
}

bool Has(std::uint8_t parties, Party party) {
  return (parties & static_cast<std::uint8_t>(party)) != 0;
}

bool IsSender(std::string_view from) {
  return from == kGuardianName || from == kPersonName || from == kCommandName ||
         AgentId::Parse(from).ok();
}

// --payload '{"agent_id":"...","cause":"..."}'
std::string PayloadHint(const SignalRule& rule) {
  std::string members;
  for (const std::string_view name : Split(rule.payload, ' ')) {
    members += fmt::format("{}\"{}\":\"...\"", members.empty() ? "" : ",", name);
  }
  return fmt::format("--payload '{{{}}}'", members);
}

Result<void> CheckPayload(const SignalRule& rule, const Json& payload) {
  if (payload.AsObject() == nullptr) {
    return Error{ErrorCode::kUsage, fmt::format("{}: the payload is not an object", rule.name),
                 "such as --payload '{}'"};
  }
  std::string_view names = rule.payload;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    const Json* value = payload.Find(name);
    if (value == nullptr || value->is_null()) {
      return Error{ErrorCode::kUsage, fmt::format("{}: the payload has no {}", rule.name, name),
                   PayloadHint(rule)};
    }
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  return {};
}

}  // namespace

Recipient Recipient::Guardian() { return {std::string(kGuardianName), Party::kGuardian}; }
Recipient Recipient::Person() { return {std::string(kPersonName), Party::kPerson}; }
Recipient Recipient::Agent(const IdentityName& name) { return {name.text(), Party::kAgent}; }

Result<Recipient> Recipient::Parse(std::string_view text) {
  if (text == kGuardianName) return Guardian();
  if (text == kPersonName) return Person();
  const Result<IdentityName> name = IdentityName::Parse(text);
  if (name) return Agent(*name);
  return Error{ErrorCode::kUsage, fmt::format("no recipient {}", Quote(text)),
               "write guardian, person, or an agent like orchestrator-fix-login"};
}

Json ToJson(const Signal& signal) {
  Json json = Json::EmptyObject();
  if (!signal.id.empty()) json.Set("id", ReplaceInvalidUtf8(signal.id));
  json.Set("type", RuleOf(signal.type).name);
  json.Set("from", ReplaceInvalidUtf8(signal.from));
  json.Set("to", ReplaceInvalidUtf8(signal.to));
  json.Set("at", FormatUtcMicros(signal.at));
  json.Set("payload", signal.payload);
  return json;
}

namespace {

Result<Signal> ReadSignal(const Json& record) {
  JsonFields fields(record, "signal");
  std::string id = fields.Text("id");
  const Result<SignalType> type = ParseSignalType(fields.Text("type"));
  if (!type) fields.Fail(type.error());
  std::string from = fields.Text("from");
  if (!IsSender(from)) fields.Fail("from", "isn't a sender");
  std::string to = fields.Text("to");
  if (!Recipient::Parse(to)) fields.Fail("to", "isn't a recipient");
  const std::optional<WallTime> at = fields.Time("at");
  if (!at) fields.Fail("at", "is missing");
  const Json* payload = fields.Object("payload");
  if (payload == nullptr) fields.Fail("payload", "is missing");
  BELAY_TRY(fields.Check());
  return Signal{std::move(id), *type, std::move(from), std::move(to), *at, *payload};
}

}  // namespace

Result<Signal> SignalFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kSignal), record, ReadSignal);
}

Result<void> CheckSignal(const Signal& signal, Party sender, const Recipient& to) {
  const SignalRule& rule = RuleOf(signal.type);
  if (!Has(rule.senders, sender)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} may not send {}", PartyName(sender), rule.name),
                 "belay help signal lists who may"};
  }
  if (!Has(rule.recipients, to.party())) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} can't receive {}", PartyName(to.party()), rule.name),
                 "belay help signal lists the recipients"};
  }
  return CheckPayload(rule, signal.payload);
}

std::string SignalText(const Signal& signal) {
  const auto text_of = [&](std::string_view key) {
    const Json* value = signal.payload.Find(key);
    return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
  };
  std::string said;
  for (const std::string_view key : {"reason", "question", "text", "evidence", "cause", "commit"}) {
    if (said.empty()) said = text_of(key);
  }
  std::string about = text_of("entry_id");
  if (about.empty()) about = text_of("agent_id");
  if (about.empty() && said.empty()) return WriteJson(signal.payload, JsonStyle::kCompact);
  if (about.empty() || said.find(about) != std::string::npos) return said;
  return said.empty() ? about : about + ": " + said;
}

// Which party may send what to which; docs/signals.md has the same table.

namespace {

template <class... Parties>
constexpr std::uint8_t Bits(Parties... parties) {
  return static_cast<std::uint8_t>((0U | ... | static_cast<unsigned>(parties)));
}

constexpr Party kA = Party::kAgent;
constexpr Party kR = Party::kRunner;
constexpr Party kG = Party::kGuardian;
constexpr Party kP = Party::kPerson;
constexpr Party kC = Party::kCommand;

using enum SignalType;

// In the order of SignalType.
// clang-format off
constexpr SignalRule kRules[] = {
    {kAgentRegistered, "AGENT_REGISTERED", Bits(kG), Bits(kG, kP), "agent_id",
     "a new agent was recorded"},
    {kAgentCrashed, "AGENT_CRASHED", Bits(kG), Bits(kG, kP), "agent_id cause",
     "an agent ended unexpectedly"},
    {kAgentTerminated, "AGENT_TERMINATED", Bits(kG), Bits(kG, kP), "agent_id cause",
     "an agent ended as intended"},
    {kHookUpdated, "HOOK_UPDATED", Bits(kA, kR, kG, kP), Bits(kG), "hook_path sha256",
     "what an agent is working on has changed"},
    {kMergeReady, "MERGE_READY", Bits(kA, kP), Bits(kG), "",
     "the work is done and may be merged"},
    {kMergeConflict, "MERGE_CONFLICT", Bits(kG), Bits(kA, kP), "files ours theirs",
     "the work conflicts with what was merged before"},
    {kMergeComplete, "MERGE_COMPLETE", Bits(kG), Bits(kA, kG, kP), "commit",
     "the work is merged"},
    {kMergeFailed, "MERGE_FAILED", Bits(kG), Bits(kA, kP), "reason",
     "the work could not be merged"},
    {kContextWarning, "CONTEXT_WARNING", Bits(kR, kG), Bits(kA, kG, kP), "urgency evidence",
     "an agent's context is filling up"},
    {kHandoffRequested, "HANDOFF_REQUESTED", Bits(kG), Bits(kA, kG), "correlation_id",
     "an agent must save its work and end"},
    {kHandoffComplete, "HANDOFF_COMPLETE", Bits(kG), Bits(kG, kP), "correlation_id",
     "the successor is working"},
    {kHandoffTimeout, "HANDOFF_TIMEOUT", Bits(kG), Bits(kG, kP), "correlation_id",
     "an agent did not end in time"},
    {kOrchestratorStuck, "ORCHESTRATOR_STUCK", Bits(kR, kG), Bits(kG, kP), "agent_id evidence",
     "an agent is running but does nothing"},
    {kOrchestratorCrashed, "ORCHESTRATOR_CRASHED", Bits(kG), Bits(kG, kP), "agent_id cause",
     "another name for AGENT_CRASHED"},
    {kNeedsReview, "NEEDS_REVIEW", Bits(kA, kP), Bits(kG, kP), "",
     "the work needs a review"},
    {kNeedsInput, "NEEDS_INPUT", Bits(kA, kR), Bits(kG, kP), "question",
     "an agent is waiting for an answer"},
    {kNodeComplete, "NODE_COMPLETE", Bits(kA, kP), Bits(kG), "node_id",
     "the work on a node is done"},
    {kValidationPassed, "VALIDATION_PASSED", Bits(kP, kC), Bits(kG), "node_id head",
     "the work on a node passed validation"},
    {kValidationFailed, "VALIDATION_FAILED", Bits(kP, kC), Bits(kA, kG), "node_id reason",
     "the work on a node failed validation"},
    {kGuidance, "GUIDANCE", Bits(kG, kP), Bits(kA), "text",
     "information for an agent"},
    {kInputResponse, "INPUT_RESPONSE", Bits(kG, kP), Bits(kA), "text",
     "the answer to NEEDS_INPUT"},
    {kKillOrchestrator, "KILL_ORCHESTRATOR", Bits(kG, kP), Bits(kG), "agent_id",
     "an agent must be ended"},
    {kEscalate, "ESCALATE", Bits(kA, kR, kG), Bits(kG, kP), "reason",
     "a person has to decide"},
    {kTaskSuspended, "TASK_SUSPENDED", Bits(kA, kG, kC), Bits(kG, kP), "task_id context_path reason",
     "the work on a task was put aside"},
};
// clang-format on

constexpr bool InOrder() {
  for (std::size_t i = 0; i < std::size(kRules); ++i) {
    if (static_cast<std::size_t>(kRules[i].type) != i) return false;
  }
  return std::size(kRules) == static_cast<std::size_t>(kTaskSuspended) + 1;
}
static_assert(InOrder());

}  // namespace

std::span<const SignalRule> SignalRules() { return kRules; }

const SignalRule& RuleOf(SignalType type) { return kRules[static_cast<std::size_t>(type)]; }

Result<SignalType> ParseSignalType(std::string_view name) {
  const auto* const rule = std::find_if(std::begin(kRules), std::end(kRules),
                                        [&](const SignalRule& one) { return one.name == name; });
  if (rule != std::end(kRules)) {
    return rule->type == kOrchestratorCrashed ? kAgentCrashed : rule->type;
  }
  std::vector<std::string_view> known;
  for (const SignalRule& one : kRules) known.push_back(one.name);
  return Error{ErrorCode::kUsage, "unknown signal " + Quote(name),
               DidYouMean(name, known, "belay help signal lists them")};
}

bool IsNews(SignalType type) {
  return type == SignalType::kAgentRegistered || type == SignalType::kAgentTerminated;
}

}  // namespace belay
