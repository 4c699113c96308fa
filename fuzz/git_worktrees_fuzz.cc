// Any output of git about worktrees is parsed or refused.

#include <cstdint>

#include "adapters/git/branch_uses.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto worktrees = belay::ParseWorktrees({reinterpret_cast<const char*>(data), size});
  if (!worktrees) {
    BELAY_CHECK(worktrees.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  for (const belay::GitWorktree& worktree : *worktrees) {
    BELAY_CHECK(!worktree.folder.empty() && worktree.git_folder.empty());
    BELAY_CHECK(worktree.folder.find('\0') == std::string::npos);
    BELAY_CHECK(worktree.is_main == (&worktree == &worktrees->front()));
  }
  return 0;
}
