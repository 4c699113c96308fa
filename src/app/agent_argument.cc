#include "app/agent_argument.h"

#include <fmt/core.h>

namespace belay {
namespace {

Result<void> CatchUpWithSome(IdentityLedger& ledger) {
  BELAY_TRY(ledger.CatchUp());
  if (!ledger.book().entries().empty()) return {};
  return Error{ErrorCode::kNotFound, "there are no agents in this project",
               "belay spawn starts one"};
}

}  // namespace

Result<AgentId> ResolveIncarnation(const IdentityBook& book, std::string_view argument) {
  const std::size_t hash = argument.find('#');
  BELAY_TRY_ASSIGN(const IdentityName name, ResolveAgent(book, argument.substr(0, hash)));
  AgentId present = book.Find(name)->id;
  if (hash == std::string_view::npos) return present;
  BELAY_TRY_ASSIGN(AgentId named,
                   AgentId::Parse(fmt::format("{}{}", name.text(), argument.substr(hash))));
  if (named.incarnation() <= present.incarnation()) return named;
  return Error{ErrorCode::kNotFound, fmt::format("there was no {} yet", named.text()),
               fmt::format("{} is the present one", present.text())};
}

Result<IdentityName> ResolvePresent(const IdentityBook& book, std::string_view argument) {
  BELAY_TRY_ASSIGN(const AgentId named, ResolveIncarnation(book, argument));
  const AgentId& present = book.Find(named.identity())->id;
  if (named == present) return named.identity();
  return Error{ErrorCode::kNotFound,
               fmt::format("{} has ended; {} is the present one", named.text(), present.text()),
               fmt::format("belay why {} tells what became of it", named.text())};
}

Result<IdentityName> FindAgent(IdentityLedger& ledger, std::string_view argument) {
  BELAY_TRY(CatchUpWithSome(ledger));
  return ResolvePresent(ledger.book(), argument);
}

Result<AgentId> FindIncarnation(IdentityLedger& ledger, std::string_view argument) {
  BELAY_TRY(CatchUpWithSome(ledger));
  return ResolveIncarnation(ledger.book(), argument);
}

}  // namespace belay
