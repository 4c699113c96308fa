// Any output of git about a merge is parsed or refused. The first byte chooses whether git called
// it clean.

#include <algorithm>
#include <cstdint>

#include "adapters/git/merge_trees.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool clean = data[0] == 'c';
  const auto merge = belay::ParseMerge({reinterpret_cast<const char*>(data) + 1, size - 1}, clean);
  if (!merge) {
    BELAY_CHECK(merge.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  BELAY_CHECK(merge->clean == clean && merge->files.empty() == clean);
  const auto& files = merge->files;
  BELAY_CHECK(std::is_sorted(files.begin(), files.end(),
                             [](const auto& a, const auto& b) { return a.path < b.path; }));
  for (const belay::ConflictedFile& file : files) {
    BELAY_CHECK(!file.path.empty() && file.path.find('\0') == std::string::npos);
  }
  for (const std::string& path : merge->merged_files) BELAY_CHECK(!path.empty());
  return 0;
}
