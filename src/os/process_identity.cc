#include "os/process_identity.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "base/text.h"
#include "os/fd.h"

namespace belay {
namespace {

constexpr const char* kBootIdPath = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kBootIdLength = 36;  // of a UUID

constexpr std::string_view kFirstNamespace = "pid:[4026531836]";  // in every kernel

std::string LinkTarget(const char* path) {
  char target[64];
  const ssize_t count = readlink(path, target, sizeof(target));
  return count > 0 ? std::string(target, static_cast<std::size_t>(count)) : std::string();
}

bool Exists(pid_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

}  // namespace

Result<ProcessIdentity> IdentityOf(pid_t pid) {
  BELAY_TRY_ASSIGN(const ProcStat stat, ReadProcStat(pid));
  BELAY_TRY_ASSIGN(std::string boot_id, BootId());
  return ProcessIdentity{pid, stat.start_time, std::move(boot_id)};
}

bool IsAlive(const ProcessIdentity& identity) {
  // To kill(2), such a pid would mean a group.
  if (identity.pid <= 0) return false;
  const Result<std::string> boot_id = BootId();
  if (!boot_id || *boot_id != identity.boot_id) return false;
  const Result<ProcStat> stat = ReadProcStat(identity.pid);
  if (!stat) return Exists(identity.pid);
  return stat->start_time == identity.start_time && !stat->ended();
}

Result<pid_t> ParentOf(pid_t pid) {
  BELAY_TRY_ASSIGN(const ProcStat stat, ReadProcStat(pid));
  return stat.parent;
}

Result<std::string> BootId() {
  const std::string what = std::string("read ") + kBootIdPath;
  const UniqueFd file(open(kBootIdPath, O_RDONLY | O_CLOEXEC));
  std::string text;
  const int error = file ? ReadToEnd(file.get(), kBootIdLength, text) : errno;
  if (error != 0) return SystemError(what, error);
  if (text.size() < kBootIdLength) return Error{ErrorCode::kDamaged, what + ": it is too short"};
  text.resize(kBootIdLength);
  if (LinkTarget("/proc/self") != std::to_string(getpid())) {
    return Error{ErrorCode::kRefused, "/proc shows another pid namespace than that of this process",
                 "mount /proc in this one, as unshare --mount-proc does"};
  }
  // Kernels without namespaces have no such link.
  const std::string space = LinkTarget("/proc/self/ns/pid");
  if (!space.empty() && space != kFirstNamespace) text += "/" + space;
  return text;
}

bool IsOfAnotherNamespace(std::string_view boot_id, const Result<std::string>& ours) {
  if (boot_id.empty()) return false;
  if (!ours) return true;
  return boot_id != *ours &&
         boot_id.substr(0, kBootIdLength) == std::string_view(*ours).substr(0, kBootIdLength);
}

namespace {

constexpr std::size_t kLongestStat = 4096;

// Numbered as in proc(5), where the first two are the pid and the name.
enum Field : std::size_t {
  kState = 3,
  kParent = 4,
  kTerminal = 7,
  kUserTime = 14,
  kSystemTime = 15,
  kChildrenUserTime = 16,
  kChildrenSystemTime = 17,
  kThreads = 20,
  kStartTime = 22,
  kExitCode = 52
};

class Fields {
 public:
  explicit Fields(std::string_view after_name) : fields_(Split(after_name, ' ')) {}

  bool complete() const { return fields_.size() + 2 >= kExitCode && At(kState).size() == 1; }
  std::string_view At(Field field) const { return fields_[field - kState]; }
  template <class T>
  bool Read(Field field, T& value) const {
    const auto number = ParseNumber<T>(At(field));
    value = number.value_or(T());
    return number.has_value();
  }

 private:
  std::vector<std::string_view> fields_;
};

bool ReadTicks(const Fields& fields, ProcStat& stat) {
  for (const Field field : {kUserTime, kSystemTime, kChildrenUserTime, kChildrenSystemTime}) {
    std::uint64_t ticks = 0;
    if (!fields.Read(field, ticks)) return false;
    stat.cpu_ticks += ticks;
  }
  return true;
}

Error NotAStat() { return {ErrorCode::kDamaged, "not the status of a process"}; }

}  // namespace

Result<ProcStat> ParseProcStat(std::string_view text) {
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos || text.back() != '\n') return NotAStat();
  const Fields fields(text.substr(name_end + 2, text.size() - name_end - 3));
  if (!fields.complete()) return NotAStat();
  ProcStat stat{};
  stat.state = fields.At(kState)[0];
  const bool read = fields.Read(kParent, stat.parent) && fields.Read(kTerminal, stat.terminal) &&
                    fields.Read(kThreads, stat.threads) &&
                    fields.Read(kStartTime, stat.start_time) &&
                    fields.Read(kExitCode, stat.wait_status) && ReadTicks(fields, stat);
  if (!read) return NotAStat();
  return stat;
}

Result<ProcStat> ReadProcStat(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/stat", pid);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // The kernel returns all of it in one read; a hook reads several, so that a second call would
  // matter.
  char text[kLongestStat];
  const ssize_t count = file ? read(file.get(), text, sizeof(text)) : -1;
  int error = count < 0 ? errno : 0;
  // The process ended between the two calls.
  if (error == ESRCH) error = ENOENT;
  if (error != 0) return SystemError("read " + path, error);
  Result<ProcStat> stat = ParseProcStat({text, static_cast<std::size_t>(count)});
  if (!stat) return std::move(stat).error().In("read " + path);
  return stat;
}

std::string ReadProcFile(pid_t pid, std::string_view name, std::size_t most) {
  const std::string path = fmt::format("/proc/{}/{}", pid, name);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file || ReadToEnd(file.get(), most, text) != 0) return {};
  if (text.size() > most) text.resize(most);
  return text;
}

}  // namespace belay
