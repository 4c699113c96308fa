#include "adapters/git/fields.h"

#include <fmt/core.h>

#include <charconv>

#include "base/utf8.h"

namespace belay {

Error Fields::Damaged(std::string_view why) const {
  return {ErrorCode::kDamaged,
          fmt::format("git {}: {} before {}", what_, why, Quote(rest_.substr(0, 40))),
          "this git's output is unknown to belay; belay needs git 2.38 or newer"};
}

Result<std::string_view> Fields::Until(char end) {
  const std::size_t length = rest_.find(end);
  if (length == std::string_view::npos) return Damaged("a field isn't terminated");
  const std::string_view field = rest_.substr(0, length);
  rest_.remove_prefix(length + 1);
  return field;
}

Result<std::string_view> Fields::PathUntilNul() {
  BELAY_TRY_ASSIGN(const std::string_view path, Until('\0'));
  if (path.empty()) return Damaged("no path");
  return path;
}

Result<std::uint32_t> Fields::ModeUntil(char end) {
  BELAY_TRY_ASSIGN(const std::string_view field, Until(end));
  if (field.empty() || field.size() > 7) return Damaged("no mode");
  std::uint32_t mode = 0;
  for (const char digit : field) {
    if (digit < '0' || digit > '7') return Damaged("no mode");
    mode = mode * 8 + static_cast<std::uint32_t>(digit - '0');
  }
  return mode;
}

Result<ObjectId> Fields::IdUntil(char end) {
  BELAY_TRY_ASSIGN(const std::string_view field, Until(end));
  Result<ObjectId> id = ObjectId::Parse(field);
  if (!id) return Damaged("not an object id");
  return id;
}

Result<std::string_view> Fields::Bytes(std::string_view number) {
  std::size_t count = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), count);
  const bool whole = problem == std::errc() && end == number.data() + number.size();
  if (!whole || count > rest_.size()) return Damaged("fewer bytes than announced");
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

Result<char> Fields::Next() {
  if (rest_.empty()) return Damaged("the output is incomplete");
  const char first = rest_[0];
  rest_.remove_prefix(1);
  return first;
}

}  // namespace belay
