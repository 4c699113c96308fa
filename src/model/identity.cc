#include "model/identity.h"

#include <algorithm>

#include "model/json_fields.h"

namespace belay {
namespace {

Json NumberOf(const std::optional<int>& number) { return number ? Json(*number) : Json(); }

Json ExitJson(const AgentExit& exit) {
  return MakeObject({{"code", NumberOf(exit.code)},
                     {"signal", NumberOf(exit.signal)},
                     {"cause", ExitCauseName(exit.cause)},
                     {"at", KnownTime(exit.at)}});
}

Json IntentJson(const Intent& intent) {
  return MakeObject({{"what", TextOrNull(intent.what)},
                     {"by", TextOrNull(intent.by)},
                     {"at", KnownTime(intent.at)}});
}

Json RestartJson(const RestartState& restart) {
  return MakeObject({{"restarts", restart.restarts},
                     {"crashes", MakeArray(restart.crashes, FormatUtcMicros)},
                     {"failed_resumes", restart.failed_resumes},
                     {"due", TimeOrNull(restart.due)},
                     {"wait", FormatDuration(std::max(restart.wait, Duration()))},
                     {"reason", TextOrNull(restart.reason)}});
}

Json ProcessJson(const std::optional<ProcessMark>& process) {
  if (!process) return {};
  return MakeObject({{"pid", process->pid}, {"pid_start", LargeNumber(process->start)}});
}

// Both members, or neither.
std::optional<ProcessMark> ReadProcess(JsonFields& fields) {
  const auto pid = fields.Integer("pid", 1);
  const auto start = fields.Integer("pid_start", 0);
  if (pid.has_value() != start.has_value()) fields.Fail("pid", "has no start time");
  if (!pid || !start) return std::nullopt;
  return ProcessMark{*pid, static_cast<std::uint64_t>(*start)};
}

std::optional<int> ReadNumber(JsonFields& fields, std::string_view key) {
  const auto number =
      fields.Integer(key, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

AgentExit ReadExit(JsonFields& fields) {
  return {.code = ReadNumber(fields, "code"),
          .signal = ReadNumber(fields, "signal"),
          .cause = fields.Name("cause", ParseExitCause),
          .at = fields.TimeOrZero("at")};
}

Intent ReadIntent(JsonFields& fields) {
  return {fields.Text("what"), fields.Text("by"), fields.TimeOrZero("at")};
}

RestartState ReadRestart(JsonFields& fields) {
  RestartState restart;
  restart.restarts = fields.Count("restarts");
  restart.crashes = fields.Times("crashes");
  restart.failed_resumes = fields.Count("failed_resumes");
  restart.due = fields.Time("due");
  restart.wait = fields.Length("wait");
  restart.reason = fields.Text("reason");
  return restart;
}

// Missing in older records.
KindSource ReadKindSource(JsonFields& fields) {
  const std::optional<std::string_view> name = fields.FindText("agent_kind_source");
  if (!name) return KindSource::kUnknown;
  const std::optional<KindSource> source = ParseKindSource(*name);
  if (!source) fields.Fail("agent_kind_source", "isn't a known name");
  return source.value_or(KindSource::kUnknown);
}

Json KindSourceJson(KindSource source) {
  return source == KindSource::kUnknown ? Json() : Json(KindSourceName(source));
}

// The name is stored three times, and must be the same.
Result<AgentId> ReadId(JsonFields& fields) {
  Result<AgentId> id = AgentId::Parse(fields.Text("agent_id"));
  if (!id) fields.Fail("agent_id", "isn't an agent id");
  const std::string role = fields.Text("role");
  const std::string name = fields.Text("name");
  const std::uint32_t incarnation = fields.Count("incarnation");
  BELAY_TRY(fields.Check());
  const bool same = role == id->identity().role() && name == id->identity().name() &&
                    incarnation == id->incarnation();
  if (!same) fields.Fail("agent_id", "contradicts role, name and incarnation");
  BELAY_TRY(fields.Check());
  return id;
}

// In the order of ToJson.
void ReadWhere(JsonFields& fields, Identity& identity) {
  identity.status = fields.Name("status", ParseAgentStatus);
  identity.session_id = fields.Text("session_id");
  identity.process = ReadProcess(fields);
  identity.parent = fields.Part("parent", ReadProcess).value_or(std::nullopt);
  identity.boot_id = fields.Text("boot_id");
  identity.tmux_session = fields.Text("tmux_session");
  identity.node_id = fields.Text("node_id");
  identity.bead_id = fields.Text("bead_id");
  identity.worktree_path = fields.Text("worktree_path");
  identity.hook_path = fields.Text("hook_path");
  identity.created_at = fields.TimeOrZero("created_at");
  identity.started_at = fields.Time("started_at");
  identity.last_seen = fields.TimeOrZero("last_seen");
  identity.last_activity = fields.Time("last_activity");
}

void ReadRest(JsonFields& fields, Identity& identity) {
  identity.predecessor_id = fields.OptionalText("predecessor_id");
  identity.host = fields.Name("host", ParseAgentHost);
  identity.agent_kind = fields.Name("agent_kind", ParseAgentKind);
  identity.kind_source = ReadKindSource(fields);
  identity.command = fields.Texts("command");
  identity.respawn = fields.Bool("respawn", true);
  identity.spawn_deadline = fields.Time("spawn_deadline");
  identity.deadline = fields.Time("deadline");
  identity.exit = fields.Part("exit", ReadExit);
  identity.intent = fields.Part("intent", ReadIntent);
  identity.restart = fields.Part("restart", ReadRestart).value_or(RestartState());
  identity.lease = fields.Any("lease");
  identity.context_fill = fields.Number("context_fill");
  identity.tainted = fields.Bool("tainted", false);
}

Result<Identity> ReadIdentity(JsonFields& fields) {
  BELAY_TRY_ASSIGN(AgentId id, ReadId(fields));
  Identity identity{.id = std::move(id)};
  ReadWhere(fields, identity);
  ReadRest(fields, identity);
  identity.unknown = fields.Unknown();
  BELAY_TRY(fields.Check());
  return identity;
}

Json::Object Members(const Identity& identity) {
  const IdentityName& name = identity.id.identity();
  const auto& process = identity.process;
  const auto& predecessor = identity.predecessor_id;
  return {{"schema_version", Identity::kSchemaVersion},
          {"agent_id", identity.id.text()},
          {"role", name.role()},
          {"name", name.name()},
          {"incarnation", identity.id.incarnation()},
          {"status", AgentStatusName(identity.status)},
          {"session_id", TextOrNull(identity.session_id)},
          {"pid", process ? Json(process->pid) : Json()},
          {"pid_start", process ? LargeNumber(process->start) : Json()},
          {"parent", ProcessJson(identity.parent)},
          {"boot_id", TextOrNull(identity.boot_id)},
          {"tmux_session", TextOrNull(identity.tmux_session)},
          {"node_id", TextOrNull(identity.node_id)},
          {"bead_id", TextOrNull(identity.bead_id)},
          {"worktree_path", TextOrNull(identity.worktree_path)},
          {"hook_path", TextOrNull(identity.hook_path)},
          {"created_at", KnownTime(identity.created_at)},
          {"started_at", TimeOrNull(identity.started_at)},
          {"last_seen", KnownTime(identity.last_seen)},
          {"last_activity", TimeOrNull(identity.last_activity)},
          {"predecessor_id", predecessor ? TextOrNull(*predecessor) : Json()},
          {"host", AgentHostName(identity.host)},
          {"agent_kind", AgentKindName(identity.agent_kind)},
          {"agent_kind_source", KindSourceJson(identity.kind_source)},
          {"command", TextArray(identity.command)},
          {"respawn", identity.respawn},
          {"spawn_deadline", TimeOrNull(identity.spawn_deadline)},
          {"deadline", TimeOrNull(identity.deadline)},
          {"exit", identity.exit ? ExitJson(*identity.exit) : Json()},
          {"intent", identity.intent ? IntentJson(*identity.intent) : Json()},
          {"restart", RestartJson(identity.restart)},
          {"lease", identity.lease},
          {"context_fill", NumberOrNull(identity.context_fill)},
          {"tainted", identity.tainted}};
}

}  // namespace

bool StopIsRequested(const Identity& identity) {
  return identity.intent &&
         (identity.intent->what == "stop" || identity.intent->what == kDeadlineIntent);
}

bool IsTimedOut(const Identity& identity) {
  return identity.intent && identity.intent->what == kDeadlineIntent;
}

Json ToJson(const Identity& identity) {
  Json::Object members = Members(identity);
  AddUnknown(identity.unknown, members);
  return members;
}

Result<Identity> IdentityFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kIdentity), record, [](const Json& newest) {
    JsonFields fields(newest, "identity");
    return ReadIdentity(fields);
  });
}

Result<Identity> IdentityFromText(JsonSkimmer object) {
  JsonFields fields(object, "identity");
  return ReadIdentity(fields);
}

}  // namespace belay
