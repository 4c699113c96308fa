#include "host/launch.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "host/run_record.h"
#include "model/stored_record.h"
#include "os/file_lock.h"
#include "os/process_identity.h"
#include "os/this_process.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostLaunchBytes = std::size_t{16} << 20U;
// Our own binary, even if it was replaced or deleted since.
constexpr const char* kOurselves = "/proc/self/exe";
constexpr const char* kNameOfExec = "belay";  // shown in process lists

Error DamagedLaunch(std::string_view what) {
  return {ErrorCode::kDamaged, fmt::format("launch file: {}", what)};
}

// Arguments and variables are bytes; JSON holds only UTF-8.
Json BytesJson(const std::string& bytes) {
  if (FindInvalidUtf8(bytes) == std::string::npos) return bytes;
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return MakeObject({{"hex", hex}});
}

int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Result<std::string> BytesOfHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = Digit(hex[i]);
    const int low = Digit(hex[i + 1]);
    if (high < 0 || low < 0) return DamagedLaunch("not hexadecimal");
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return hex.size() % 2 == 0 ? Result<std::string>(bytes)
                             : DamagedLaunch("an odd number of hexadecimal digits");
}

Result<std::string> BytesFrom(const Json* value) {
  if (value == nullptr) return DamagedLaunch("a member is missing");
  const Json* hex = value->Find("hex");
  const bool encoded = hex != nullptr && hex->AsString() != nullptr;
  if (!encoded && value->AsString() == nullptr) return DamagedLaunch("not a string");
  Result<std::string> bytes = encoded ? BytesOfHex(*hex->AsString()) : *value->AsString();
  // The kernel would cut the text there.
  if (bytes && bytes->find('\0') != std::string::npos)
    return DamagedLaunch("a zero byte in a string");
  return bytes;
}

Json ToJson(const LaunchSpec& spec) {
  // A list, since names may not be UTF-8 either.
  const auto variable_json = [](const auto& one) {
    return Json::Array{BytesJson(one.first), BytesJson(one.second)};
  };
  return MakeObject({{kVersionKey, NewestVersion(StoredRecord::kLaunch)},
                     {"agent_id", spec.agent.text()},
                     {"command", MakeArray(spec.command, BytesJson)},
                     {"folder", BytesJson(spec.folder)},
                     {"environment", MakeArray(spec.environment, variable_json)},
                     {"task", BytesJson(spec.task)},
                     {"typed", BytesJson(spec.typed)}});
}

Result<const Json::Array*> ListIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  const Json::Array* list = value == nullptr ? nullptr : value->AsArray();
  if (list == nullptr) return DamagedLaunch(fmt::format("{} is not a list", key));
  return list;
}

Result<void> ReadLists(const Json& record, LaunchSpec& spec) {
  BELAY_TRY_ASSIGN(const Json::Array* command, ListIn(record, "command"));
  for (const Json& word : *command) {
    BELAY_TRY_ASSIGN(spec.command.emplace_back(), BytesFrom(&word));
  }
  if (spec.command.empty() || spec.command[0].empty())
    return DamagedLaunch("the command is missing");
  BELAY_TRY_ASSIGN(const Json::Array* environment, ListIn(record, "environment"));
  for (const Json& variable : *environment) {
    const Json::Array* pair = variable.AsArray();
    if (pair == nullptr || pair->size() != 2) return DamagedLaunch("not an environment variable");
    BELAY_TRY_ASSIGN(std::string name, BytesFrom(&(*pair)[0]));
    BELAY_TRY_ASSIGN(spec.environment[std::move(name)], BytesFrom(&(*pair)[1]));
  }
  return {};
}

Result<LaunchSpec> SpecFrom(const Json& record) {
  BELAY_TRY_ASSIGN(const std::string agent, BytesFrom(record.Find("agent_id")));
  const Result<AgentId> id = AgentId::Parse(agent);
  if (!id) return DamagedLaunch(id.error().message);
  LaunchSpec spec{.agent = *id, .command = {}, .folder = {}, .environment = {}};
  BELAY_TRY(ReadLists(record, spec));
  BELAY_TRY_ASSIGN(spec.folder, BytesFrom(record.Find("folder")));
  BELAY_TRY_ASSIGN(spec.task, BytesFrom(record.Find("task")));
  BELAY_TRY_ASSIGN(spec.typed, BytesFrom(record.Find("typed")));
  return spec;
}

}  // namespace

