// Git's facts about an entry, and the refs that keep its commits from garbage collection.
//
//   refs/belay/merge/m7/head        the head that lands or has landed. Stays when the branch is
//   deleted: so
//                                   nothing is lost by that.
//   refs/belay/merge/m7/candidate   the tested commit; removed when the entry is finished

#ifndef BELAY_MERGE_ENTRY_REFS_H_
#define BELAY_MERGE_ENTRY_REFS_H_

#include <string>
#include <string_view>

#include "adapters/git/object_id.h"
#include "base/result.h"
#include "engine/merge/landing_step.h"
#include "merge/merge_doors.h"

namespace belay {

// From any struct with these members.
struct RefDoors {
  template <typename Doors>
  // NOLINTNEXTLINE(google-explicit-constructor): a part of them.
  RefDoors(const Doors& doors)
      : files(doors.files), git(doors.git), common_folder(doors.common_folder) {}

  const FileSystem& files;
  const Git& git;
  const std::string& common_folder;
};

struct BranchValue {
  ObjectId commit = {};         // none: no such branch, or it is symbolic
  std::string stands_for = {};  // the target of a symbolic branch
};
Result<BranchValue> ReadBranch(const RefDoors& doors, std::string_view branch);

// The commit of a branch; none: no such branch. A symbolic one is kRefused: changes to it would
// change another branch, whose worktrees and queue weren't checked.
Result<ObjectId> BranchTip(const RefDoors& doors, std::string_view branch);

// Whether `commit` is `tip`, or an ancestor.
Result<bool> IsInHistory(const Git& git, std::string_view commit, std::string_view tip);

// A symbolic target: kRefused. For an entry in test or merge, git reads everything that its
// candidate needs, unless that was just done.
enum class CandidateCheck { kRead, kWasJustRead };
Result<LandingFacts> AskGitAbout(const MergeDoors& doors, const MergeEntry& entry,
                                 CandidateCheck check = CandidateCheck::kRead);

// On the disk when it returns. Replaces any value of the ref, even one that git can't read.
Result<void> KeepCommit(const MergeDoors& doors, const std::string& ref, std::string_view commit);
Result<void> DropRef(const MergeDoors& doors, const std::string& ref);

// Candidates of entries that are no longer queued, left by a killed belay, or by one that found its
// entry removed while it built. A failure for one doesn't affect the others.
Result<void> DropLeftCandidates(const MergeDoors& doors, const MergeBook& book);

}  // namespace belay

#endif  // BELAY_MERGE_ENTRY_REFS_H_
