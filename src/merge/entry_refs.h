// What git is asked about an entry, and the refs that keep its commits from being collected.
//
//   refs/belay/merge/m7/head        what was, or is, to land. Stays when the branch is deleted: so
//                                   nothing is lost by that.
//   refs/belay/merge/m7/candidate   what is tested; gone when the entry is finished

#ifndef BELAY_MERGE_ENTRY_REFS_H_
#define BELAY_MERGE_ENTRY_REFS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/merge/landing_step.h"
#include "merge/merge_doors.h"
#include "model/merge_book.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// Of whatever has them.
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
  ObjectId commit = {};         // none: there is no such branch, or it is symbolic
  std::string stands_for = {};  // the ref that a symbolic one stands for
};
Result<BranchValue> ReadBranch(const RefDoors& doors, std::string_view branch);

// The commit of a branch; none: there is no such branch. A symbolic one is kRefused: what is done
// to it would be done to another branch, whose worktrees and queue nobody looked at.
Result<ObjectId> BranchTip(const RefDoors& doors, std::string_view branch);

// Whether `commit` is `tip`, or before it.
Result<bool> IsInHistory(const Git& git, std::string_view commit, std::string_view tip);

// A target that is symbolic: kRefused. Of one that is being tested or merged, git reads all that
// its candidate needs; unless that was just done.
enum class CandidateCheck { kRead, kWasJustRead };
Result<LandingFacts> AskGitAbout(const MergeDoors& doors, const MergeEntry& entry,
                                 CandidateCheck check = CandidateCheck::kRead);

// On the disk when it returns. What the ref said before doesn't matter, even if git can't read it.
Result<void> KeepCommit(const MergeDoors& doors, const std::string& ref, std::string_view commit);
Result<void> DropRef(const MergeDoors& doors, const std::string& ref);

// Of entries that aren't in line any more: whoever was killed, or found an entry removed while it
// built one, leaves them. One that can't be dropped doesn't keep the others.
Result<void> DropLeftCandidates(const MergeDoors& doors, const MergeBook& book);

// Removing what is left of entries that ended long ago, so that nothing grows for ever: the output
// of their gates, and refs/belay/merge/mN/head, which keeps the last commit of a branch that may
// have been deleted.
//
//   the entry                                 its head                        its logs
//   ---------------------------------------   ----------------------------- -----------------------
//   in line or parked                         kept                            kept
//   merged or cancelled, something to do      kept                            goes when older than
//   merged or cancelled, longer than `keep`   goes                              `keep`
//   so old that the book has forgotten it     goes if a target has the        the same
//                                               commit itself
//
// Merged is proven; what was cancelled may be nowhere else, which is what `keep` is for. An entry
// that ended never comes back, so nobody needs to be kept out meanwhile.

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
