// Refs that git can't use: what they name is missing, or they name nothing. One of them is enough
// to make `git gc`, `git prune` and `git fetch` fail in the whole repository.

#ifndef BELAY_ADAPTERS_GIT_BROKEN_REFS_H_
#define BELAY_ADAPTERS_GIT_BROKEN_REFS_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

struct BrokenRef {
  enum class Why {
    kUnreadable,  // its file holds no id
    kLost,        // the object that it names is missing
    kIncomplete,  // that object is there, but something that it needs is missing
  };

  std::string name;
  Why why;
  ObjectId commit = {};      // none of an unreadable one
  std::string missing = {};  // of an incomplete one: git's words

  bool operator==(const BrokenRef&) const = default;
};

struct RefHealth {
  std::size_t count = 0;  // of all refs that were looked at
  std::vector<BrokenRef> broken = {};
};

// Of all refs below `prefix` ("refs/belay/"). What the branches have is taken to be whole.
Result<RefHealth> InspectRefs(const Git& git, std::string_view prefix);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_BROKEN_REFS_H_
