#include "cli/time_limit.h"

#include <fmt/core.h>

#include <charconv>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::uint32_t kMostSeconds = 1'000'000'000;

}  // namespace

Result<std::optional<Duration>> ParseTimeLimit(const std::optional<std::string>& text) {
  if (!text) return std::optional<Duration>();
  std::uint32_t seconds = 0;
  const char* end = text->data() + text->size();
  const auto [rest, problem] = std::from_chars(text->data(), end, seconds);
  const bool plain = problem == std::errc() && rest == end;
  if (plain && seconds <= kMostSeconds) {
    return std::optional<Duration>(std::chrono::seconds(seconds));
  }
  if (const Result<Duration> length = ParseDuration(*text)) return std::optional<Duration>(*length);
  return Error{ErrorCode::kUsage, fmt::format("--timeout {}: not a length of time", Quote(*text)),
               "such as 30, for seconds, or 5m"};
}

}  // namespace belay
