#include "snapshot/capture_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "base/text.h"
#include "codec/hash.h"
#include "snapshot/saved_snapshot.h"
#include "store/layout.h"

namespace belay {
namespace {

using Kind = StatusEntry::Kind;

// Other lines are about line endings, or come from filter programs.
bool IsFailedAccess(std::string_view reason) {
  return reason == "Permission denied" || reason == "Input/output error" ||
         reason == "Stale file handle" || reason == "Structure needs cleaning";
}

class Lister {
 public:
  Lister(const CaptureRules& rules, ObjectFormat format) : rules_(rules), format_(format) {}

  void Add(const StatusEntry& entry) {
    if (IsOwnPath(entry.path)) return;
    if (rules_.IsSecret(entry.path)) return Skip(entry.path, SkipReason::kSecret);
    if (HasGitName(entry.path)) return Skip(entry.path, SkipReason::kGitName);
    switch (entry.kind) {
      case Kind::kChanged:
        AddIndex(entry);
        return AddTracked(entry);
      case Kind::kUnmerged:
        AddStages(entry);
        return AddTracked(entry);
      case Kind::kUntracked:
      case Kind::kIgnored:
        return AddUntracked(entry.path);
    }
  }

  void AddAlso(const CaptureItem& wanted) {
    const bool listed =
        std::any_of(list_.to_read.begin(), list_.to_read.end(),
                    [&](const CaptureItem& item) { return item.path == wanted.path; });
    if (listed || IsOwnPath(wanted.path)) return;
    if (rules_.IsSecret(wanted.path)) return Skip(wanted.path, SkipReason::kSecret);
    list_.to_read.push_back(wanted);
  }

  // "warning: could not open directory 'a/': Permission denied", or "a/b: Permission denied": git
  // continues without it.
  void AddWarnings(std::string_view warnings) {
    constexpr std::string_view kStart = "warning: could not open directory '";
    for (std::string_view line : Split(warnings, '\n')) {
      const std::size_t reason = line.rfind(": ");
      if (reason == std::string_view::npos || !IsFailedAccess(line.substr(reason + 2))) continue;
      line = line.substr(0, reason);
      const bool folder = line.starts_with(kStart);
      if (!folder && line.starts_with("warning: ")) continue;  // from the user's configuration
      if (folder) line = line.substr(kStart.size(), line.size() - kStart.size() - 1);
      Skip(std::string(line), SkipReason::kUnreadable);
    }
  }

  CaptureList Finish() {
    std::sort(list_.to_read.begin(), list_.to_read.end(), [](const auto& a, const auto& b) {
      return std::tie(b.tracked, a.path) < std::tie(a.tracked, b.path);
    });
    return std::move(list_);
  }

 private:
  void Skip(std::string path, SkipReason reason) {
    list_.skipped.push_back({std::move(path), reason});
  }

  void AddIndex(const StatusEntry& entry) {
    if (entry.index_changed) list_.index.push_back({entry.path, entry.index});
    if (!entry.intent_to_add) return;
    const std::string empty = BlobIdOf(format_, "");
    list_.rest.push_back(
        {std::string(kIntentFolder) + entry.path, {kFileMode, *ObjectId::Parse(empty)}});
  }

  void AddStages(const StatusEntry& entry) {
    for (std::size_t i = 0; i < entry.stages.size(); ++i) {
      if (!entry.stages[i].IsThere()) continue;
      list_.rest.push_back({std::string(kStageFolders[i]) + entry.path, entry.stages[i]});
    }
  }

  void AddTracked(const StatusEntry& entry) {
    if (!entry.worktree_changed && entry.index.IsThere()) {
      list_.as_staged.push_back({entry.path, entry.index});
    }
    if (entry.worktree_mode == kNoMode) {
      list_.gone.push_back(entry.path);
    } else if (entry.worktree_mode == kSubmoduleMode) {
      AddSubmodule(entry);
    } else {
      list_.to_read.push_back({entry.path, true});
    }
  }

  void AddSubmodule(const StatusEntry& entry) {
    const bool was_file = entry.index.IsThere() && entry.index.mode != kSubmoduleMode;
    if (was_file) return AddUntracked(entry.path + "/");
    if (entry.submodule_moved || entry.index_changed) list_.moved_modules.push_back(entry.path);
    if (!entry.submodule_dirty) return;
    if (rules_.nested) {
      list_.inner_folders.push_back(entry.path);
    } else {
      Skip(entry.path, SkipReason::kSubmodule);
    }
  }

  void AddUntracked(const std::string& path) {
    if (!path.ends_with('/')) {
      list_.to_read.push_back({path, false});
    } else if (rules_.nested) {
      list_.inner_folders.push_back(path.substr(0, path.size() - 1));
    } else {
      Skip(path, SkipReason::kRepository);
    }
  }

  const CaptureRules& rules_;
  ObjectFormat format_;
  CaptureList list_;
};

// Length-prefixed fields, so that no two lists have the same digest.
void Put(std::string_view field, std::string& out) {
  out += fmt::format("{}:", field.size());
  out += field;
}

void Put(const std::vector<KnownEntry>& entries, std::string& out) {
  for (const KnownEntry& entry : entries) {
    Put(entry.path, out);
    Put(fmt::format("{:o} {}", entry.entry.mode, entry.entry.id.text()), out);
  }
  out += '\n';
}

void Put(const std::vector<std::string>& paths, std::string& out) {
  for (const std::string& path : paths) Put(path, out);
  out += '\n';
}

}  // namespace

CaptureList ListCaptures(const GitStatus& status, ObjectFormat format, const CaptureRules& rules,
                         const std::vector<CaptureItem>& also) {
  Lister lister(rules, format);
  for (const StatusEntry& entry : status.entries) lister.Add(entry);
  for (const CaptureItem& item : also) lister.AddAlso(item);
  lister.AddWarnings(status.warnings);
  return lister.Finish();
}

std::string DigestOf(const GitStatus& status, const CaptureList& list) {
  std::string text;
  Put(status.head.text(), text);
  Put(status.branch, text);
  Put(list.index, text);
  Put(list.rest, text);
  Put(list.as_staged, text);
  Put(list.gone, text);
  Put(list.moved_modules, text);
  Put(list.inner_folders, text);
  for (const CaptureItem& item : list.to_read) Put((item.tracked ? "t" : "u") + item.path, text);
  for (const SkippedPath& skipped : list.skipped) {
    Put(skipped.path, text);
    Put(SkipReasonName(skipped.reason), text);
  }
  return Sha256Hex(text);
}

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