Result<void> WriteLaunch(FileSystem& files, const Layout& project, const LaunchSpec& spec,
                         std::string_view text, std::string_view settings) {
  BELAY_TRY(CheckFormat(files, project));
  const IdentityName& agent = spec.agent.identity();
  const std::string launch = WriteJson(ToJson(spec), JsonStyle::kIndented);
  if (settings.empty()) {
    return ReplaceFiles(files,
                        {{project.ResumeFile(agent), text}, {project.LaunchFile(agent), launch}});
  }
  return ReplaceFiles(files, {{project.ResumeFile(agent), text},
                              {project.AgentSettings(agent), settings},
                              {project.LaunchFile(agent), launch}});
}

Result<LaunchSpec> ReadLaunchSpec(const FileSystem& files, const Layout& project,
                                  const IdentityName& agent) {
  const std::string path = project.LaunchFile(agent);
  BELAY_TRY_ASSIGN(const std::string text, files.Read(path, kMostLaunchBytes));
  const Result<Json> json = ParseJson(text);
  if (!json) return Error(json.error()).In(path);
  Result<LaunchSpec> spec = ReadRecord(FormatOf(StoredRecord::kLaunch), *json, SpecFrom);
  if (!spec) return std::move(spec).error().In(path);
  return spec;
}

Result<bool> ForbidStart(FileSystem& files, const Clock& clock, const Layout& project,
                         const AgentId& agent, const std::string& why) {
  BELAY_TRY(EnsureFolder(files, project.RunFolder()));
  const Result<File> lock =
      OpenLocked(files, project.RunLock(agent.identity()), kPrivateFile, Duration::zero());
  if (!lock && lock.error().code == ErrorCode::kBusy) return false;
  if (!lock) return lock.error();
  BELAY_TRY_ASSIGN(const std::optional<RunRecord> run,
                   ReadRunRecord(files, project, agent.identity()));
  if (run && run->agent.incarnation() >= agent.incarnation()) return false;
  BELAY_TRY_ASSIGN(ProcessIdentity self, IdentityOf(static_cast<pid_t>(ThisProcess())));
  const WallTime now = clock.Wall();
  BELAY_TRY(WriteRunRecord(files, project,
                           {.agent = agent,
                            .state = RunState::kFailed,
                            .parent = std::move(self),
                            .started_at = now,
                            .ended_at = now,
                            .error = why}));
  return true;
}

Result<Process> StartExec(const Layout& project, const AgentId& agent) {
  // No environment: the agent's is in the file, and ours would only waste memory in every exec.
  auto exec =
      Process::Spawn({.command = {kNameOfExec, "exec", "--root", project.Root(), agent.text()},
                      .program = kOurselves,
                      .folder = "/",
                      .environment = Environment::Variables(),
                      .group = SpawnGroup::kNewSession});
  if (!exec) return exec.error().AsError();
  return *std::move(exec);
}

std::optional<ExecCommand> ReadExecCommand(const std::vector<std::string>& words) {
  const bool exec =
      words.size() >= 5 && words[0] == kNameOfExec && words[1] == "exec" && words[2] == "--root";
  if (!exec) return std::nullopt;
  return ExecCommand{words[3], words[4]};
}

std::optional<std::string> AgentOfExec(pid_t process, const Layout& project) {
  constexpr std::size_t kMostWords = std::size_t{8} << 10U;
  const std::string line = ReadProcFile(process, "cmdline", kMostWords);
  const std::vector<std::string_view> words = Split(line, '\0');
  const std::optional<ExecCommand> exec = ReadExecCommand({words.begin(), words.end()});
  const bool ours = exec && exec->root == project.Root();
  return ours ? std::optional(exec->agent) : std::nullopt;
}

}  // namespace belay
