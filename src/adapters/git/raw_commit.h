// A commit as git stores it, byte by byte: the only way to rebuild it with its author, dates,
// encoding, unusual headers and message intact, and reproducibly with the same id.

#ifndef BELAY_ADAPTERS_GIT_RAW_COMMIT_H_
#define BELAY_ADAPTERS_GIT_RAW_COMMIT_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "base/time.h"

namespace belay {

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

#endif  // BELAY_ADAPTERS_GIT_RAW_COMMIT_H_
