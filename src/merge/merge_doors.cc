#include "merge/merge_doors.h"

#include <fmt/core.h>

namespace belay {

std::string BranchRef(std::string_view branch) { return fmt::format("refs/heads/{}", branch); }

std::string EntryRef(const MergeEntry& entry, std::string_view what) {
  return fmt::format("refs/belay/merge/{}/{}", entry.id(), what);
}

}  // namespace belay
