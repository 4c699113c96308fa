#include "snapshot/capture_rules.h"

#include "base/path.h"
#include "base/split.h"
#include "store/layout.h"

namespace belay {
namespace {

// With * for any characters but a slash, ? for one. The C library's depends on the locale.
bool Matches(std::string_view pattern, std::string_view name) {
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() &&
               (pattern[p] == name[n] || (pattern[p] == '?' && name[n] != '/'))) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos && name[retry] != '/') {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// "a/b/**" against every place in the path where a folder begins.
bool IsBelow(std::string_view folders, std::string_view path) {
  const std::vector<std::string_view> wanted = Split(folders, '/');
  const std::vector<std::string_view> parts = Split(path, '/');
  for (std::size_t start = 0; start + wanted.size() < parts.size(); ++start) {
    bool all = true;
    for (std::size_t i = 0; i < wanted.size() && all; ++i) {
      all = Matches(wanted[i], parts[start + i]);
    }
    if (all) return true;
  }
  return false;
}

bool IsInside(std::string_view folder, std::string_view path) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

std::vector<std::string> CaptureRules::DefaultSecrets() {
  return {".env*",       "*.pem",        "*.key",     "*.p12",       "id_rsa*",
          "id_ed25519*", "credentials*", ".netrc",    ".npmrc",      ".pypirc",
          ".aws/**",     ".ssh/**",      ".gnupg/**", ".secrets/**", "secrets/**"};
}

bool CaptureRules::IsSecret(std::string_view path) const {
  for (const std::string_view pattern : secrets) {
    if (pattern.ends_with("/**")) {
      if (IsBelow(pattern.substr(0, pattern.size() - 3), path)) return true;
    } else if (pattern.find('/') == std::string_view::npos) {
      if (Matches(pattern, FileName(path))) return true;
    } else if (Matches(pattern, path)) {
      return true;
    }
  }
  return false;
}

bool IsOwnPath(std::string_view path) {
  for (const std::string_view folder : Layout::OwnNames()) {
    if (IsInside(folder, path)) return true;
  }
  return IsInside(".claude/arc", path) || path.starts_with("tmp/.rune-") ||
         path.starts_with(".belay-restore-");
}

}  // namespace belay
