// Snapshots that are there: found by their refs, with nothing else needed.
//
// The commit of a snapshot has the shape of a stash, so that git's own tools can read it:
//
//   parent 1   the base: HEAD at that moment, or an empty commit if there was none
//   parent 2   the index as a tree; of an unmerged path, what the base has
//   parent 3   the untracked files, a commit without parents
//   parent 4   only if there is something to say that a tree can't, a commit without parents:
//              stage1/PATH, stage2/PATH, stage3/PATH   the stages of unmerged paths
//              intent-to-add/PATH                       entries of `git add -N`, as empty files
//   tree       the tracked files as they were, byte by byte, without filters; of a path that was
//              left out, what the base has

#ifndef BELAY_SNAPSHOT_SAVED_SNAPSHOT_H_
#define BELAY_SNAPSHOT_SAVED_SNAPSHOT_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "adapters/git/refs.h"
#include "base/ids.h"
#include "base/result.h"
#include "snapshot/snapshot_record.h"
#include "store/repository.h"

namespace belay {

// What a snapshot is called: "main/7", the seventh one that was kept for the main worktree.
//
//   refs/belay/keep/main/7            the main worktree
//   refs/belay/keep/login-fix/3       a linked worktree, by the name that git has for it
//   refs/belay/keep/agent-orchestrator-login/2   an agent, whichever worktree it works in
//
// A linked worktree that git calls "main", or something that starts with "wt-" or "agent-", gets
// "wt-" before it, so that no two have the same name. What can't stand in a ref is written %XX;
// what gets too long by that is cut, with a digest of it behind "%x".

constexpr std::string_view kKeepRefs = "refs/belay/keep/";

// Whose snapshots they are.
class KeepName {
 public:
  static KeepName OfWorktree(const Repository& repository);
  static KeepName OfAgent(const IdentityName& agent);
  // As it stands in a ref; anything that can't: kUsage.
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
  ObjectId rest = {};  // parent 4; none: there is none
  SnapshotRecord record = {};
  bool readable = true;  // false: of a newer belay, or not belay's; the record has only defaults
};

// All, or those of one name; oldest first within a name.
Result<std::vector<SavedSnapshot>> ListSnapshots(const Git& git,
                                                 const std::optional<KeepName>& keep);
Result<std::optional<SavedSnapshot>> LastSnapshot(const Git& git, const KeepName& keep);

// By "main/7", by the ref, by the id of the commit or at least 7 digits of it, or by "7" for the
// one of `keep`. None: kNotFound. Several: kUsage.
Result<SavedSnapshot> FindSnapshot(const Git& git, const KeepName& keep, std::string_view text);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SAVED_SNAPSHOT_H_
