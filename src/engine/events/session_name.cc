#include "engine/events/session_name.h"

#include <string>

namespace belay {
namespace {

constexpr std::size_t kLength = 12;

}  // namespace

std::optional<IdentityName> NameOfSession(std::string_view session) {
  std::string name;
  for (const char c : session) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || upper) name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.size() == kLength) break;
  }
  const Result<IdentityName> made = IdentityName::Make(std::string(kExternalRole), name);
  return made ? std::optional(*made) : std::nullopt;
}

}  // namespace belay
