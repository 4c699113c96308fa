// What is never captured, and so never deleted either.

#ifndef BELAY_SNAPSHOT_CAPTURE_RULES_H_
#define BELAY_SNAPSHOT_CAPTURE_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

struct CaptureRules {
  bool ignored = false;  // capture ignored files too
  bool nested = false;   // capture the content of nested repositories and submodules
  std::uint64_t most_bytes = std::uint64_t{512} << 20U;  // of one file
  // Patterns of sensitive files. They match parts of a path, anywhere in it, and everything below;
  // * matches any characters of a part, ? one, ** any number of parts. Case-insensitive.
  std::vector<std::string> secrets = DefaultSecrets();

  static std::vector<std::string> DefaultSecrets();
  bool IsSecret(std::string_view path) const;
};

// Whether a part of the path is named like git's own folder; git itself refuses to check that out.
bool HasGitName(std::string_view path);

// belay's own paths inside a worktree: never in a snapshot, never written by a restore.
bool IsOwnPath(std::string_view path);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CAPTURE_RULES_H_
