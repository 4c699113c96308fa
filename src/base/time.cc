#include "base/time.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace belay {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::floor;
using std::chrono::milliseconds;

// The last `width` digits of a number that isn't negative. Without fmt, because records hold many
// times.
void AppendDigits(std::int64_t number, std::size_t width, std::string& out) {
  out.append(width, '0');
  for (std::size_t i = 1; i <= width; ++i, number /= 10) {
    out[out.size() - i] = static_cast<char>('0' + number % 10);
  }
}

std::string FormatSeconds(WallTime time) {
  const std::chrono::sys_time<Duration> system(time.time_since_epoch());
  const auto day = floor<days>(system);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::seconds>(system - day));
  const struct {
    std::int64_t number;
    std::size_t width;
    char before;
  } parts[] = {{static_cast<unsigned>(date.month()), 2, '-'},
               {static_cast<unsigned>(date.day()), 2, '-'},
               {clock.hours().count(), 2, 'T'},
               {clock.minutes().count(), 2, ':'},
               {clock.seconds().count(), 2, ':'}};
  std::string text;
  text.reserve(sizeof("2026-11-15T06:36:00.123456Z"));
  AppendDigits(static_cast<int>(date.year()), 4, text);
  for (const auto& part : parts) {
    text.push_back(part.before);
    AppendDigits(part.number, part.width, text);
  }
  return text;
}

Error BadTime(std::string_view text) {
  return {ErrorCode::kUsage, fmt::format("\"{}\" is not a UTC time", text),
          "write it like 2026-11-15T06:36:00Z"};
}

// Exactly `width` digits at `at`.
std::optional<int> Digits(std::string_view text, std::size_t at, std::size_t width) {
  int value = 0;
  for (std::size_t i = at; i < at + width; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool HasSeparators(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
         text[13] == ':' && text[16] == ':' && text.back() == 'Z';
}

// ".123456" as nanoseconds; the empty text is none.
std::optional<Duration> ParseFraction(std::string_view text) {
  if (text.empty()) return Duration(0);
  if (text.size() < 2 || text.size() > 10 || text[0] != '.') return std::nullopt;
  const std::optional<int> value = Digits(text, 1, text.size() - 1);
  if (!value) return std::nullopt;
  Duration fraction(*value);
  for (std::size_t digits = text.size() - 1; digits < 9; ++digits) fraction *= 10;
  return fraction;
}

struct Unit {
  std::string_view name;
  Duration length;
};
// Largest first.
constexpr std::array<Unit, 5> kUnits = {{{"d", days(1)},
                                         {"h", std::chrono::hours(1)},
                                         {"m", std::chrono::minutes(1)},
                                         {"s", std::chrono::seconds(1)},
                                         {"ms", milliseconds(1)}}};

Error BadDuration(std::string_view text) {
  return {ErrorCode::kUsage, fmt::format("\"{}\" is not a duration", text),
          "write it like 90s, 10m, 1h30m or 500ms"};
}

}  // namespace

std::string FormatUtc(WallTime time) { return FormatSeconds(time) + "Z"; }

std::string FormatUtcMicros(WallTime time) {
  const Duration since = time.time_since_epoch();
  const Duration rest = since - floor<std::chrono::seconds>(since);
  std::string text = FormatSeconds(time);
  text.push_back('.');
  AppendDigits(rest.count() / 1000, 6, text);
  text.push_back('Z');
  return text;
}

Result<WallTime> ParseUtc(std::string_view text) {
  if (!HasSeparators(text)) return BadTime(text);
  const auto year = Digits(text, 0, 4);
  const auto month = Digits(text, 5, 2);
  const auto day = Digits(text, 8, 2);
  const auto hour = Digits(text, 11, 2);
  const auto minute = Digits(text, 14, 2);
  const auto second = Digits(text, 17, 2);
  const auto fraction = ParseFraction(text.substr(19, text.size() - 20));
  if (!year || !month || !day || !hour || !minute || !second || !fraction) return BadTime(text);
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  const bool in_range =
      *year >= 1970 && *year <= 2261 && date.ok() && *hour < 24 && *minute < 60 && *second < 60;
  if (!in_range) return BadTime(text);
  const Duration since_epoch = std::chrono::sys_days(date).time_since_epoch() +
                               std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                               std::chrono::seconds(*second) + *fraction;
  return WallTime(since_epoch);
}

Result<Duration> ParseDuration(std::string_view text) {
  if (text == "0") return Duration(0);
  std::string_view rest = text;
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  do {
    std::int64_t count = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (status != std::errc() || count < 0 || rest[0] == '-') return BadDuration(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
    rest.remove_prefix(name.size());
    while (next_unit < kUnits.size() && kUnits[next_unit].name != name) ++next_unit;
    if (next_unit == kUnits.size()) return BadDuration(text);
    std::int64_t part = 0;
    if (__builtin_mul_overflow(count, kUnits[next_unit].length.count(), &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return BadDuration(text);
    }
    ++next_unit;
  } while (!rest.empty());
  return Duration(total);
}

std::string FormatDuration(Duration duration) {
  std::string out;
  Duration rest = duration_cast<milliseconds>(duration);
  for (const Unit& unit : kUnits) {
    const std::int64_t count = rest / unit.length;
    if (count == 0) continue;
    out += fmt::format("{}{}", count, unit.name);
    rest -= count * unit.length;
  }
  return out.empty() ? "0" : out;
}

}  // namespace belay
