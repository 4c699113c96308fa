// Commits in the object store: makes them durable, publishes them from a merge room, checks them
// for missing parts.

#ifndef BELAY_ADAPTERS_GIT_OBJECTS_H_
#define BELAY_ADAPTERS_GIT_OBJECTS_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/merge_room.h"
#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace belay {

struct CommitToSync {
  ObjectId commit;
  ObjectId parent;  // the first one: also in the list, or already durable; none: a root
  ObjectId tree;
};

// When it returns, everything that they have and their parents lack is on the disk: together with
// the parents, all of it. Objects are synced one by one, or the whole disk at once when there are
// many.
Result<void> SyncCommits(const MergeRoom& room, std::span<const CommitToSync> commits);

// Makes those of them durable that are loose; git syncs packs itself. `folder` is the repository's
// folder of objects.
Result<void> SyncLooseObjects(FileSystem& files, const std::string& folder,
                              const std::set<ObjectId>& objects);

// Copies a commit from a merge room into the repository: as one pack, on the disk when it returns.
//
// No `git prune` or `git gc` of another process can delete it again, whatever their options and
// start time: prune removes no packs, and gc none with a `.keep` file, which exists before git can
// see the pack. Once a ref holds the commit, that file is no longer needed.
//
//   objects/pack/pack-HASH.keep    "belay builds a candidate"

// Includes everything that can't be reached from `known`: every object is read, so a missing one is
// an error. Returns the path of the `.keep` file.
Result<std::string> PublishCommit(const MergeRoom& room, const ObjectId& commit,
                                  std::span<const ObjectId> known);

// Removes one of our `.keep` files. Succeeds if it doesn't exist or isn't ours.
Result<void> ReleasePack(FileSystem& files, const std::string& keep_file);

// Removes the `.keep` files that killed processes left. No process may be building at that time.
Result<void> ReleaseLeftPacks(FileSystem& files, const std::string& common_folder);

// Whether a commit is in the repository with everything it needs.

// The arguments for a git that succeeds if every commit, tree and blob of `commit` exists, except
// those that `known` has, and otherwise names the first missing one. `known` is assumed complete.
std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known);

// A commit as git stores it, byte by byte: the only way to rebuild it with its author, dates,
// encoding, unusual headers and message intact, and reproducibly with the same id.

// "Ann <ann@x> 1700000000 +0000": the same person at another time, in UTC. Text in another form is
// returned unchanged.
std::string AtTime(std::string_view person, WallTime time);

class RawCommit {
 public:
  // Parses `git cat-file commit`. Without a tree header first: kDamaged.
  static Result<RawCommit> Parse(std::string_view bytes);

  const ObjectId& tree() const { return tree_; }
  const std::vector<ObjectId>& parents() const { return parents_; }
  // The value of "author", "encoding", ...; empty: no such header.
  std::string_view Header(std::string_view name) const;
  std::string_view message() const { return message_; }

  // The same commit with another tree and parents, and another committer date if given. Signatures
  // are dropped, since they sign other bytes, and so are tags that came with a merge.
  std::string Elsewhere(const ObjectId& tree, std::span<const ObjectId> parents,
                        std::optional<WallTime> committed_at = std::nullopt) const;

 private:
  ObjectId tree_;
  std::vector<ObjectId> parents_;
  std::vector<std::string> headers_;  // the others, each with its newlines
  bool has_end_ = false;              // there is an empty line before the message
  std::string message_;
};

using CommitMap = std::map<ObjectId, RawCommit>;
// Reads all in one call. A missing one: kNotFound; not a commit: kRefused.
Result<CommitMap> ReadRawCommits(const MergeRoom& room, std::span<const ObjectId> ids);

// The bytes of a commit that belay writes; `author` and `committer` include their dates.
struct NewCommit {
  ObjectId tree;
  std::vector<ObjectId> parents;
  std::string author;
  std::string committer;
  std::string message;
};
std::string CommitBytes(const NewCommit& commit);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_OBJECTS_H_
