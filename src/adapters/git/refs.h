// Refs, changed only by those who know what they say.

#ifndef BELAY_ADAPTERS_GIT_REFS_H_
#define BELAY_ADAPTERS_GIT_REFS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

struct CommitRef {
  std::string name;
  ObjectId commit;
  std::vector<ObjectId> parents;
  std::string message;
};

// All refs below `prefix` that point to commits, by name with numbers in their order. One that
// points to something else, or to what is missing, is left out.
Result<std::vector<CommitRef>> ListRefs(const Git& git, std::string_view prefix);
// The one with the highest number directly below `prefix`; none: nothing.
Result<std::optional<CommitRef>> LastRef(const Git& git, std::string_view prefix);

// False when the ref is there already, or what is left of one.
Result<bool> CreateRef(const Git& git, const std::string& name, const ObjectId& commit);

struct RefAndValue {
  std::string name;
  ObjectId commit;
};
// All or none: kBusy when one of them says something else meanwhile, or is gone.
Result<void> DeleteRefs(const Git& git, std::span<const RefAndValue> refs);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_REFS_H_
