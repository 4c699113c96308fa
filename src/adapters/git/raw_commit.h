// A commit as git stores it, byte by byte: only so can it be put elsewhere with its author, dates,
// encoding, odd headers and message unharmed, and twice with the same id.

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

// "Ann <ann@x> 1700000000 +0000": the same person at another time, in UTC. What isn't written like
// that stays as it is.
std::string AtTime(std::string_view person, WallTime time);

class RawCommit {
 public:
  // Of `git cat-file commit`. Without a tree on top: kDamaged.
  static Result<RawCommit> Parse(std::string_view bytes);

  const ObjectId& tree() const { return tree_; }
  const std::vector<ObjectId>& parents() const { return parents_; }
  // Behind its name: "author", "encoding", ...; empty: it has none.
  std::string_view Header(std::string_view name) const;
  std::string_view message() const { return message_; }

  // The same commit elsewhere, with another committer date if one is given. Signatures go, since
  // they are of other bytes, and so do tags that came with a merge.
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
// All of them, in one call. One that is missing: kNotFound; no commit: kRefused.
Result<CommitMap> ReadRawCommits(const MergeRoom& room, std::span<const ObjectId> ids);

// The bytes of a commit of belay's own making; `author` and `committer` with their dates.
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
