#include "os/proc_file.h"

#include <fcntl.h>
#include <fmt/core.h>

#include "os/io.h"
#include "os/unique_fd.h"

namespace belay {

std::string ReadProcFile(pid_t pid, std::string_view name, std::size_t most) {
  const std::string path = fmt::format("/proc/{}/{}", pid, name);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file || ReadToEnd(file.get(), most, text) != 0) return {};
  if (text.size() > most) text.resize(most);
  return text;
}

}  // namespace belay
