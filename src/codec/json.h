// JSON values, one strict parser and one writer.
//
// Strict: a duplicate key, an integer beyond 64 signed bits, a number beyond a double, invalid
// UTF-8, a lone surrogate, a control character in a string, a byte order mark, more depth or more
// bytes than allowed, or anything after the value is an error (kDamaged) with line and column.
// Nothing is guessed and nothing is dropped, unless JsonLimits says so.
//
// Faithful: objects keep their order and every member, known or not. A number that is not a plain
// integer keeps its spelling (1.10 stays 1.10). Writing a parsed value compactly and parsing it
// again gives an equal value.
//
// Not nlohmann's, because it silently takes the last of duplicate keys, can't report where a key
// stood, forgets how a number was written, and adds six seconds to every file that includes it. The
// tests and the fuzzer use it as the reference.

#ifndef BELAY_CODEC_JSON_H_
#define BELAY_CODEC_JSON_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace belay {

struct JsonMember;

class Json {
 public:
  // A number with a fraction or an exponent, as spelled.
  struct Decimal {
    std::string text;
    bool operator==(const Decimal&) const = default;
  };
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;

  Json() = default;  // null
  Json(std::nullptr_t);
  Json(bool value);
  Json(int value);
  Json(std::int64_t value);
  Json(std::uint32_t value);
  Json(std::size_t value);  // at most 2^63 - 1, or the program aborts
  Json(Decimal value);
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  Json(Array value);
  Json(Object value);

  static Json FromDouble(double value);  // finite, or the program aborts
  static Json EmptyArray();
  static Json EmptyObject();

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }

  // The value if it is of that type, else null.
  const bool* AsBool() const { return std::get_if<bool>(&value_); }
  const std::int64_t* AsInteger() const { return std::get_if<std::int64_t>(&value_); }
  const Decimal* AsDecimal() const { return std::get_if<Decimal>(&value_); }
  const std::string* AsString() const { return std::get_if<std::string>(&value_); }
  const Array* AsArray() const { return std::get_if<Array>(&value_); }
  const Object* AsObject() const { return std::get_if<Object>(&value_); }
  Array* AsArray() { return std::get_if<Array>(&value_); }
  Object* AsObject() { return std::get_if<Object>(&value_); }

  // "null", "a boolean", "an integer", ...: for messages about a wrong type.
  std::string_view TypeName() const;

  // Members of an object; on any other type Find returns null and the others abort.
  const Json* Find(std::string_view key) const;
  Json* Find(std::string_view key);
  void Set(std::string_view key, Json value);  // in place, or at the end
  bool Remove(std::string_view key);

  // Appends to an array; aborts on any other type.
  void Append(Json value);

  bool operator==(const Json& other) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, Decimal, std::string, Array, Object> value_;
};

struct JsonMember {
  std::string key;
  Json value;
  bool operator==(const JsonMember&) const = default;
};

// Inline, but defined here because they need a complete JsonMember.
inline Json::Json(std::nullptr_t) {}
inline Json::Json(bool value) : value_(value) {}
inline Json::Json(int value) : value_(static_cast<std::int64_t>(value)) {}
inline Json::Json(std::int64_t value) : value_(value) {}
inline Json::Json(std::uint32_t value) : value_(static_cast<std::int64_t>(value)) {}
inline Json::Json(Decimal value) : value_(std::move(value)) {}
inline Json::Json(std::string value) : value_(std::move(value)) {}
inline Json::Json(std::string_view value) : value_(std::string(value)) {}
inline Json::Json(const char* value) : value_(std::string(value)) {}
inline Json::Json(Array value) : value_(std::move(value)) {}
inline Json::Json(Object value) : value_(std::move(value)) {}

// {{"schema_version", 1}, {"name", name}}
Json MakeObject(std::initializer_list<std::pair<std::string_view, Json>> members);

// A list of what `make` makes of each item; without it, of the items themselves.
template <class Items, class Make = std::identity>
Json MakeArray(const Items& items, const Make& make = {}) {
  Json::Array array;
  for (const auto& item : items) array.emplace_back(make(item));
  return array;
}

struct JsonLimits {
  std::size_t max_bytes = std::size_t{64} << 20U;
  std::size_t max_depth = 128;  // of nested arrays and objects
  // For small texts of other programs, where a partial result is better than none: a lone surrogate
  // becomes U+FFFD, and the last of duplicate keys wins, at the position of the first.
  bool forgiving = false;
};

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

enum class JsonStyle {
  kCompact,   // one line, no spaces
  kIndented,  // two spaces a level, a newline at the end
};

// Always valid JSON and valid UTF-8: invalid bytes in strings become U+FFFD, control characters
// (DEL and C1 too, so that a terminal can show it) are escaped.
std::string WriteJson(const Json& value, JsonStyle style = JsonStyle::kCompact);
void AppendJson(const Json& value, std::string& out);  // compact

// A text member of a record that another program wrote; empty when it is missing or of another
// type.
std::string TextIn(const Json& record, std::string_view key);

}  // namespace belay

#endif  // BELAY_CODEC_JSON_H_
