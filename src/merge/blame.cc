#include "merge/blame.h"

#include "base/split.h"

namespace belay {
namespace {

constexpr std::uint64_t kLittleRoom = std::uint64_t{16} << 20U;

}  // namespace

bool MayPass(const MergeDoors& doors, const Error& error) {
  if (error.code == ErrorCode::kBusy) return true;
  for (const char* const sign :
       {"No space left", "Disk quota", "Input/output error", "Cannot allocate memory",
        "out of memory", "Out of memory", "Too many open files", "Read-only file system",
        "Resource temporarily unavailable", "time limit"}) {
    if (error.message.find(sign) != std::string::npos) return true;
  }
  // Git doesn't always say why it couldn't write a file.
  const Result<MountInfo> mount = doors.files.InspectMount(doors.common_folder);
  return mount && mount->free_bytes < kLittleRoom;
}

bool IsReadable(const Git& git, const std::string& commit) {
  return git.Ask({"ls-tree", "-r", "-z", "--name-only", commit}).ok();
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (const std::string_view part : Split(text, '\n')) {
    if (part.empty()) continue;
    if (!line.empty()) line += ", ";
    line += part;
  }
  return line;
}

}  // namespace belay
