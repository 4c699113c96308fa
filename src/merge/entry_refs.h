// Git's facts about an entry, and the refs that keep its commits from garbage collection.
//
//   refs/belay/merge/m7/head        the head that lands or has landed. Stays when the branch is
//   deleted: so
//                                   nothing is lost by that.
//   refs/belay/merge/m7/candidate   the tested commit; removed when the entry is finished

#ifndef BELAY_MERGE_ENTRY_REFS_H_
#define BELAY_MERGE_ENTRY_REFS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/merge/landing_step.h"
#include "merge/merge_env.h"
#include "model/merge_entry.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// From any struct with these members.
struct RefEnv {
  template <typename OtherEnv>
  // NOLINTNEXTLINE(google-explicit-constructor): a part of them.
  RefEnv(const OtherEnv& env) : files(env.files), git(env.git), common_folder(env.common_folder) {}

  const FileSystem& files;
  const Git& git;
  const std::string& common_folder;
};

struct BranchValue {
  ObjectId commit = {};         // none: no such branch, or it is symbolic
  std::string stands_for = {};  // the target of a symbolic branch
};
Result<BranchValue> ReadBranch(const RefEnv& env, std::string_view branch);

// The commit of a branch; none: no such branch. A symbolic one is kRefused: changes to it would
// change another branch, whose worktrees and queue weren't checked.
Result<ObjectId> BranchTip(const RefEnv& env, std::string_view branch);

// Whether `commit` is `tip`, or an ancestor.
Result<bool> IsInHistory(const Git& git, std::string_view commit, std::string_view tip);

// A symbolic target: kRefused. For an entry in test or merge, git reads everything that its
// candidate needs, unless that was just done.
enum class CandidateCheck { kRead, kWasJustRead };
Result<LandingFacts> ReadLandingFacts(const MergeEnv& env, const MergeEntry& entry,
                                      CandidateCheck check = CandidateCheck::kRead);

// On the disk when it returns. Replaces any value of the ref, even one that git can't read.
Result<void> KeepCommit(const MergeEnv& env, const std::string& ref, std::string_view commit);
Result<void> DropRef(const MergeEnv& env, const std::string& ref);

// Candidates of entries that are no longer queued, left by a killed belay, or by one that found its
// entry removed while it built. A failure for one doesn't affect the others.
Result<void> DropLeftCandidates(const MergeEnv& env, const MergeBook& book);

// Removes what is left of entries that ended long ago, so that nothing grows forever: the output of
// their gates, and refs/belay/merge/mN/head, which keeps the last commit of a branch that may have
// been deleted.
//
//   the entry                                 its head                        its logs
//   ---------------------------------------   ----------------------------- -----------------------
//   queued or parked                          kept                            kept
//   merged or cancelled, not completed        kept                            removed when older
//   merged or cancelled, longer than `keep`   removed                           than `keep`
//   so old that the book has forgotten it     removed if a target has the     the same
//                                               commit itself
//
// A merged head is in the target; a cancelled one may exist nowhere else, hence `keep`. An ended
// entry never comes back, so no lock is needed.

struct PrunePlace {
  FileSystem& files;
  const Layout& project;
  const Git& git;
};

struct Pruned {
  std::size_t heads = 0;
  std::size_t logs = 0;

  bool operator==(const Pruned&) const = default;
};

Result<Pruned> PruneEnded(const PrunePlace& place, const MergeBook& book, WallTime now,
                          Duration keep);

}  // namespace belay

#endif  // BELAY_MERGE_ENTRY_REFS_H_
