// What a snapshot has to hold, decided from git's status of the worktree. Pure: no file is read
// yet.

#ifndef BELAY_SNAPSHOT_CAPTURE_LIST_H_
#define BELAY_SNAPSHOT_CAPTURE_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/status.h"
#include "snapshot/snapshot_record.h"

namespace belay {

// What is never captured, and so never deleted either.

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

struct CaptureItem {
  std::string path;
  bool tracked;  // else it belongs to the untracked files

  bool operator==(const CaptureItem&) const = default;
};

// An entry that goes into a tree with the object that git has already.
struct KnownEntry {
  std::string path;
  GitEntry entry;  // none: the path is removed

  bool operator==(const KnownEntry&) const = default;
};

struct CaptureList {
  std::vector<CaptureItem> to_read = {};        // files and links, tracked ones first, by path
  std::vector<std::string> gone = {};           // tracked, but missing
  std::vector<KnownEntry> index = {};           // differences from the base
  std::vector<KnownEntry> as_staged = {};       // unchanged in the worktree, if it is there at all
  std::vector<KnownEntry> rest = {};            // stages and intent-to-add, under their folders
  std::vector<std::string> moved_modules = {};  // submodules with another commit checked out
  std::vector<std::string> inner_folders = {};  // repositories and dirty submodules, if wanted
  std::vector<SkippedPath> skipped = {};

  bool operator==(const CaptureList&) const = default;
};

// `also` are paths to read although git doesn't list them.
CaptureList ListCaptures(const GitStatus& status, ObjectFormat format, const CaptureRules& rules,
                         const std::vector<CaptureItem>& also);

// A digest of the whole list: when it differs, so does the state.
std::string DigestOf(const GitStatus& status, const CaptureList& list);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CAPTURE_LIST_H_
