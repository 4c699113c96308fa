#include "store/inbox_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace belay {
namespace {

constexpr std::size_t kMicrosDigits = 16;
constexpr std::size_t kChanceDigits = 8;
constexpr std::size_t kLongestSender = 130;
constexpr std::string_view kWaitingEnd = ".json";
constexpr std::string_view kLeasedMiddle = ".json.leased-";
constexpr std::string_view kDoneMiddle = ".done-";

std::optional<std::uint64_t> Hexadecimal(std::string_view text, std::size_t digits) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value, 16);
  const bool lower = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (text.size() != digits || !lower || status != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool IsSenderCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// "MICROS.SENDER.CHANCE"; the state is filled in by the caller.
std::optional<InboxName> ParseId(std::string_view id) {
  const std::size_t first = id.find('.');
  const std::size_t second = first == std::string_view::npos ? first : id.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  auto micros = Hexadecimal(id.substr(0, first), kMicrosDigits);
  if (micros && *micros > kLatestInboxMicros) micros.reset();  // nothing could come later
  const std::string_view sender = id.substr(first + 1, second - first - 1);
  if (!micros || !IsSenderName(sender) || !Hexadecimal(id.substr(second + 1), kChanceDigits)) {
    return std::nullopt;
  }
  return InboxName{id, *micros, sender, InboxName::State::kWaiting};
}

// "ID", `middle`, and micros.
std::optional<InboxName> ParseTimed(std::string_view name, std::string_view middle,
                                    std::uint64_t& time) {
  const std::size_t start = name.find(middle);
  if (start == std::string_view::npos) return std::nullopt;
  const auto micros = Hexadecimal(name.substr(start + middle.size()), kMicrosDigits);
  if (!micros) return std::nullopt;
  time = *micros;
  return ParseId(name.substr(0, start));
}

}  // namespace

bool IsSenderName(std::string_view text) {
  return !text.empty() && text.size() <= kLongestSender &&
         std::all_of(text.begin(), text.end(), IsSenderCharacter);
}

std::optional<InboxName> ParseInboxName(std::string_view name) {
  if (name.ends_with(kWaitingEnd)) {
    return ParseId(name.substr(0, name.size() - kWaitingEnd.size()));
  }
  std::uint64_t time = 0;
  if (auto leased = ParseTimed(name, kLeasedMiddle, time)) {
    leased->state = InboxName::State::kLeased;
    leased->leased_until = time;
    return leased;
  }
  auto done = ParseTimed(name, kDoneMiddle, time);
  if (!done) return std::nullopt;
  done->state = InboxName::State::kDone;
  done->acknowledged_at = time;
  return done;
}

std::string InboxId(std::uint64_t micros, std::string_view sender, std::string_view chance) {
  return fmt::format("{:016x}.{}.{}", micros, sender, chance);
}

std::string WaitingName(std::string_view id) { return fmt::format("{}{}", id, kWaitingEnd); }
std::string LeasedName(std::string_view id, std::uint64_t until) {
  return fmt::format("{}{}{:016x}", id, kLeasedMiddle, until);
}
std::string DoneName(std::string_view id, std::uint64_t acknowledged_at) {
  return fmt::format("{}{}{:016x}", id, kDoneMiddle, acknowledged_at);
}

}  // namespace belay
