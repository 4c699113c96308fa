#include "app/agent_facts.h"

#include <fmt/core.h>

#include "host/launch.h"

namespace belay {
namespace {

std::optional<ExitCause> CauseOf(ApiFailure failure) {
  switch (failure) {
    case ApiFailure::kRateLimit:
      return ExitCause::kRateLimit;
    case ApiFailure::kAuth:
      return ExitCause::kAuth;
    case ApiFailure::kPromptTooLong:
      return ExitCause::kContextExhausted;
    case ApiFailure::kNone:
    case ApiFailure::kServer:
    case ApiFailure::kOther:
      return std::nullopt;
  }
  __builtin_unreachable();
}

TurnWritten TurnOf(ConversationState state) {
  switch (state) {
    case ConversationState::kEmpty:
      return TurnWritten::kNothing;
    case ConversationState::kWithinTurn:
      return TurnWritten::kWithin;
    case ConversationState::kInterrupted:
      return TurnWritten::kInterrupted;
    case ConversationState::kTurnEnded:
      return TurnWritten::kEnded;
  }
  __builtin_unreachable();
}

std::optional<AgentPlace> PlaceOf(const SessionEnv& env, const Identity& identity) {
  Result<LaunchSpec> spec = ReadLaunchSpec(env.files, env.project, identity.id.identity());
  if (!spec || spec->agent != identity.id) return std::nullopt;
  return AgentPlace{std::move(spec->environment), std::move(spec->folder)};
}

bool MayBeCorrected(const Identity& identity) {
  return identity.agent_kind == AgentKind::kGeneric && identity.kind_source != KindSource::kGiven &&
         FactsOf(identity.host).is_agent;
}

}  // namespace

std::optional<ExitCause> CauseByTranscript(const FileSystem& files, AgentKind kind,
                                           const ExitStatus& exit, const std::string& transcript) {
  // The conversation may be older than the end, so it explains only an agent that gave up by
  // itself.
  const bool gave_up = exit.how == ExitStatus::How::kExited && !exit.clean();
  if (!gave_up || transcript.empty()) return std::nullopt;
  const std::optional<ConversationEnd> end = AdapterFor(kind).ReadEnd(files, transcript);
  return end ? CauseOf(end->failure) : std::nullopt;
}

ConversationTurn TurnByTranscript(const FileSystem& files, AgentKind kind,
                                  const std::string& transcript) {
  if (transcript.empty()) return {};
  const std::optional<ConversationEnd> end = AdapterFor(kind).ReadEnd(files, transcript);
  return end ? ConversationTurn{TurnOf(end->state), end->state_at} : ConversationTurn{};
}

FoundAgent FindAgentInTree(const SessionEnv& env, const Identity& identity,
                           const TreeActivity& tree) {
  FoundAgent look;
  const std::optional<AgentPlace> place = PlaceOf(env, identity);
  for (std::size_t i = 0; i < tree.processes.size() && look.session.empty(); ++i) {
    const AgentKind kind = KindOfCommand(tree.commands[i]);
    if (HooksFor(kind) == nullptr) continue;
    look.kind = kind;
    if (!place) continue;
    const TreeProcess& process = tree.processes[i];
    look.session = AdapterFor(kind).SessionOf(env.files, *place, {process.pid, process.start_time});
  }
  return look;
}

Conversation KnownConversation(const SessionEnv& env, const Identity& identity) {
  const std::optional<AgentPlace> place = PlaceOf(env, identity);
  if (!place) return {};
  return {identity.session_id,
          AdapterFor(identity.agent_kind).TranscriptOf(env.files, *place, identity.session_id)};
}

std::optional<AgentKind> HookedKindIn(const std::vector<std::vector<std::string>>& commands) {
  for (const std::vector<std::string>& words : commands) {
    const AgentKind kind = KindOfCommand(words);
    if (HooksFor(kind) != nullptr) return kind;
  }
  return std::nullopt;
}

AgentKind KindWithHooks(const Identity& identity, std::optional<AgentKind> reported) {
  return reported && MayBeCorrected(identity) ? *reported : identity.agent_kind;
}

std::optional<IdentityChange> CorrectedKind(const Identity& identity, SeenKind seen) {
  if (!MayBeCorrected(identity)) return std::nullopt;
  Identity changed = identity;
  changed.agent_kind = seen.kind;
  changed.kind_source = seen.by;
  const std::string_view name = AgentKindName(seen.kind);
  return IdentityChange{
      "kind",
      seen.by == KindSource::kHooks
          ? fmt::format("{}, not generic: its hooks reported a session", name)
          : fmt::format("{0}, not generic: found a {0} process in its process tree", name),
      std::move(changed)};
}

Result<bool> CorrectKind(const IdentityLock& lock, IdentityLedger& ledger, const AgentId& agent,
                         SeenKind seen) {
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(agent.identity());
  if (present == nullptr || present->id != agent) return false;
  const std::optional<IdentityChange> change = CorrectedKind(*present, seen);
  if (!change) return false;
  BELAY_TRY(ledger.Record(lock, *change));
  return true;
}

}  // namespace belay
