#include "codec/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace belay {

Json::Json(std::size_t value) : value_(static_cast<std::int64_t>(value)) {
  BELAY_CHECK(value <= static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()));
}

Json Json::FromDouble(double value) {
  BELAY_CHECK(std::isfinite(value));
  char digits[32];
  const auto [end, status] = std::to_chars(digits, digits + sizeof(digits), value);
  BELAY_CHECK(status == std::errc());
  std::string text(digits, end);
  // Without one of these it would read back as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return Decimal{std::move(text)};
}

Json Json::EmptyArray() { return Array{}; }
Json Json::EmptyObject() { return Object{}; }

std::string_view Json::TypeName() const {
  constexpr std::string_view kNames[] = {"null",   "a boolean", "an integer", "a decimal number",
                                         "a text", "a list",    "an object"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(value_)>);
  return kNames[value_.index()];
}

const Json* Json::Find(std::string_view key) const {
  const Object* object = AsObject();
  if (object == nullptr) return nullptr;
  const auto at = std::find_if(object->begin(), object->end(),
                               [&](const JsonMember& member) { return member.key == key; });
  return at == object->end() ? nullptr : &at->value;
}

Json* Json::Find(std::string_view key) {
  return const_cast<Json*>(static_cast<const Json*>(this)->Find(key));
}

void Json::Set(std::string_view key, Json value) {
  Object* object = AsObject();
  BELAY_CHECK(object != nullptr);
  if (Json* existing = Find(key)) {
    *existing = std::move(value);
  } else {
    object->push_back({std::string(key), std::move(value)});
  }
}

bool Json::Remove(std::string_view key) {
  Object* object = AsObject();
  BELAY_CHECK(object != nullptr);
  return std::erase_if(*object, [&](const JsonMember& member) { return member.key == key; }) > 0;
}

void Json::Append(Json value) {
  Array* array = AsArray();
  BELAY_CHECK(array != nullptr);
  array->push_back(std::move(value));
}

bool Json::operator==(const Json& other) const { return value_ == other.value_; }

Json MakeObject(std::initializer_list<std::pair<std::string_view, Json>> members) {
  Json::Object object;
  object.reserve(members.size());
  for (const auto& [key, value] : members) object.push_back({std::string(key), value});
  return object;
}

}  // namespace belay
