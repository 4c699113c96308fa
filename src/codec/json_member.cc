#include "codec/json_member.h"

namespace belay {

std::string TextIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
}

}  // namespace belay
