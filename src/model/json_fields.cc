#include "model/json_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "model/migration.h"

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

// Of the plainest form; the parser handles the others.
std::optional<std::int64_t> WholeNumber(std::string_view text) {
  constexpr std::size_t kSurelyFits = 18;
  const bool plain =
      !text.empty() && text.size() <= kSurelyFits && text.front() >= '1' && text.front() <= '9';
  return plain ? ParseNumber<std::int64_t>(text) : std::nullopt;
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

JsonFields::JsonFields(JsonSkimmer object, std::string_view what) : what_(what) {
  constexpr std::size_t kMost = 32;  // usual number of members
  spelled_.reserve(kMost);
  while (object.Next()) spelled_.push_back({object.key(), object.Value()});
  if (!object.Ended()) error_ = Error{ErrorCode::kDamaged, fmt::format("{}: incomplete", what)};
  asked_.resize(spelled_.size());
}

std::string_view JsonFields::Key(std::size_t at) const {
  return members_ != nullptr ? std::string_view((*members_)[at].key) : spelled_[at].key;
}

// They are usually asked for in their order.
std::optional<std::size_t> JsonFields::Find(std::string_view key) {
  if (!ok()) return std::nullopt;
  const std::size_t count = Count();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = next_ + i < count ? next_ + i : next_ + i - count;
    if (Key(at) != key) continue;
    next_ = at + 1 < count ? at + 1 : 0;
    asked_[at] = true;
    return at;
  }
  return std::nullopt;
}

std::optional<std::size_t> JsonFields::FindKnown(std::string_view key) {
  const std::optional<std::size_t> at = Find(key);
  if (!at) return std::nullopt;
  const bool null =
      members_ != nullptr ? (*members_)[*at].value.is_null() : spelled_[*at].value == "null";
  return null ? std::nullopt : at;
}

const Json* JsonFields::Value(std::optional<std::size_t> at) {
  if (!at) return nullptr;
  if (members_ != nullptr) return &(*members_)[*at].value;
  Result<Json> json = ParseJson(spelled_[*at].value);
  if (!json) Fail(Key(*at), "isn't JSON");
  return json ? &made_.emplace_front(*std::move(json)) : nullptr;
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

std::optional<std::string_view> JsonFields::FindText(std::string_view key) {
  const std::optional<std::size_t> at = FindKnown(key);
  if (!at) return std::nullopt;
  const std::string_view spelling = Spelling(*at);
  const bool plain = spelling.size() >= 2 && spelling.front() == '"' &&
                     spelling.find('\\') == std::string_view::npos;
  if (plain) return spelling.substr(1, spelling.size() - 2);
  const Json* value = Value(at);
  if (value != nullptr && value->AsString() != nullptr) return *value->AsString();
  Fail(key, "isn't a string");
  return std::nullopt;
}

std::string JsonFields::Text(std::string_view key) {
  return std::string(FindText(key).value_or(std::string_view()));
}

std::optional<std::string> JsonFields::OptionalText(std::string_view key) {
  const std::optional<std::string_view> text = FindText(key);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<bool> JsonFields::OptionalBool(std::string_view key) {
  const std::optional<std::size_t> at = FindKnown(key);
  if (!at) return std::nullopt;
  const std::string_view text = Spelling(*at);
  if (text == "true" || text == "false") return text == "true";
  const Json* value = Value(at);
  if (value != nullptr && value->AsBool() != nullptr) return *value->AsBool();
  if (value != nullptr) Fail(key, "isn't true or false");
  return std::nullopt;
}

std::optional<std::int64_t> JsonFields::Integer(std::string_view key, std::int64_t least,
                                                std::int64_t most) {
  const std::optional<std::size_t> at = FindKnown(key);
  if (!at) return std::nullopt;
  std::optional<std::int64_t> number = WholeNumber(Spelling(*at));
  if (!number) {
    const Json* value = Value(at);
    if (value != nullptr && value->AsInteger() != nullptr) number = *value->AsInteger();
  }
  if (number && *number >= least && *number <= most) return number;
  Fail(key, "is out of range");
  return std::nullopt;
}

std::uint32_t JsonFields::Count(std::string_view key, std::uint32_t otherwise) {
  const auto number = Integer(key, 0, std::numeric_limits<std::uint32_t>::max());
  return number ? static_cast<std::uint32_t>(*number) : otherwise;
}

std::optional<double> JsonFields::Number(std::string_view key) {
  const Json* value = FindValue(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> number = DoubleOf(*value);
  if (!number) Fail(key, "isn't a number");
  return number;
}

std::optional<WallTime> JsonFields::Time(std::string_view key) {
  const std::optional<std::string_view> text = FindText(key);
  if (!text) return std::nullopt;
  const Result<WallTime> time = ParseUtc(*text);
  if (time) return *time;
  Fail(key, "isn't a time");
  return std::nullopt;
}

Duration JsonFields::Length(std::string_view key) {
  const std::optional<std::string_view> text = FindText(key);
  if (!text) return {};
  const Result<Duration> length = ParseDuration(*text);
  if (length) return *length;
  Fail(key, "isn't a duration");
  return {};
}

std::vector<std::string> JsonFields::Texts(std::string_view key) {
  std::vector<std::string> texts;
  const Json::Array* array = Array(key);
  if (array == nullptr) return texts;
  texts.reserve(array->size());
  for (const Json& one : *array) {
    if (one.AsString() == nullptr) Fail(key, "isn't a list of strings");
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
  const Json* value = FindValue(key);
  if (value == nullptr) return nullptr;
  if (value->AsArray() == nullptr) Fail(key, "isn't a list");
  return value->AsArray();
}

const Json* JsonFields::Object(std::string_view key) {
  const Json* value = FindValue(key);
  if (value == nullptr || value->AsObject() != nullptr) return value;
  Fail(key, "isn't an object");
  return nullptr;
}

std::optional<JsonFields> JsonFields::Inner(std::string_view key) {
  const std::optional<std::size_t> at = FindKnown(key);
  if (!at) return std::nullopt;
  if (Spelling(*at).starts_with('{')) return JsonFields(JsonSkimmer(Spelling(*at)), key);
  const Json* value = Value(at);
  if (value != nullptr && value->AsObject() != nullptr) return JsonFields(*value, key);
  Fail(key, "isn't an object");
  return std::nullopt;
}

Json JsonFields::Any(std::string_view key) {
  const Json* value = Value(Find(key));
  return value == nullptr ? Json() : *value;
}

Json JsonFields::Unknown() {
  Json::Object unknown;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i] || Key(i) == kDigest || Key(i) == kVersionKey) continue;
    const Json* value = Value(i);
    if (value != nullptr) unknown.push_back({std::string(Key(i)), *value});
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
  return MakeArray(texts, ReplaceInvalidUtf8);
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

}  // namespace belay
