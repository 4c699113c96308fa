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
  // Patterns of what is sensitive. They match parts of a path, wherever these stand in it, and
  // everything below them; * stands for any characters of a part, ? for one, ** for any number of
  // parts. Capitals don't matter.
  std::vector<std::string> secrets = DefaultSecrets();

  static std::vector<std::string> DefaultSecrets();
  bool IsSecret(std::string_view path) const;
};

// A part of it is called like git's own folder, which git itself refuses to check out.
bool HasGitName(std::string_view path);

// belay's own places inside a worktree: no snapshot has them, no restore writes them.
bool IsOwnPath(std::string_view path);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CAPTURE_RULES_H_
