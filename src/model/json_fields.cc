#include "model/json_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kDigest = "sha256";

std::optional<double> DoubleOf(const Json& value) {
  if (const std::int64_t* whole = value.AsInteger()) return static_cast<double>(*whole);
  const Json::Decimal* decimal = value.AsDecimal();
  if (decimal == nullptr) return std::nullopt;
  const std::string& text = decimal->text;
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

JsonFields::JsonFields(const Json& record, std::string_view what)
    : members_(record.AsObject()), what_(what) {
  if (members_ == nullptr) {
    error_ =
        Error{ErrorCode::kDamaged, fmt::format("{}: {}, not an object", what, record.TypeName())};
    return;
  }
  asked_.resize(members_->size());
}

// They mostly come in the order in which they are asked for.
const Json* JsonFields::Find(std::string_view key) {
  if (!ok()) return nullptr;
  const std::size_t count = members_->size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = next_ + i < count ? next_ + i : next_ + i - count;
    if ((*members_)[at].key != key) continue;
    next_ = at + 1 < count ? at + 1 : 0;
    asked_[at] = true;
    return &(*members_)[at].value;
  }
  return nullptr;
}

const Json* JsonFields::FindKnown(std::string_view key) {
  const Json* value = Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void JsonFields::Fail(std::string_view key, std::string_view reason) {
  if (ok())
    error_ = Error{ErrorCode::kDamaged, fmt::format("{}: {} {}", what_, Quote(key), reason)};
}

void JsonFields::Fail(const Error& error) {
  if (ok()) error_ = Error{ErrorCode::kDamaged, fmt::format("{}: {}", what_, error.message)};
}

Result<void> JsonFields::Check() const {
  if (error_) return *error_;
  return {};
}

void JsonFields::CheckVersion(int newest) {
  const std::optional<std::int64_t> version = Integer("schema_version");
  if (!version || *version < 1) return Fail("schema_version", "isn't a version");
  if (*version <= newest || !ok()) return;
  error_ = Error{ErrorCode::kDamaged,
                 fmt::format("{}: written by a newer belay (schema_version {})", what_, *version),
                 "use that belay, or a newer one"};
}

const std::string* JsonFields::FindText(std::string_view key) {
  const Json* value = FindKnown(key);
  if (value == nullptr) return nullptr;
  if (value->AsString() == nullptr) Fail(key, "isn't a text");
  return value->AsString();
}

std::string JsonFields::Text(std::string_view key) {
  const std::string* text = FindText(key);
  return text == nullptr ? std::string() : *text;
}

std::optional<std::string> JsonFields::OptionalText(std::string_view key) {
  const std::string* text = FindText(key);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

bool JsonFields::Bool(std::string_view key, bool otherwise) {
  const Json* value = FindKnown(key);
  if (value == nullptr) return otherwise;
  if (value->AsBool() != nullptr) return *value->AsBool();
  Fail(key, "isn't true or false");
  return otherwise;
}

std::optional<std::int64_t> JsonFields::Integer(std::string_view key, std::int64_t least,
                                                std::int64_t most) {
  const Json* value = FindKnown(key);
  if (value == nullptr) return std::nullopt;
  const std::int64_t* number = value->AsInteger();
  if (number != nullptr && *number >= least && *number <= most) return *number;
  Fail(key, "isn't a number that can be");
  return std::nullopt;
}

std::uint32_t JsonFields::Count(std::string_view key, std::uint32_t otherwise) {
  const auto number = Integer(key, 0, std::numeric_limits<std::uint32_t>::max());
  return number ? static_cast<std::uint32_t>(*number) : otherwise;
}

std::optional<double> JsonFields::Number(std::string_view key) {
  const Json* value = FindKnown(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> number = DoubleOf(*value);
  if (!number) Fail(key, "isn't a number");
  return number;
}

std::optional<WallTime> JsonFields::Time(std::string_view key) {
  const std::string* text = FindText(key);
  if (text == nullptr) return std::nullopt;
  const Result<WallTime> time = ParseUtc(*text);
  if (time) return *time;
  Fail(key, "isn't a time");
  return std::nullopt;
}

Duration JsonFields::Length(std::string_view key) {
  const std::string* text = FindText(key);
  if (text == nullptr) return {};
  const Result<Duration> length = ParseDuration(*text);
  if (length) return *length;
  Fail(key, "isn't a length of time");
  return {};
}

std::vector<std::string> JsonFields::Texts(std::string_view key) {
  std::vector<std::string> texts;
  const Json::Array* array = Array(key);
  if (array == nullptr) return texts;
  texts.reserve(array->size());
  for (const Json& one : *array) {
    if (one.AsString() == nullptr) Fail(key, "isn't a list of texts");
    if (one.AsString() != nullptr) texts.push_back(*one.AsString());
  }
  return texts;
}

std::vector<WallTime> JsonFields::Times(std::string_view key) {
  std::vector<WallTime> times;
  for (const std::string& text : Texts(key)) {
    const Result<WallTime> time = ParseUtc(text);
    if (!time) Fail(key, "isn't a list of times");
    if (time) times.push_back(*time);
  }
  return times;
}

const Json::Array* JsonFields::Array(std::string_view key) {
  const Json* value = FindKnown(key);
  if (value == nullptr) return nullptr;
  if (value->AsArray() == nullptr) Fail(key, "isn't a list");
  return value->AsArray();
}

const Json* JsonFields::Object(std::string_view key) {
  const Json* value = FindKnown(key);
  if (value == nullptr || value->AsObject() != nullptr) return value;
  Fail(key, "isn't an object");
  return nullptr;
}

Json JsonFields::Any(std::string_view key) {
  const Json* value = Find(key);
  return value == nullptr ? Json() : *value;
}

Json JsonFields::Unknown() const {
  Json::Object unknown;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const JsonMember& member = (*members_)[i];
    if (!asked_[i] && member.key != kDigest) unknown.push_back(member);
  }
  return unknown;
}

Json TextOrNull(std::string_view text) {
  return text.empty() ? Json() : Json(ReplaceInvalidUtf8(text));
}

Json TimeOrNull(const std::optional<WallTime>& time) {
  return time ? Json(FormatUtcMicros(*time)) : Json();
}

Json KnownTime(WallTime time) { return time == WallTime() ? Json() : Json(FormatUtcMicros(time)); }

Json NumberOrNull(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json::FromDouble(*number) : Json();
}

Json TextArray(const std::vector<std::string>& texts) {
  Json::Array array;
  array.reserve(texts.size());
  for (const std::string& text : texts) array.emplace_back(ReplaceInvalidUtf8(text));
  return array;
}

Json LargeNumber(std::uint64_t number) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(number, kMost));
}

void AddUnknown(const Json& unknown, Json::Object& members) {
  if (unknown.AsObject() == nullptr) return;
  const auto known = static_cast<std::ptrdiff_t>(members.size());
  for (const JsonMember& member : *unknown.AsObject()) {
    const bool there = std::any_of(members.begin(), members.begin() + known,
                                   [&](const JsonMember& one) { return one.key == member.key; });
    if (!there && member.key != kDigest) members.push_back(member);
  }
}

std::string TextIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
}

}  // namespace belay
