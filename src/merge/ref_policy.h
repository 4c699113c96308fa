// Whether a transaction of git's may move a guarded target (MQ-6). Pure; git asks by its
// reference-transaction hook (protect.h), with a line "OLD NEW REF" for each ref:
//
//   git's line            meaning                                             the guard
//   OLD OLD ref           nothing changes (a stash, reset to where it is)     passes
//   zeros NEW ref         any old value: its present value is OLD             as the others
//   OLD zeros ref         pack-refs removes the file of a ref, if
//                         packed-refs has the same value                      passes
//                         else it is deleted, or renamed                      refused
//   zeros zeros ref       deleted from packed-refs; comes first when a ref
//                         is deleted or renamed that is in both places        refused
//   OLD NEW ref           the queue has announced exactly this                passes
//                         anything else                                       refused
//   ... HEAD, ORIG_HEAD   not branches; the branch has its own line           passes
//
// A guard rail, not a security boundary: it can be bypassed (core.hooksPath, writing the file of
// the ref), so every move that the queue didn't make is also noticed afterwards (landing.h).
//
// belay's own moves (adapters/git/refs.h) run without hooks, like all its git calls. That is
// enough: they give the old and the new value, git refuses them if the ref has another value, and
// they are announced in the journal before, which is all that the guard would check.

#ifndef BELAY_MERGE_REF_POLICY_H_
#define BELAY_MERGE_REF_POLICY_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "model/merge_entry.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// A line of the hook's input, as spelled.
struct RefUpdate {
  std::string_view from;
  std::string_view to;
  std::string_view name;

  bool operator==(const RefUpdate&) const = default;
};

// Incomplete or invalid lines are left out: git wrote them.
std::vector<RefUpdate> ParseRefUpdates(std::string_view text);
// Whether the line itself shows that nothing changes.
bool ChangesNothing(const RefUpdate& update);
bool IsAllZeros(std::string_view id);

// The values of a ref in git's two places; none: not there.
struct RefValues {
  ObjectId loose = {};   // in its own file, which takes precedence
  ObjectId packed = {};  // in packed-refs

  const ObjectId& present() const { return loose.IsNone() ? packed : loose; }
};

// Whether the move is allowed. `target` is the ref's, and guarded.
bool MayMove(const RefUpdate& update, const RefValues& values, const MergeTarget& target);

// The value of one ref in packed-refs.
ObjectId FindPackedRef(std::string_view packed_refs, std::string_view name);

// "main stays at 1234567890: it is protected ...", with a hint.
Error RefusalOf(const RefUpdate& update, const RefValues& values, std::string_view branch);

// The git process that called belay through a hook: its repository and worktree, and its command
// line.

struct GitPlace {
  std::string common_folder;
  std::string git_folder;  // with its HEAD and index
  std::string worktree;    // empty: none, or unknown
};

// kNotFound when there is none.
Result<GitPlace> FindGitPlace(const FileSystem& files, const Environment& environment,
                              const std::string& current_folder);

// The values of a ref, read from git's files: running git takes too long for a hook.
Result<RefValues> ReadRefValues(const FileSystem& files, const std::string& common_folder,
                                const std::string& name);

// Interprets the command line of a git process, as in /proc: each word ends with a NUL. A user's
// alias appears unexpanded.

// "merge"; empty: unknown.
std::string GitSubcommand(std::string_view command_line);

// Whether this git began a rebase that runs without the user's help: neither a continued nor an
// interactive one.
bool IsWholeRebase(std::string_view command_line);

// The new name of a renamed branch; empty: no such command.
std::string_view RenamedTo(std::string_view command_line);

}  // namespace belay

#endif  // BELAY_MERGE_REF_POLICY_H_
