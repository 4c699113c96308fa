#include "codec/json_lines.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kBeforeDigits = ",\"crc\":\"";
constexpr std::string_view kAfterDigits = "\"}";
constexpr std::size_t kDigits = 8;
constexpr std::size_t kTrailer = kBeforeDigits.size() + kDigits + kAfterDigits.size();

using Digits = char[kDigits];

void Checksum(std::string_view body, Digits& digits) {
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
  for (std::size_t i = 0; i < kDigits; ++i) {
    digits[i] = "0123456789abcdef"[(crc >> (28 - 4 * i)) & 0xFU];
  }
}

// Whether a parser with this depth limit accepts the value.
bool FitsDepth(const Json& value, std::size_t depth) {
  if (const Json::Array* items = value.AsArray()) {
    return depth > 0 && std::all_of(items->begin(), items->end(),
                                    [&](const Json& item) { return FitsDepth(item, depth - 1); });
  }
  if (const Json::Object* members = value.AsObject()) {
    return depth > 0 &&
           std::all_of(members->begin(), members->end(), [&](const JsonMember& member) {
             return FitsDepth(member.value, depth - 1);
           });
  }
  return true;
}

// Keys that aren't UTF-8 are compared as they are written, because different ones can become equal.
bool HasTwice(const Json::Object& members) {
  std::vector<std::string> written;
  std::vector<std::string_view> keys;
  written.reserve(members.size());
  keys.reserve(members.size());
  for (const JsonMember& member : members) {
    const bool valid = FindInvalidUtf8(member.key) == std::string_view::npos;
    if (!valid) written.push_back(*ParseJson(WriteJson(member.key))->AsString());
    keys.push_back(valid ? std::string_view(member.key) : written.back());
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

// Whether any object in it has a duplicate key, at any depth.
bool HasDuplicates(const Json& value) {
  if (const Json::Array* items = value.AsArray()) {
    return std::any_of(items->begin(), items->end(), HasDuplicates);
  }
  const Json::Object* members = value.AsObject();
  if (members == nullptr) return false;
  return HasTwice(*members) ||
         std::any_of(members->begin(), members->end(),
                     [](const JsonMember& member) { return HasDuplicates(member.value); });
}

}  // namespace

Result<void> AppendJsonLine(const Json& record, std::string& out) {
  const Json::Object* members = record.AsObject();
  BELAY_CHECK(members != nullptr && !members->empty() && record.Find("crc") == nullptr);
  if (!FitsDepth(record, JsonLimits().max_depth)) {
    return Error{ErrorCode::kRefused, "a record nested too deep to store"};
  }
  if (HasDuplicates(record)) {
    return Error{ErrorCode::kRefused, "a record with a duplicate key"};
  }
  const std::size_t start = out.size();
  AppendJson(record, out);
  out.pop_back();  // the closing brace
  Digits digits;
  Checksum(std::string_view(out).substr(start), digits);
  out += kBeforeDigits;
  out.append(digits, kDigits);
  out += kAfterDigits;
  if (out.size() - start > kLongestJsonLine) {
    const std::size_t bytes = out.size() - start;
    out.resize(start);
    return Error{ErrorCode::kRefused,
                 fmt::format("a record of {} bytes, more than {}", bytes, kLongestJsonLine)};
  }
  out.push_back('\n');
  return {};
}

bool HasGoodChecksum(std::string_view line) {
  if (line.size() <= kTrailer) return false;
  const std::string_view body = line.substr(0, line.size() - kTrailer);
  std::string_view trailer = line.substr(body.size());
  if (!trailer.starts_with(kBeforeDigits) || !trailer.ends_with(kAfterDigits)) return false;
  trailer.remove_prefix(kBeforeDigits.size());
  Digits digits;
  Checksum(body, digits);
  return trailer.starts_with(std::string_view(digits, kDigits));
}

Result<Json> ParseJsonLine(std::string_view line, const JsonLimits& limits) {
  if (!HasGoodChecksum(line)) {
    return Error{ErrorCode::kDamaged, "line 1, column 1: the checksum is missing or wrong"};
  }
  return ParseGoodJsonLine(line, limits);
}

Result<Json> ParseGoodJsonLine(std::string_view line, const JsonLimits& limits) {
  BELAY_TRY_ASSIGN(Json record, ParseJson(line, limits));
  if (record.AsObject() == nullptr) {
    return Error{ErrorCode::kDamaged, "line 1, column 1: not an object"};
  }
  record.Remove("crc");
  return record;
}

void JsonLinesScanner::Feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t newline = piece.find('\n');
    const std::string_view part = piece.substr(0, newline);
    if (newline == std::string_view::npos) {
      Keep(part);
      return;
    }
    if (partial_bytes_ == 0) {
      EndLine(part.size() > longest_line_ ? std::string_view() : part, part.size() + 1);
    } else {
      Keep(part);
      const bool over_long = partial_bytes_ > longest_line_;
      EndLine(over_long ? std::string_view() : std::string_view(partial_), partial_bytes_ + 1);
      partial_.clear();
      partial_bytes_ = 0;
    }
    piece.remove_prefix(newline + 1);
  }
}

void JsonLinesScanner::Keep(std::string_view part) {
  partial_bytes_ += part.size();
  if (partial_bytes_ <= longest_line_) partial_ += part;
}

void JsonLinesScanner::EndLine(std::string_view line, std::uint64_t bytes) {
  const JsonLine found{offset_, ++number_, line, HasGoodChecksum(line)};
  offset_ += bytes;
  if (found.good) {
    summary_.damaged_lines += std::exchange(bad_since_good_, 0);
    if (!summary_.first_damage) summary_.first_damage = first_bad_since_good_;
    first_bad_since_good_.reset();
    ++summary_.good_lines;
    summary_.good_end = offset_;
  } else {
    ++bad_since_good_;
    if (!first_bad_since_good_) first_bad_since_good_ = {found.offset, found.number};
  }
  sink_(found);
}

JsonLinesScanner::Summary JsonLinesScanner::Finish() {
  summary_.torn_bytes = offset_ + partial_bytes_ - summary_.good_end;
  return summary_;
}

}  // namespace belay
