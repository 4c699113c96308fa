// Reads the members of a record one by one: each has its type or is null; anything else is
// kDamaged, never guessed.
//
//   JsonFields fields(record, "hook");
//   const std::string bead = fields.Text("current_bead");
//   BELAY_TRY(fields.Check());
//
// A missing member counts as null. After the first error the calls return empty values; Check
// returns that error. Lookups are fastest in the order of the members.

#ifndef BELAY_MODEL_JSON_FIELDS_H_
#define BELAY_MODEL_JSON_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "codec/json_skim.h"

namespace belay {

class JsonFields {
 public:
  // `record` must outlive this. `what` names it in messages.
  JsonFields(const Json& record, std::string_view what);
  // The same for an object as text; builds only the values that are read. It must be JSON as
  // codec/json_skim.h requires, and outlive this.
  JsonFields(JsonSkimmer object, std::string_view what);

  std::string Text(std::string_view key);  // null: empty
  // A view into the record; nothing when it is null.
  std::optional<std::string_view> FindText(std::string_view key);
  std::optional<std::string> OptionalText(std::string_view key);
  bool Bool(std::string_view key, bool otherwise) { return OptionalBool(key).value_or(otherwise); }
  std::optional<bool> OptionalBool(std::string_view key);
  std::optional<std::int64_t> Integer(std::string_view key,
                                      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::uint32_t Count(std::string_view key, std::uint32_t otherwise = 0);
  std::uint64_t LargeCount(std::string_view key) {  // null: 0
    return static_cast<std::uint64_t>(Integer(key, 0).value_or(0));
  }
  std::optional<double> Number(std::string_view key);
  std::optional<WallTime> Time(std::string_view key);
  WallTime TimeOrZero(std::string_view key) { return Time(key).value_or(WallTime()); }
  Duration Length(std::string_view key);  // null: 0
  std::vector<std::string> Texts(std::string_view key);
  std::vector<WallTime> Times(std::string_view key);
  // Null when it is null.
  const Json::Array* Array(std::string_view key);
  const Json* Object(std::string_view key);
  // The members of an object; nothing when it is null. `key` must outlive the result.
  std::optional<JsonFields> Inner(std::string_view key);
  Json Any(std::string_view key);

  // What `read` makes of the members of an object; nothing when it is null. An error in them is an
  // error of this record. `key` must be a literal.
  template <class Read>
  auto Part(std::string_view key, const Read& read) {
    std::optional<JsonFields> inner = Inner(key);
    std::optional<decltype(read(*this))> part;
    if (inner) part = read(*inner);
    if (inner && inner->error_) Fail(*inner->error_);
    return part;
  }
  // The same for each object of a list; `what` names one in messages.
  template <class Read>
  auto Parts(std::string_view key, std::string_view what, const Read& read) {
    std::vector<decltype(read(*this))> parts;
    const Json::Array* array = Array(key);
    if (array == nullptr) return parts;
    for (const Json& one : *array) {
      JsonFields inner(one, what);
      parts.push_back(read(inner));
      if (inner.error_) Fail(*inner.error_);
    }
    return parts;
  }

  // One of an enum's names; must not be null.
  template <class Enum>
  Enum Name(std::string_view key, std::optional<Enum> (*parse)(std::string_view)) {
    const std::optional<std::string_view> name = FindText(key);
    const std::optional<Enum> value = name ? parse(*name) : std::nullopt;
    if (!value) Fail(key, "isn't a known name");
    return value.value_or(Enum{});
  }

  void Fail(std::string_view key, std::string_view reason);
  void Fail(const Error& error);  // from a part of the record
  bool ok() const { return !error_; }
  Result<void> Check() const;

  // The members that were not read, except the digest of a rendering and the version.
  Json Unknown();

 private:
  struct Spelled {
    std::string_view key;
    std::string_view value;
  };

  std::size_t Count() const { return members_ != nullptr ? members_->size() : spelled_.size(); }
  std::string_view Key(std::size_t at) const;
  // Of a text; else nothing.
  std::string_view Spelling(std::size_t at) const {
    return members_ != nullptr ? std::string_view() : spelled_[at].value;
  }
  std::optional<std::size_t> Find(std::string_view key);
  std::optional<std::size_t> FindKnown(std::string_view key);  // also nothing when it is null
  const Json* Value(std::optional<std::size_t> at);            // null without one
  const Json* FindValue(std::string_view key) { return Value(FindKnown(key)); }

  const Json::Object* members_ = nullptr;  // or, of a text:
  std::vector<Spelled> spelled_;
  std::forward_list<Json> made_;  // of the members that were read

  std::string_view what_;
  std::size_t next_ = 0;
  std::vector<bool> asked_;
  std::optional<Error> error_;
};

// For writing: null for unknown values.
Json TextOrNull(std::string_view text);  // invalid UTF-8 is replaced
Json TimeOrNull(const std::optional<WallTime>& time);
Json KnownTime(WallTime time);  // null for time zero
Json NumberOrNull(const std::optional<double>& number);
Json TextArray(const std::vector<std::string>& texts);
Json LargeNumber(std::uint64_t number);  // cut to the largest JSON integer
// Adds the members that are missing, except the digest of a rendering.
void AddUnknown(const Json& unknown, Json::Object& members);

// Enum values and their names in records, one table each.

// The names of an enum's values, in their order.
template <class Enum>
std::string_view NameIn(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum>
std::optional<Enum> FindIn(std::span<const std::string_view> names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace belay

#endif  // BELAY_MODEL_JSON_FIELDS_H_
