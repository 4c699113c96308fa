// A text of a JSON record, for expectations.

#ifndef BELAY_TESTS_JSON_TEXT_H_
#define BELAY_TESTS_JSON_TEXT_H_

#include <string>
#include <string_view>

#include "codec/json.h"

namespace belay {

// "(none)" when there is none.
inline std::string TextOf(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : "(none)";
}

}  // namespace belay

#endif  // BELAY_TESTS_JSON_TEXT_H_
