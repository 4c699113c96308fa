#include "app/authority.h"

#include <fmt/core.h>

namespace belay {
namespace {

constexpr bool IsComplete() {
  for (std::size_t i = 0; i < std::size(kAuthorityRules); ++i) {
    if (static_cast<std::size_t>(kAuthorityRules[i].operation) != i) return false;
  }
  return std::size(kAuthorityRules) == static_cast<std::size_t>(Operation::kExplain) + 1;
}
static_assert(IsComplete());

// A rule that refuses names the act and the reason; only for an unknown caller the error says it
// all.
constexpr bool RefusalsAreSaid() {
  for (const AuthorityRule& rule : kAuthorityRules) {
    const bool refuses = (rule.allowed & authority::kKnown) != authority::kKnown;
    if (refuses && (rule.act.empty() || rule.reason.empty())) return false;
  }
  return true;
}
static_assert(RefusalsAreSaid());

Standing StandingOf(const Result<Caller>& caller, const Owner& owner) {
  if (!caller) return Standing::kUnknown;
  if (caller->IsPerson()) return Standing::kPerson;
  if (caller->guardian) return Standing::kGuardian;
  return owner.is_caller ? Standing::kAgentOwn : Standing::kAgentOthers;
}

}  // namespace

Result<void> CheckAuthority(Operation operation, const Result<Caller>& caller, const Owner& owner) {
  const AuthorityRule& rule = RuleOf(operation);
  if (rule.Allows(StandingOf(caller, owner))) return {};
  if (!caller) return caller.error();
  return Error{ErrorCode::kRefused,
               fmt::format("{} may not {}{}{}", caller->Name(), rule.act,
                           owner.name.empty() ? "" : " ", owner.name),
               std::string(rule.reason)};
}

Result<Caller> CallerOf(const Env& env, const Layout& project, const IdentityBook& book) {
  if (env.caller) return *env.caller;
  return FindCaller(book, MarksHere(env.files, project, book), env.environment);
}

bool MayAttach(FileSystem& files, const Clock& clock, const Layout& project, const Peer& peer) {
  IdentityLedger identities(files, clock, project);
  const Result<void> read = identities.CatchUp();
  return CheckAuthority(Operation::kAttach,
                        FindPeer(identities.book(), MarksOf(project), peer, std::nullopt, read))
      .ok();
}

}  // namespace belay
