// Whether a transaction of git's may move a guarded target (MQ-6). Pure; git asks by its
// reference-transaction hook (protect.h), with a line "OLD NEW REF" for each ref:
//
//   what git says         what it is                                          the guard says
//   OLD OLD ref           nothing changes (a stash, reset to where it is)     passes
//   zeros NEW ref         "whatever it says now": its present value is OLD    as the others
//   OLD zeros ref         pack-refs takes away the file of a ref, when
//                         packed-refs says the same                           passes
//                         else it is deleted, or renamed                      refused
//   zeros zeros ref       deleted from packed-refs; comes first when a ref
//                         is deleted or renamed that is in both places        refused
//   OLD NEW ref           the queue has announced exactly this                passes
//                         anything else                                       refused
//   ... HEAD, ORIG_HEAD   names of no branch; the branch has its own line     passes
//
// A guard rail: whoever wants to gets around it (core.hooksPath, writing the file of the ref), so
// every move that the queue didn't make is also noticed afterwards (drift.h).
//
// belay's own moves (adapters/git/refs.h) run without hooks, as all its calls of git do. That
// is enough: they say from where to where, git refuses them if the ref says something else, and
// they are announced in the journal before, which is all that the guard would look at.

#ifndef BELAY_MERGE_REF_GUARD_H_
#define BELAY_MERGE_REF_GUARD_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/object_id.h"
#include "base/result.h"
#include "model/merge_book.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// A line of the hook's input, as it is spelled.
struct RefUpdate {
  std::string_view from;
  std::string_view to;
  std::string_view name;

  bool operator==(const RefUpdate&) const = default;
};

// Lines that aren't whole, or make no sense, are left out: git wrote them.
std::vector<RefUpdate> ParseRefUpdates(std::string_view text);
// Whether it says so by itself that nothing changes.
bool ChangesNothing(const RefUpdate& update);
bool IsAllZeros(std::string_view id);

// What a ref says in the two places where git looks; none: nothing.
struct RefValues {
  ObjectId loose = {};   // in a file of its own, which counts
  ObjectId packed = {};  // in packed-refs

  const ObjectId& present() const { return loose.IsNone() ? packed : loose; }
};

// Whether it may be made. `target` is that of the ref, and guarded.
bool MayMove(const RefUpdate& update, const RefValues& values, const MergeTarget& target);

// From packed-refs: what it says about one ref.
ObjectId FindPackedRef(std::string_view packed_refs, std::string_view name);

// "main stays at 1234567890: it is protected ...", with what to do instead.
Error RefusalOf(const RefUpdate& update, const RefValues& values, std::string_view branch);

// The git process that called belay by a hook: its repository and worktree, and what its command
// line asks for.

struct GitPlace {
  std::string common_folder;
  std::string git_folder;  // its HEAD, its index
  std::string worktree;    // empty: it has none, or that can't be told
};

// kNotFound when there is none.
Result<GitPlace> FindGitPlace(const FileSystem& files, const Environment& environment,
                              const std::string& current_folder);

// What a ref says, from git's files: asking git takes too long for a hook.
Result<RefValues> ReadRefValues(const FileSystem& files, const std::string& common_folder,
                                const std::string& name);

// What a git process was told to do, from its command line as /proc has it: each word with a NUL
// behind it. An alias of the user's stands there as such.

// "merge"; empty: it can't be told.
std::string GitSubcommand(std::string_view command_line);

// Whether it is a rebase that this very git began, and that nobody has a hand in: neither one that
// goes on nor an interactive one.
bool IsWholeRebase(std::string_view command_line);

// The branch that another one is renamed to; empty: it is no such command.
std::string_view RenamedTo(std::string_view command_line);

}  // namespace belay

#endif  // BELAY_MERGE_REF_GUARD_H_
