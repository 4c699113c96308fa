// The names of an inbox's files, taken apart.

#ifndef BELAY_STORE_INBOX_NAME_H_
#define BELAY_STORE_INBOX_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belay {

struct InboxName {
  enum class State { kWaiting, kLeased, kDone };

  std::string_view id;
  std::uint64_t micros;
  std::string_view sender;
  State state;
  std::uint64_t leased_until = 0;     // micros
  std::uint64_t acknowledged_at = 0;  // micros
};

// The latest time that an id can hold.
constexpr std::uint64_t kLatestInboxMicros = std::uint64_t{1} << 62U;

// Nothing when it is no message's name.
std::optional<InboxName> ParseInboxName(std::string_view name);

bool IsSenderName(std::string_view text);
std::string InboxId(std::uint64_t micros, std::string_view sender, std::string_view chance);
std::string WaitingName(std::string_view id);
std::string LeasedName(std::string_view id, std::uint64_t until);
std::string DoneName(std::string_view id, std::uint64_t acknowledged_at);

}  // namespace belay

#endif  // BELAY_STORE_INBOX_NAME_H_
