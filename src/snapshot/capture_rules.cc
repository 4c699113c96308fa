#include "snapshot/capture_rules.h"

#include <span>

#include "base/path.h"
#include "base/text.h"
#include "store/layout.h"

namespace belay {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Matches one part of a path, with * for any characters and ? for one; case-insensitive. The C
// library's function depends on the locale.
bool Matches(std::string_view pattern, std::string_view name) {
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || Lower(pattern[p]) == Lower(name[n]))) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

using PathParts = std::span<const std::string_view>;

// Whether the path starts with the pattern's parts; ** matches any number of them.
bool Begins(PathParts pattern, PathParts path) {
  if (pattern.empty()) return true;
  if (pattern[0] == "**") {
    // At the end it must match something.
    if (pattern.size() == 1) return !path.empty();
    for (std::size_t skip = 0; skip <= path.size(); ++skip) {
      if (Begins(pattern.subspan(1), path.subspan(skip))) return true;
    }
    return false;
  }
  return !path.empty() && Matches(pattern[0], path[0]) &&
         Begins(pattern.subspan(1), path.subspan(1));
}

bool IsInside(std::string_view folder, std::string_view path) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// The folder of a restore in progress (restore.h): ".belay-restore-<16 hexadecimal digits>/".
bool IsRestoring(std::string_view path) {
  constexpr std::string_view kStart = ".belay-restore-";
  if (!path.starts_with(kStart)) return false;
  const std::string_view digits = path.substr(kStart.size(), path.find('/') - kStart.size());
  return digits.size() == 16 &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::vector<std::string> CaptureRules::DefaultSecrets() {
  return {".env*",       "*.pem",        "*.key",     "*.p12",       "id_rsa*",
          "id_ed25519*", "credentials*", ".netrc",    ".npmrc",      ".pypirc",
          ".aws/**",     ".ssh/**",      ".gnupg/**", ".secrets/**", "secrets/**"};
}

bool CaptureRules::IsSecret(std::string_view path) const {
  const std::vector<std::string_view> parts = Split(path, '/');
  for (const std::string& secret : secrets) {
    const std::vector<std::string_view> pattern = Split(secret, '/');
    if (pattern.empty()) continue;
    for (std::size_t start = 0; start < parts.size(); ++start) {
      if (Begins(pattern, PathParts(parts).subspan(start))) return true;
    }
  }
  return false;
}

bool HasGitName(std::string_view path) {
  for (const std::string_view part : Split(path, '/')) {
    if (part.size() == 4 && Matches(".git", part)) return true;
  }
  return false;
}

bool IsOwnPath(std::string_view path) {
  for (const std::string_view folder : Layout::OwnNames()) {
    if (IsInside(folder, path)) return true;
  }
  return IsInside(".claude/arc", path) || path.starts_with("tmp/.rune-") || IsRestoring(path);
}

}  // namespace belay
