// The worktree as a snapshot is to capture it: what git says, and what is to be read.

#ifndef BELAY_SNAPSHOT_SCENE_H_
#define BELAY_SNAPSHOT_SCENE_H_

#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "base/result.h"
#include "codec/blob_hash.h"
#include "snapshot/capture_list.h"
#include "snapshot/capture_rules.h"
#include "snapshot/worktree.h"

namespace belay {

struct Scene {
  GitStatus status = {};
  ObjectFormat format = ObjectFormat::kSha1;
  CaptureList list = {};
  std::vector<KnownEntry> modules = {};  // submodules, with what they have checked out
  std::string digest = {};               // of all this
};

// `also` as in TakeRequest.
Result<Scene> LookAround(const Worktree& worktree, const CaptureRules& rules,
                         const std::vector<std::string>& also);

// Adds the files whose bytes git would not bring back. They don't change the digest: an edit that
// git converts away is no new state.
Result<void> AddOddFiles(const Worktree& worktree, const CaptureRules& rules, Scene& scene);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SCENE_H_
