#include "cli/taint_session.h"

#include <fmt/core.h>

#include "cli/agent_argument.h"
#include "cli/snapshot_text.h"
#include "ui/width.h"

namespace belay {
namespace {

TaintSession OfAgent(const AgentId& agent) { return {agent.text(), agent}; }

Result<TaintSession> NamedSession(const IdentityBook& book, const std::string& text) {
  if (text == kManualSession) return TaintSession{text};
  BELAY_TRY_ASSIGN(const AgentId named, ResolveIncarnation(book, text));
  return OfAgent(named);
}

}  // namespace

Result<TaintSession> FindTaintSession(const Invocation& invocation, const Services& services,
                                      const IdentityBook& book) {
  BELAY_TRY_ASSIGN(Caller caller, FindCaller(book, services.environment));
  TaintSession session{.name = std::string(kManualSession)};
  if (const auto named = invocation.Value("--agent")) {
    BELAY_TRY_ASSIGN(session, NamedSession(book, *named));
  } else if (caller.agent) {
    session = OfAgent(*caller.agent);
  }
  session.caller = std::move(caller);
  return session;
}

Taint TaintThatCounts(const TaintBook& book, const TaintSession& session) {
  const bool unheard = book.Find(session.name) == nullptr && book.unreadable() == 0;
  if (unheard && !session.agent) return {};
  return book.OfKnown(session.name);
}

Json TaintJson(const Taint& taint, const std::string& session) {
  Json record = MakeObject({{"session", session}});
  const Json said = ToJson(taint);
  for (const JsonMember& member : *said.AsObject()) record.Set(member.key, member.value);
  record.Set("enforcement", Json::EmptyObject());
  return record;
}

std::string TaintText(const Taint& taint, const std::string& session, const Style& style) {
  const bool tainted = taint.state == TaintState::kTainted;
  std::string text =
      fmt::format("{}  {}\n", Printable(session),
                  style.Paint(tainted ? Tone::kWarning : Tone::kGood, TaintStateName(taint.state)));
  if (!taint.because.empty()) text += fmt::format("  because {}\n", Printable(taint.because));
  if (!taint.inherited_from.empty()) {
    text += fmt::format("  inherited from {}\n", Printable(taint.inherited_from));
  }
  for (const TaintSource& source : taint.sources) {
    text += fmt::format("  {}  {}  {}\n", style.Paint(Tone::kDim, TimeText(source.at)),
                        Printable(source.tool), Printable(source.path));
  }
  return text;
}

}  // namespace belay
