// Existing snapshots: found by their refs, without any other data.
//
// The commit of a snapshot has the shape of a stash, so that git's own tools can read it:
//
//   parent 1   the base: HEAD at that moment, or an empty commit if there was none
//   parent 2   the index as a tree; for an unmerged path, the base's entry
//   parent 3   the untracked files, a commit without parents
//   parent 4   only if there is state that a tree can't express, a commit without parents:
//              stage1/PATH, stage2/PATH, stage3/PATH   the stages of unmerged paths
//              intent-to-add/PATH                       entries of `git add -N`, as empty files
//   tree       the tracked files, byte by byte, without filters; for a path that was
//              left out, the base's entry

#ifndef BELAY_SNAPSHOT_SAVED_SNAPSHOT_H_
#define BELAY_SNAPSHOT_SAVED_SNAPSHOT_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/refs.h"
#include "base/ids.h"
#include "base/result.h"
#include "os/program.h"
#include "snapshot/snapshot_record.h"
#include "store/repository.h"

namespace belay {

// The id of a snapshot: "main/7", the seventh one of the main worktree.
//
//   refs/belay/keep/main/7            the main worktree
//   refs/belay/keep/login-fix/3       a linked worktree, by git's name for it
//   refs/belay/keep/agent-orchestrator-login/2   an agent, in any worktree
//
// A linked worktree that git calls "main", or a name that starts with "wt-" or "agent-", gets the
// prefix "wt-", so that no two have the same name. Characters that a ref can't contain are written
// %XX; a name that gets too long is cut, and "%x" and a digest of it are appended.

constexpr std::string_view kKeepRefs = "refs/belay/keep/";

// The owner of snapshots.
class KeepName {
 public:
  static KeepName OfWorktree(const Repository& repository);
  static KeepName OfAgent(const IdentityName& agent);
  // Parses the form in a ref; anything else: kUsage.
  static Result<KeepName> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::string Refs() const;  // "refs/belay/keep/main/"

  bool operator==(const KeepName&) const = default;
  std::strong_ordering operator<=>(const KeepName& other) const { return text_ <=> other.text_; }

 private:
  explicit KeepName(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

struct SnapshotId {
  KeepName keep;
  std::uint64_t number;  // the first is 1

  // "main/7"; also "refs/belay/keep/main/7". Anything else: kUsage.
  static Result<SnapshotId> Parse(std::string_view text);

  std::string text() const;
  std::string Ref() const;

  bool operator==(const SnapshotId&) const = default;
};

constexpr std::string_view kStageFolders[] = {"stage1/", "stage2/", "stage3/"};
constexpr std::string_view kIntentFolder = "intent-to-add/";

struct SavedSnapshot {
  SnapshotId id;
  ObjectId commit;
  ObjectId base;  // always a commit, also when record.has_base is false
  ObjectId index;
  ObjectId untracked;
  ObjectId rest = {};  // parent 4; may be none
  SnapshotRecord record = {};
  // false: made by a newer belay or another program; the record has only defaults
  bool readable = true;
};

// All, or those of one name; oldest first within a name.
Result<std::vector<SavedSnapshot>> ListSnapshots(const Git& git,
                                                 const std::optional<KeepName>& keep);
Result<std::optional<SavedSnapshot>> LastSnapshot(const Git& git, const KeepName& keep);

// By "main/7", by the ref, by the commit id or at least 7 digits of it, or by "7" for that of
// `keep`. None: kNotFound. Several: kUsage.
Result<SavedSnapshot> FindSnapshot(const Git& git, const KeepName& keep, std::string_view text);

// The content of a snapshot, path by path, for display.

struct SnapshotChange {
  std::string path;
  bool unmerged = false;
  bool intent_to_add = false;
  bool staged = false;     // the index differs from the base
  bool changed = false;    // the file differs from the index
  bool deleted = false;    // there was no file
  bool untracked = false;  // the index has nothing

  // "staged", "deleted", ...: all that apply, without implied ones.
  std::vector<std::string_view> Words() const;
};

// By path.
Result<std::vector<SnapshotChange>> ReadChanges(const Git& git, const SavedSnapshot& snapshot);

// A snapshot as a patch.

// Writes to `output`, piece by piece, a patch from the base to the files of the snapshot, untracked
// ones included, for `git apply --binary`. It uses the raw bytes of the files, without filters, and
// leaves out the index.
Result<void> WriteSnapshotDiff(const Git& git, const SavedSnapshot& snapshot,
                               const ProgramRequest::Output& output);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SAVED_SNAPSHOT_H_
