#include "store/free_name.h"

#include <fmt/core.h>

namespace belay {

Result<std::string> FreeName(const FileSystem& files, const std::string& stem) {
  for (int n = 1;; ++n) {
    std::string name = fmt::format("{}-{}", stem, n);
    const Result<FileInfo> there = files.Inspect(name);
    if (there) continue;
    if (there.error().code == ErrorCode::kNotFound) return name;
    return there.error();
  }
}

}  // namespace belay
