// What every Backend takes as keys and values, checked before anything is written. Errors are
// kRefused.

#ifndef BELAY_STORE_BACKEND_CHECK_H_
#define BELAY_STORE_BACKEND_CHECK_H_

#include <string_view>

#include "base/result.h"
#include "codec/json.h"

namespace belay {

Result<void> CheckBackendKey(std::string_view key);
Result<void> CheckBackendPrefix(std::string_view prefix);  // may be empty

// The value as everybody else will read it, so that the writer never knows it otherwise.
Result<Json> ReadBackValue(const Json& value);

}  // namespace belay

#endif  // BELAY_STORE_BACKEND_CHECK_H_
