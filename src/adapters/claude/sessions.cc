#include "adapters/claude/sessions.h"

#include <fmt/core.h>

#include <limits>
#include <optional>

#include "base/path.h"
#include "codec/json.h"
#include "os/process_identity.h"

namespace belay {
namespace {

constexpr std::size_t kMostSessionBytes = std::size_t{64} << 10U;

std::string Variable(const Environment::Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

struct Session {
  pid_t pid = 0;
  std::string id;
  std::string start;   // from /proc/PID/stat; empty: unknown
  std::string domain;  // "linux:MACHINE:pid:[NAMESPACE]"; empty: it doesn't say
};

std::string TextOrNumberIn(const Json& record, std::string_view key) {
  const Json* member = record.Find(key);
  if (member == nullptr) return {};
  if (const std::int64_t* number = member->AsInteger()) return std::to_string(*number);
  const std::string* text = member->AsString();
  return text == nullptr ? std::string() : *text;
}

std::optional<Session> ReadSession(const FileSystem& files, const std::string& path) {
  const Result<std::string> bytes = files.Read(path, kMostSessionBytes);
  if (!bytes) return std::nullopt;
  const Result<Json> record = ParseJson(*bytes);
  const Json* pid = record ? record->Find("pid") : nullptr;
  const std::int64_t* number = pid == nullptr ? nullptr : pid->AsInteger();
  if (number == nullptr || *number <= 0 || *number > std::numeric_limits<pid_t>::max()) {
    return std::nullopt;
  }
  return Session{.pid = static_cast<pid_t>(*number),
                 .id = TextOrNumberIn(*record, "sessionId"),
                 .start = TextOrNumberIn(*record, "procStart"),
                 .domain = TextOrNumberIn(*record, "pidDomain")};
}

// Whether the pid belongs to another machine or pid namespace.
bool IsElsewhere(const FileSystem& files, const std::string& domain) {
  if (domain.empty()) return false;
  const Result<std::string> space = files.ReadLink("/proc/self/ns/pid");
  if (!space) return false;
  const Result<std::string> machine = files.Read("/etc/machine-id", 1024);
  if (!machine) return !domain.ends_with(":" + *space);
  return domain != fmt::format("linux:{}:{}", machine->substr(0, machine->find('\n')), *space);
}

bool Runs(const Session& session) {
  const Result<ProcStat> stat = ReadProcStat(session.pid);
  if (!stat) return stat.error().code != ErrorCode::kNotFound;
  if (stat->ended()) return false;
  return session.start.empty() || session.start == std::to_string(stat->start_time);
}

}  // namespace

std::string ClaudeConfigFolder(const Environment::Variables& environment,
                               const std::string& folder) {
  const std::string named = Variable(environment, "CLAUDE_CONFIG_DIR");
  if (!named.empty()) return JoinPath(folder, named);
  const std::string home = Variable(environment, "HOME");
  return home.empty() ? std::string() : JoinPath(JoinPath(folder, home), ".claude");
}

bool IsClaudeSessionId(std::string_view id) {
  if (id.size() != 36) return false;
  for (std::size_t at = 0; at < id.size(); ++at) {
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    if (dash ? id[at] != '-' : !IsHex(id[at])) return false;
  }
  return true;
}

std::string WhyNotTranscriptOf(const FileSystem& files, const std::string& config,
                               const std::string& id, const std::string& path) {
  const std::string project(ParentPath(path));
  if (FileName(path) != id + ".jsonl") return "the transcript belongs to another conversation";
  const Result<FileInfo> file = files.Inspect(path);
  if (IsMissing(file)) return "the transcript is gone";
  if (!file) return "the transcript can't be inspected";
  const Result<FileInfo> folder = files.Inspect(project);
  const bool plain =
      file->kind == FileKind::kFile && file->ours && folder && folder->kind == FileKind::kFolder;
  if (!plain) return "the transcript isn't a regular file of this user";
  const Result<std::string> here = files.Resolve(std::string(ParentPath(project)));
  const Result<std::string> there = files.Resolve(JoinPath(config, "projects"));
  // A name such as ".." would make the two the same folder.
  const Result<std::string> whole = files.Resolve(project);
  if (!here || !there || !whole || *here != *there || ParentPath(*whole) != *there) {
    return "the transcript isn't in Claude Code's folder";
  }
  return {};
}

std::string ClaudeSessionOf(const FileSystem& files, const std::string& config, std::int64_t pid,
                            std::uint64_t start) {
  const std::optional<Session> session =
      ReadSession(files, JoinPath(config, fmt::format("sessions/{}.json", pid)));
  const bool its = session && session->pid == pid && session->start == std::to_string(start) &&
                   !IsElsewhere(files, session->domain) && IsClaudeSessionId(session->id);
  return its ? session->id : std::string();
}

std::string FindClaudeTranscript(const FileSystem& files, const std::string& config,
                                 const std::string& id) {
  const std::string projects = JoinPath(config, "projects");
  const Result<std::vector<std::string>> folders = files.List(projects);
  if (!folders) return {};
  std::string found;
  for (const std::string& folder : *folders) {
    const std::string path = JoinPath(JoinPath(projects, folder), id + ".jsonl");
    if (!files.Inspect(path)) continue;
    if (!found.empty()) return {};
    found = path;
  }
  return found;
}

std::string WhoIsInClaudeSession(const FileSystem& files, const std::string& config,
                                 const std::string& id) {
  const std::string folder = JoinPath(config, "sessions");
  const Result<std::vector<std::string>> names = files.List(folder);
  if (IsMissing(names)) return {};
  if (!names) return "Claude Code's list of running sessions can't be read";
  for (const std::string& name : *names) {
    if (!name.ends_with(".json")) continue;
    const std::optional<Session> session = ReadSession(files, JoinPath(folder, name));
    if (!session || session->id != id) continue;
    if (IsElsewhere(files, session->domain)) {
      return fmt::format("process {} on another machine or container uses the conversation",
                         session->pid);
    }
    if (Runs(*session)) return fmt::format("process {} uses the conversation", session->pid);
  }
  return {};
}

}  // namespace belay
