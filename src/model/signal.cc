#include "model/signal.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/split.h"
#include "base/utf8.h"
#include "model/json_fields.h"

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
    return Error{ErrorCode::kUsage, fmt::format("{}: its payload is no object", rule.name),
                 "such as --payload '{}'"};
  }
  std::string_view names = rule.payload;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    const Json* value = payload.Find(name);
    if (value == nullptr || value->is_null()) {
      return Error{ErrorCode::kUsage, fmt::format("{}: its payload lacks {}", rule.name, name),
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

Result<Signal> SignalFromJson(const Json& record) {
  JsonFields fields(record, "signal");
  std::string id = fields.Text("id");
  const Result<SignalType> type = ParseSignalType(fields.Text("type"));
  if (!type) fields.Fail(type.error());
  std::string from = fields.Text("from");
  if (!IsSender(from)) fields.Fail("from", "isn't somebody");
  std::string to = fields.Text("to");
  if (!Recipient::Parse(to)) fields.Fail("to", "isn't a recipient");
  const std::optional<WallTime> at = fields.Time("at");
  if (!at) fields.Fail("at", "is missing");
  const Json* payload = fields.Object("payload");
  if (payload == nullptr) fields.Fail("payload", "is missing");
  BELAY_TRY(fields.Check());
  return Signal{std::move(id), *type, std::move(from), std::move(to), *at, *payload};
}

Result<void> CheckSignal(const Signal& signal, Party sender, const Recipient& to) {
  const SignalRule& rule = RuleOf(signal.type);
  if (!Has(rule.senders, sender)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} may not be sent by {}", rule.name, PartyName(sender)),
                 "belay help signal says who may"};
  }
  if (!Has(rule.recipients, to.party())) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is not for {}", rule.name, PartyName(to.party())),
                 "belay help signal says for whom"};
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

}  // namespace belay
