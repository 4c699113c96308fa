#include "os/proc_stat.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"
#include "os/fd.h"

namespace belay {
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
    const std::string_view text = At(field);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
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
