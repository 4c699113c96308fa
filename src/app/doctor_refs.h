// Refs of belay's own that git can't use: found, and repaired without losing what is there.
//
// clang-format off
//   the ref                        what it names                      repair
//   ----------------------------   --------------------------------   ---------------------------------
//   refs/belay/merge/*/candidate   missing, or in part                dropped: the queue builds it again
//   refs/belay/merge/mN/head       missing or unreadable, but the     set to that commit again
//                                  queue's journal names a commit
//                                  that is there
//   any other below refs/belay/    missing or unreadable              dropped; the journal "project"
//                                                                     records what it said
//   any other below refs/belay/    there, but something it needs      left: a part of the work can still
//                                  is missing                         be read from it
//   HEAD of the gates' worktree    missing                            that worktree is removed: the queue
//                                                                     makes it again
// clang-format on

#ifndef BELAY_APP_DOCTOR_REFS_H_
#define BELAY_APP_DOCTOR_REFS_H_

#include <vector>

#include "app/doctor_checks.h"
#include "app/repairer.h"
#include "store/layout.h"

namespace belay {

Check CheckOwnRefs(const Layout& project, const Env& env);

// What was done, and what couldn't be. Of a project in a repository.
Result<std::vector<Repair>> RepairOwnRefs(const Layout& project, Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_REFS_H_
