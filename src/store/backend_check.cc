#include "store/backend_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "store/backend.h"

namespace belay {
namespace {

Error Refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

bool MayStandInAKey(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Result<void> CheckBackendPrefix(std::string_view prefix) {
  if (prefix.size() > kLongestBackendKey) {
    return Refused(
        fmt::format("a key of {} bytes: at most {} are taken", prefix.size(), kLongestBackendKey));
  }
  if (!std::all_of(prefix.begin(), prefix.end(), MayStandInAKey)) {
    return Refused("a key that is not printable ASCII without spaces");
  }
  return {};
}

Result<void> CheckBackendKey(std::string_view key) {
  if (key.empty()) return Refused("an empty key");
  return CheckBackendPrefix(key);
}

Result<Json> ReadBackValue(const Json& value) {
  if (value.AsObject() == nullptr) {
    return Refused(fmt::format("a value that is {}, not an object", value.TypeName()));
  }
  // Whoever keeps it puts it into a record, which is one level more.
  const JsonLimits limits{kLargestBackendValue, JsonLimits().max_depth - 1};
  Result<Json> read = ParseJson(WriteJson(value), limits);
  if (!read) return Refused("a value that could not be read back: " + read.error().message);
  return read;
}

}  // namespace belay
