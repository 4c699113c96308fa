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
  std::uint64_t leased_until = 0;  // micros
};

// Nothing when it is no message's name.
std::optional<InboxName> ParseInboxName(std::string_view name);

bool IsSenderName(std::string_view text);
std::string InboxId(std::uint64_t micros, std::string_view sender, std::string_view chance);
std::string WaitingName(std::string_view id);
std::string LeasedName(std::string_view id, std::uint64_t until);
std::string DoneName(std::string_view id);

}  // namespace belay

#endif  // BELAY_STORE_INBOX_NAME_H_
