// The worktree as a snapshot is to capture it: what git says, and what is to be read.

#ifndef BELAY_SNAPSHOT_SCENE_H_
#define BELAY_SNAPSHOT_SCENE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "base/result.h"
#include "codec/hash.h"
#include "snapshot/capture_list.h"
#include "snapshot/capture_rules.h"
#include "snapshot/work_folder.h"

namespace belay {

struct Scene {
  GitStatus status = {};
  ObjectFormat format = ObjectFormat::kSha1;
  CaptureList list = {};
  std::vector<KnownEntry> modules = {};  // submodules, with what they have checked out
  // Of the paths that git says are gone, those at which there is a file: it is no longer tracked.
  // Unless it is captured as an untracked one, the snapshot says nothing about it.
  std::set<std::string, std::less<>> left_there = {};
  std::string digest = {};  // of all this
  bool converts = false;    // git may convert files here; set by AddOddFiles
  // Files to read in which git sees no change, with what the index has: those it was told to
  // overlook, and those whose bytes it would not bring back.
  std::map<std::string, ObjectId> odd = {};
};

// `also` as in ListCaptures.
Result<Scene> LookAround(const Worktree& worktree, const CaptureRules& rules,
                         const std::vector<CaptureItem>& also);

// Adds the files in which git sees no change, but whose bytes it would not bring back.
Result<void> AddOddFiles(const Worktree& worktree, const CaptureRules& rules, Scene& scene);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SCENE_H_
