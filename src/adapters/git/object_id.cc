#include "adapters/git/object_id.h"

#include <fmt/core.h>

#include "base/utf8.h"

namespace belay {

Result<ObjectId> ObjectId::Parse(std::string_view text) {
  const bool length = text.size() == 40 || text.size() == 64;
  if (!length || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return Error{ErrorCode::kDamaged, fmt::format("{} is not the id of a git object", Quote(text))};
  }
  ObjectId id;
  if (text.find_first_not_of('0') != std::string_view::npos) id.text_ = text;
  return id;
}

}  // namespace belay
