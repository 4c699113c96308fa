// Agent names as types: a parsed value is valid everywhere, and paths and refs are built only from
// these, never from raw input.
//
//   role           orchestrator          ^[a-z0-9_]+$
//   name           fix-login             ^[a-z0-9][a-z0-9_]*(-[a-z0-9_]+)*$, 64 characters at most
//   identity name  orchestrator-fix-login            splits one way only: a role has no dash
//   agent id       orchestrator-fix-login#3          one incarnation of it; the first is 1
//
// No dots (tmux and git refuse or fold them), no capitals, no spaces; anything else is refused.

#ifndef BELAY_BASE_IDS_H_
#define BELAY_BASE_IDS_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belay {

class IdentityName {
 public:
  static Result<IdentityName> Parse(std::string_view text);
  static Result<IdentityName> Make(std::string_view role, std::string_view name);

  const std::string& text() const { return text_; }
  std::string_view role() const { return std::string_view(text_).substr(0, dash_); }
  std::string_view name() const { return std::string_view(text_).substr(dash_ + 1); }

  bool operator==(const IdentityName&) const = default;
  std::strong_ordering operator<=>(const IdentityName& other) const {
    return text_ <=> other.text_;
  }

 private:
  IdentityName(std::string text, std::size_t dash) : text_(std::move(text)), dash_(dash) {}

  std::string text_;
  std::size_t dash_;
};

class AgentId {
 public:
  static Result<AgentId> Parse(std::string_view text);
  AgentId(IdentityName identity, std::uint32_t incarnation)
      : identity_(std::move(identity)), incarnation_(incarnation) {}

  const IdentityName& identity() const { return identity_; }
  std::uint32_t incarnation() const { return incarnation_; }
  std::string text() const;

  bool operator==(const AgentId&) const = default;
  std::strong_ordering operator<=>(const AgentId&) const = default;

 private:
  IdentityName identity_;
  std::uint32_t incarnation_;
};

}  // namespace belay

#endif  // BELAY_BASE_IDS_H_
