#include "base/ids.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kLongestName = 64;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsWordCharacter);
}

bool IsName(std::string_view text) {
  if (text.empty() || text.size() > kLongestName || text[0] == '_') return false;
  while (true) {
    const std::size_t dash = text.find('-');
    if (!IsWord(text.substr(0, dash))) return false;
    if (dash == std::string_view::npos) return true;
    text.remove_prefix(dash + 1);
  }
}

Error Bad(std::string_view what, std::string_view text, std::string_view hint) {
  return {ErrorCode::kUsage, fmt::format("{} is not {}", Quote(text), what), std::string(hint)};
}

}  // namespace

Result<IdentityName> IdentityName::Make(std::string_view role, std::string_view name) {
  if (!IsWord(role) || role.size() > kLongestName) {
    return Bad("an agent's role", role, "use up to 64 of a-z, 0-9 and _");
  }
  if (!IsName(name)) {
    return Bad("an agent's name", name,
               "use up to 64 of a-z, 0-9 and _, in words joined by single dashes");
  }
  // Without fmt: a journal of thousands of records holds the names many times over.
  std::string text;
  text.reserve(role.size() + 1 + name.size());
  text.append(role).append("-").append(name);
  return IdentityName(std::move(text), role.size());
}

Result<IdentityName> IdentityName::Parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return Bad("an agent", text, "write it as role-name, like orchestrator-fix-login");
  }
  return Make(text.substr(0, dash), text.substr(dash + 1));
}

Result<AgentId> AgentId::Parse(std::string_view text) {
  const std::size_t hash = text.find('#');
  const std::string_view digits = hash == std::string_view::npos ? "" : text.substr(hash + 1);
  const auto incarnation = ParseNumber<std::uint32_t>(digits);
  if (!incarnation || digits[0] == '0')
    return Bad("an agent id", text, "write it like orchestrator-fix-login#3");
  BELAY_TRY_ASSIGN(IdentityName identity, IdentityName::Parse(text.substr(0, hash)));
  return AgentId(std::move(identity), *incarnation);
}

std::string AgentId::text() const { return identity_.text() + "#" + std::to_string(incarnation_); }

}  // namespace belay
