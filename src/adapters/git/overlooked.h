// Tracked files that git was told to overlook (assume-unchanged, skip-worktree): it sees no change
// in them, whatever they hold.

#ifndef BELAY_ADAPTERS_GIT_OVERLOOKED_H_
#define BELAY_ADAPTERS_GIT_OVERLOOKED_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "codec/blob_hash.h"

namespace belay {

struct Overlooked {
  std::string path;
  ObjectId id;  // of what the index has

  bool operator==(const Overlooked&) const = default;
};

// `index` is the content of git's index file; git is only asked if that can't be read here. Files
// outside of a sparse checkout are among them.
Result<std::vector<Overlooked>> FindOverlooked(const Git& git, std::string_view index,
                                               ObjectFormat format);

// Read from an index of version 2 or 3. Nothing: it has another version, names another file, or
// can't be understood.
std::optional<std::vector<Overlooked>> OverlookedInIndex(std::string_view index,
                                                         ObjectFormat format);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_OVERLOOKED_H_
