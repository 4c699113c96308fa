#include "host/run_record.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "model/stored_record.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

// Without it, the process stored in the identity counts, and the run lock prevents a second start.
constexpr const char* kHowToFix = "move it away, then try again";
constexpr std::size_t kMostRunBytes = std::size_t{1} << 20U;

constexpr std::string_view kStates[] = {"starting", "running", "ended", "failed"};

Error DamagedRun(std::string_view what) {
  return {ErrorCode::kDamaged, fmt::format("run record: {}", what)};
}

Json ProcessJson(const ProcessIdentity& process) {
  return MakeObject({{"pid", static_cast<std::int64_t>(process.pid)},
                     {"start", process.start_time},
                     {"boot_id", process.boot_id}});
}

const std::int64_t* IntegerIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value == nullptr ? nullptr : value->AsInteger();
}

std::optional<ProcessIdentity> ProcessIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  if (value == nullptr) return std::nullopt;
  const std::int64_t* pid = IntegerIn(*value, "pid");
  const std::int64_t* start = IntegerIn(*value, "start");
  if (pid == nullptr || start == nullptr) return std::nullopt;
  return ProcessIdentity{static_cast<pid_t>(*pid), static_cast<std::uint64_t>(*start),
                         TextIn(*value, "boot_id")};
}

std::optional<WallTime> TimeIn(const Json& record, std::string_view key) {
  const Result<WallTime> time = ParseUtc(TextIn(record, key));
  return time ? std::optional<WallTime>(*time) : std::nullopt;
}

Json ExitJson(const ExitStatus& exit) {
  switch (exit.how) {
    case ExitStatus::How::kExited:
      return MakeObject({{"code", exit.value}});
    case ExitStatus::How::kKilled:
      return MakeObject({{"signal", exit.value}, {"core", exit.core_dumped}});
    case ExitStatus::How::kUnknown:
      return Json::EmptyObject();
  }
  __builtin_unreachable();
}

ExitStatus ExitFrom(const Json& exit) {
  if (const auto* code = IntegerIn(exit, "code"))
    return ExitStatus::Exited(static_cast<int>(*code));
  if (const auto* signal = IntegerIn(exit, "signal")) {
    const Json* core = exit.Find("core");
    const bool dumped = core != nullptr && core->AsBool() != nullptr && *core->AsBool();
    return ExitStatus::Killed(static_cast<int>(*signal), dumped);
  }
  return ExitStatus::Unknown();
}

Result<RunState> ParseState(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kStates); ++i) {
    if (kStates[i] == name) return static_cast<RunState>(i);
  }
  return DamagedRun(fmt::format("unknown state: {}", Quote(name)));
}

void ReadEnd(const Json& record, RunRecord& run) {
  if (const Json* exit = record.Find("exit")) run.exit = ExitFrom(*exit);
  run.ended_at = TimeIn(record, "ended_at");
  const Json* oom = record.Find("oom");
  run.oom = oom != nullptr && oom->AsBool() != nullptr && *oom->AsBool();
  const Json* survivors = record.Find("survivors");
  if (survivors == nullptr || survivors->AsArray() == nullptr) return;
  for (const Json& one : *survivors->AsArray()) {
    if (one.AsString() != nullptr) run.survivors.push_back(*one.AsString());
  }
}

Result<RunRecord> ReadRun(const Json& record) {
  const Result<AgentId> agent = AgentId::Parse(TextIn(record, "agent_id"));
  if (!agent) return DamagedRun(agent.error().message);
  BELAY_TRY_ASSIGN(const RunState state, ParseState(TextIn(record, "state")));
  const std::optional<ProcessIdentity> parent = ProcessIn(record, "parent");
  if (!parent) return DamagedRun("the writing process is missing");
  RunRecord run{.agent = *agent, .state = state, .parent = *parent};
  run.process = ProcessIn(record, "process");
  run.started_at = TimeIn(record, "started_at").value_or(WallTime());
  run.error = TextIn(record, "error");
  ReadEnd(record, run);
  return run;
}

}  // namespace

std::string_view RunStateName(RunState state) { return kStates[static_cast<std::size_t>(state)]; }

Json ToJson(const RunRecord& record) {
  Json json = MakeObject({{kVersionKey, NewestVersion(StoredRecord::kRun)},
                          {"agent_id", record.agent.text()},
                          {"state", RunStateName(record.state)},
                          {"parent", ProcessJson(record.parent)}});
  if (record.process) json.Set("process", ProcessJson(*record.process));
  json.Set("started_at", FormatUtcMicros(record.started_at));
  if (record.exit) json.Set("exit", ExitJson(*record.exit));
  if (record.ended_at) json.Set("ended_at", FormatUtcMicros(*record.ended_at));
  if (record.oom) json.Set("oom", true);
  if (!record.survivors.empty()) {
    json.Set("survivors", MakeArray(record.survivors, ReplaceInvalidUtf8));
  }
  if (!record.error.empty()) json.Set("error", record.error);
  return json;
}

Result<RunRecord> RunRecordFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kRun), record, ReadRun);
}

Result<std::optional<RunRecord>> ReadRunRecord(const FileSystem& files, const Layout& project,
                                               const IdentityName& agent) {
  const std::string path = project.RunFile(agent);
  BELAY_TRY_ASSIGN(const std::optional<std::string> text, IfThere(files.Read(path, kMostRunBytes)));
  if (!text) return std::optional<RunRecord>();
  Result<Json> json = ParseJson(*text);
  Result<RunRecord> record = json ? RunRecordFromJson(*json) : Result<RunRecord>(json.error());
  if (!record) {
    Error error = std::move(record).error().In(path);
    if (error.hint.empty()) error.hint = kHowToFix;
    return error;
  }
  return std::optional<RunRecord>(*std::move(record));
}

Result<void> WriteRunRecord(FileSystem& files, const Layout& project, const RunRecord& record) {
  BELAY_TRY(CheckFormat(files, project));
  return ReplaceFile(files, project.RunFile(record.agent.identity()),
                     WriteJson(ToJson(record), JsonStyle::kIndented));
}

}  // namespace belay
