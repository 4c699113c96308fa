// What is never captured, and so never cleaned away either.

#ifndef BELAY_SNAPSHOT_CAPTURE_RULES_H_
#define BELAY_SNAPSHOT_CAPTURE_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

struct CaptureRules {
  bool ignored = false;  // capture files that git ignores too
  bool nested = false;   // capture what repositories inside the worktree and submodules hold
  std::uint64_t most_bytes = std::uint64_t{512} << 20U;  // of one file
  // Patterns of what is sensitive, with * and ?. One without a slash is for the name of the file,
  // "secrets/**" for everything below a folder of that name, wherever it is.
  std::vector<std::string> secrets = DefaultSecrets();

  static std::vector<std::string> DefaultSecrets();
  bool IsSecret(std::string_view path) const;
};

// belay's own places inside a worktree: no snapshot has them, no restore writes them.
bool IsOwnPath(std::string_view path);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CAPTURE_RULES_H_
