// What a snapshot has to hold, decided from what git says about the worktree. Pure: no file is
// looked at yet.

#ifndef BELAY_SNAPSHOT_CAPTURE_LIST_H_
#define BELAY_SNAPSHOT_CAPTURE_LIST_H_

#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "snapshot/capture_rules.h"
#include "snapshot/snapshot_record.h"

namespace belay {

struct CaptureItem {
  std::string path;
  bool tracked;  // else it goes with the untracked files

  bool operator==(const CaptureItem&) const = default;
};

// An entry that goes into a tree as git has it already.
struct KnownEntry {
  std::string path;
  GitEntry entry;  // nothing: the path goes away

  bool operator==(const KnownEntry&) const = default;
};

struct CaptureList {
  std::vector<CaptureItem> to_read = {};        // files and links, tracked ones first, by path
  std::vector<std::string> gone = {};           // tracked, and not there
  std::vector<KnownEntry> index = {};           // against the base
  std::vector<KnownEntry> as_staged = {};       // the worktree has no other, if it has it at all
  std::vector<KnownEntry> rest = {};            // stages and intent-to-add, under their folders
  std::vector<std::string> moved_modules = {};  // submodules with another commit checked out
  std::vector<std::string> inner_folders = {};  // repositories and dirty submodules, if wanted
  std::vector<SkippedPath> skipped = {};

  bool operator==(const CaptureList&) const = default;
};

// `also` are paths to read although git doesn't name them.
CaptureList ListCaptures(const GitStatus& status, ObjectFormat format, const CaptureRules& rules,
                         const std::vector<CaptureItem>& also);

// Everything the list says, as one digest: when it differs, so does the state.
std::string DigestOf(const GitStatus& status, const CaptureList& list);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CAPTURE_LIST_H_
