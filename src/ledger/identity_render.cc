// The part of the ledger of identities that renders.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/path.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

constexpr std::string_view kEnd = ".json";

// "orchestrator-login-3.json".
std::optional<AgentId> AgentInName(std::string_view name) {
  if (!name.ends_with(kEnd)) return std::nullopt;
  name.remove_suffix(kEnd.size());
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const Result<AgentId> agent =
      AgentId::Parse(fmt::format("{}#{}", name.substr(0, dash), name.substr(dash + 1)));
  return agent ? std::optional(*agent) : std::nullopt;
}

bool IsInHistory(const IdentityBook& book, const AgentId& agent) {
  const IdentityEntry* entry = book.FindEntry(agent.identity());
  return entry != nullptr && std::any_of(entry->history.begin(), entry->history.end(),
                                         [&](const Identity& old) { return old.id == agent; });
}

void KeepFirst(Result<void> outcome, Result<void>& first) {
  if (!outcome && first) first = std::move(outcome);
}

}  // namespace

StateFileRules IdentityLedger::Rules(const StateLock& lock, const AgentId& agent,
                                     const std::string& path) {
  return {.edited = [this, &lock, agent, path](const std::string& kept) {
    return Note(lock, agent,
                fmt::format("{} was edited by hand; kept as {}", FileName(path), kept));
  }};
}

Result<void> IdentityLedger::RenderOne(const StateLock& lock, const std::string& path,
                                       const Identity& identity) {
  return UpdateStateFile(files_, lock, project_, path, ToJson(identity),
                         Rules(lock, identity.id, path));
}

// Incarnations are counted without gaps, so those before the oldest that is kept are looked for one
// by one: mostly there is none, and listing a folder of thousands would be for nothing.
Result<void> IdentityLedger::RemoveOlder(const StateLock& lock, const IdentityEntry& entry) {
  const Identity& oldest = entry.history.empty() ? entry.present : entry.history.front();
  for (std::uint32_t i = oldest.id.incarnation() - 1; i > 0; --i) {
    const AgentId agent(oldest.id.identity(), i);
    const std::string path = project_.IdentityHistoryRendering(agent);
    if (!files_.Inspect(path)) return {};
    BELAY_TRY(RemoveStateFile(files_, lock, project_, path, Rules(lock, agent, path)));
  }
  return {};
}

// A copy: an edit is noted in the journal, and others may have written there.
Result<IdentityEntry> IdentityLedger::Entry(const IdentityName& name) {
  BELAY_TRY(CatchUp());
  const IdentityEntry* entry = book_.FindEntry(name);
  if (entry != nullptr) return *entry;
  return Error{ErrorCode::kNotFound, fmt::format("no agent {}", name.text())};
}

Result<void> IdentityLedger::RenderPresent(const StateLock& lock, const IdentityName& name) {
  BELAY_TRY_ASSIGN(const IdentityEntry entry, Entry(name));
  return RenderOne(lock, project_.IdentityRendering(name), entry.present);
}

Result<void> IdentityLedger::RenderHistory(const StateLock& lock, const IdentityName& name) {
  BELAY_TRY_ASSIGN(const IdentityEntry entry, Entry(name));
  Result<void> first;
  for (const Identity& old : entry.history) {
    KeepFirst(RenderOne(lock, project_.IdentityHistoryRendering(old.id), old), first);
  }
  KeepFirst(RemoveOlder(lock, entry), first);
  return first;
}

Result<void> IdentityLedger::RemoveStrays(const StateLock& lock) {
  const std::string folder = project_.IdentityHistoryFolder();
  const Result<std::vector<std::string>> names = files_.List(folder);
  if (!names && names.error().code == ErrorCode::kNotFound) return {};
  if (!names) return names.error();
  Result<void> first;
  for (const std::string& name : *names) {
    const std::optional<AgentId> agent = AgentInName(name);
    if (!agent || IsInHistory(book_, *agent)) continue;
    const std::string path = JoinPath(folder, name);
    KeepFirst(RemoveStateFile(files_, lock, project_, path, Rules(lock, *agent, path)), first);
  }
  return first;
}

Result<void> IdentityLedger::Render(const StateLock& lock, const IdentityName& name) {
  Result<void> first = RenderPresent(lock, name);
  KeepFirst(RenderHistory(lock, name), first);
  return first;
}

Result<void> IdentityLedger::RenderAll(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  std::vector<IdentityName> names;
  for (const auto& [name, entry] : book_.entries()) names.push_back(name);
  Result<void> first;
  for (const IdentityName& name : names) KeepFirst(Render(lock, name), first);
  KeepFirst(RemoveStrays(lock), first);
  KeepFirst(RemoveStateLeftovers(files_, lock, project_.IdentitiesFolder()), first);
  KeepFirst(RemoveStateLeftovers(files_, lock, project_.IdentityHistoryFolder()), first);
  return first;
}

}  // namespace belay
