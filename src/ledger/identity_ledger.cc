#include "ledger/identity_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/path.h"
#include "codec/json.h"

namespace belay {
namespace {

Error Late(const AgentId& agent, std::uint32_t present) {
  return {ErrorCode::kRefused,
          fmt::format("{}: superseded by incarnation {}", agent.text(), present),
          "an earlier incarnation can't change anything"};
}

}  // namespace

RecordText IdentityFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  const Json* identity = record.Find("identity");
  text.who = TextIn(identity != nullptr ? *identity : record, "agent_id");
  return text;
}

std::optional<RecordText> IdentityFamily::WhyText(const Json& record) {
  RecordText text = LogText(record);
  return text.what == "seen" ? std::nullopt : std::optional(std::move(text));
}

// Each against the recorded ones, and against those before it.
Result<void> IdentityLedger::CheckFence(std::span<const IdentityChange> changes) const {
  std::map<IdentityName, std::uint32_t> latest;
  for (const IdentityChange& change : changes) {
    const AgentId& agent = change.identity.id;
    const Identity* recorded = book_.Find(agent.identity());
    const std::uint32_t known = recorded == nullptr ? 0 : recorded->id.incarnation();
    std::uint32_t& present = latest[agent.identity()];
    present = std::max(present, known);
    if (agent.incarnation() < present) return Late(agent, present);
    present = agent.incarnation();
  }
  return {};
}

Result<void> IdentityLedger::Record(const IdentityLock& lock,
                                    std::span<const IdentityChange> changes) {
  BELAY_TRY(CatchUp());
  BELAY_TRY(CheckFence(changes));
  std::vector<Json> records;
  const WallTime now = clock_.Wall();
  for (const IdentityChange& change : changes) {
    records.push_back(IdentityRecord(now, change.kind, change.why, change.identity));
  }
  return Append(lock, records);
}

Result<void> IdentityLedger::RecordSeen(const IdentityLock& lock, const AgentId& agent,
                                        std::optional<WallTime> active_at) {
  BELAY_TRY(CatchUp());
  const Identity* present = book_.Find(agent.identity());
  if (present == nullptr || agent.incarnation() > present->id.incarnation()) {
    return Error{ErrorCode::kNotFound, fmt::format("no agent {}", agent.text())};
  }
  if (agent != present->id) return Late(agent, present->id.incarnation());
  return AppendOne(lock, SeenRecord(clock_.Wall(), agent, active_at));
}

Result<void> IdentityLedger::Note(const IdentityLock& lock, const AgentId& agent,
                                  std::string_view why) {
  return AppendOne(lock, NotedRecord(clock_.Wall(), agent, why));
}

// The rendering part of the ledger of identities.

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

}  // namespace

std::vector<std::string> IdentityFamily::Folders(const Layout& project) {
  return {project.IdentitiesFolder(), project.IdentityHistoryFolder()};
}

Result<void> IdentityFamily::EachRendering(const Book& book, const Layout& project,
                                           const RenderingSink& sink) {
  for (const auto& [name, entry] : book.entries()) {
    const Identity& present = entry.present;
    BELAY_TRY(sink({project.IdentityRendering(name), [&] { return ToJson(present); }}));
    for (const Identity& old : entry.history) {
      BELAY_TRY(sink({project.IdentityHistoryRendering(old.id), [&] { return ToJson(old); }}));
    }
  }
  return {};
}

StateFileRules IdentityLedger::Rules(const IdentityLock& lock, const AgentId& agent,
                                     const std::string& path) {
  return {.edited = [this, &lock, agent, path](const std::string& kept) {
    return Note(
        lock, agent,
        fmt::format("{} was edited by hand; belay kept a copy as {}", FileName(path), kept));
  }};
}

Result<void> IdentityLedger::RenderOne(const IdentityLock& lock, const std::string& path,
                                       const Identity& identity) {
  return UpdateStateFile(files_, lock, project_, path, ToJson(identity),
                         Rules(lock, identity.id, path));
}

// Incarnations are numbered without gaps, so the files before the oldest kept one are checked one
// by one: usually there is none, and listing a folder of thousands would be wasted.
Result<void> IdentityLedger::RemoveOlder(const IdentityLock& lock, const IdentityEntry& entry) {
  const Identity& oldest = entry.history.empty() ? entry.present : entry.history.front();
  for (std::uint32_t i = oldest.id.incarnation() - 1; i > 0; --i) {
    const AgentId agent(oldest.id.identity(), i);
    const std::string path = project_.IdentityHistoryRendering(agent);
    if (!files_.Inspect(path)) return {};
    BELAY_TRY(RemoveStateFile(files_, lock, project_, path, Rules(lock, agent, path)));
  }
  return {};
}

// A copy: noting an edit writes to the journal, and other processes may have written there.
Result<IdentityEntry> IdentityLedger::Entry(const IdentityName& name) {
  BELAY_TRY(CatchUp());
  const IdentityEntry* entry = book_.FindEntry(name);
  if (entry != nullptr) return *entry;
  return Error{ErrorCode::kNotFound, fmt::format("no agent {}", name.text())};
}

Result<void> IdentityLedger::RenderPresent(const IdentityLock& lock, const IdentityName& name) {
  BELAY_TRY_ASSIGN(const IdentityEntry entry, Entry(name));
  return RenderOne(lock, project_.IdentityRendering(name), entry.present);
}

Result<void> IdentityLedger::RenderHistory(const IdentityLock& lock, const IdentityName& name) {
  BELAY_TRY_ASSIGN(const IdentityEntry entry, Entry(name));
  Result<void> first;
  for (const Identity& old : entry.history) {
    KeepFirst(RenderOne(lock, project_.IdentityHistoryRendering(old.id), old), first);
  }
  KeepFirst(RemoveOlder(lock, entry), first);
  return first;
}

Result<void> IdentityLedger::RemoveStrays(const IdentityLock& lock) {
  const std::string folder = project_.IdentityHistoryFolder();
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files_.List(folder)));
  Result<void> first;
  for (const std::string& name : names) {
    const std::optional<AgentId> agent = AgentInName(name);
    if (!agent || IsInHistory(book_, *agent)) continue;
    const std::string path = JoinPath(folder, name);
    KeepFirst(RemoveStateFile(files_, lock, project_, path, Rules(lock, *agent, path)), first);
  }
  return first;
}

Result<void> IdentityLedger::Render(const IdentityLock& lock, const IdentityName& name) {
  Result<void> first = RenderPresent(lock, name);
  KeepFirst(RenderHistory(lock, name), first);
  return first;
}

Result<void> IdentityLedger::Render(const IdentityLock& lock) {
  BELAY_TRY(CatchUp());
  std::vector<IdentityName> names;
  for (const auto& [name, entry] : book_.entries()) names.push_back(name);
  Result<void> first;
  for (const IdentityName& name : names) KeepFirst(Render(lock, name), first);
  KeepFirst(RemoveStrays(lock), first);
  KeepFirst(RemoveLeftovers(lock), first);
  return first;
}

std::vector<RenderJob> IdentityLedger::RenderJobsOf(const IdentityName& name) {
  return {JobOf("identity", name.text(),
                [this, name](const IdentityLock& lock) { return RenderPresent(lock, name); }),
          JobOf("history of", name.text(),
                [this, name](const IdentityLock& lock) { return RenderHistory(lock, name); })};
}

std::vector<RenderJob> IdentityLedger::RenderJobs() {
  std::vector<RenderJob> jobs;
  for (const auto& [name, entry] : book_.entries()) {
    for (RenderJob& job : RenderJobsOf(name)) jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace belay
