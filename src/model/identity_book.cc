#include "model/identity_book.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "codec/json_skim.h"
#include "model/json_fields.h"

namespace belay {
namespace {

// When an incarnation was last known to run.
WallTime EndOf(const Identity& identity) {
  if (identity.exit && identity.exit->at != WallTime()) return identity.exit->at;
  return std::max(identity.last_seen, identity.created_at);
}

bool EndedBefore(const Identity& identity, WallTime oldest) { return EndOf(identity) < oldest; }

std::string Names(const std::vector<IdentityName>& names) {
  constexpr std::size_t kMost = 5;
  std::string text = Join(std::span(names).first(std::min(names.size(), kMost)), ", ",
                          [](const IdentityName& name) { return name.text(); });
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

Error NoSuchAgent(const IdentityBook& book, std::string_view text) {
  std::vector<std::string_view> known;
  for (const auto& [name, entry] : book.entries()) known.push_back(name.text());
  for (const auto& [name, entry] : book.entries()) known.push_back(name.name());
  return {ErrorCode::kNotFound, fmt::format("no agent {}", Quote(text)),
          DidYouMean(text, known, "belay agents lists them")};
}

// Omits members without a value, because the journal is read as a whole at every start. Members
// written by a later belay stay, whatever they are.
Json ShortJson(const Identity& identity) {
  Json json = ToJson(identity);
  if (identity.restart == RestartState()) json.Remove("restart");
  std::erase_if(*json.AsObject(), [&](const JsonMember& member) {
    return member.value.is_null() && identity.unknown.Find(member.key) == nullptr;
  });
  return json;
}

}  // namespace

Json IdentityRecord(WallTime at, std::string_view kind, std::string_view why,
                    const Identity& identity) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", ReplaceInvalidUtf8(kind)},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"identity", ShortJson(identity)}});
}

Json SeenRecord(WallTime at, const AgentId& agent, std::optional<WallTime> active_at) {
  Json record =
      MakeObject({{"at", FormatUtcMicros(at)}, {"kind", "seen"}, {"agent_id", agent.text()}});
  if (active_at) record.Set("active_at", FormatUtcMicros(*active_at));
  return record;
}

Json NotedRecord(WallTime at, const AgentId& agent, std::string_view why) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "noted"},
                     {"agent_id", agent.text()},
                     {"why", ReplaceInvalidUtf8(why)}});
}

void IdentityBook::Put(Identity&& identity) {
  const IdentityName name = identity.id.identity();
  const auto at = entries_.lower_bound(name);
  if (at == entries_.end() || at->first != name) {
    entries_.emplace_hint(at, name, IdentityEntry{std::move(identity)});
  } else {
    auto& [present, history] = at->second;
    if (identity.id.incarnation() < present.id.incarnation()) return;  // the fence
    if (identity.id.incarnation() > present.id.incarnation()) {
      if (history.size() == kMostHistory) history.erase(history.begin());
      history.push_back(std::move(present));
    }
    present = std::move(identity);
  }
  changed_.insert(name);
}

// False when it is malformed.
bool IdentityBook::Renew(const Json& record) {
  JsonFields fields(record, "seen");
  const std::optional<WallTime> at = fields.Time("at");
  const Result<AgentId> agent = AgentId::Parse(fields.Text("agent_id"));
  const std::optional<WallTime> active_at = fields.Time("active_at");
  if (!fields.ok() || !at || !agent) return false;
  const auto entry = entries_.find(agent->identity());
  if (entry == entries_.end()) return false;
  Identity& present = entry->second.present;
  if (agent->incarnation() != present.id.incarnation()) {
    return agent->incarnation() < present.id.incarnation();
  }
  present.last_seen = *at;
  if (active_at) present.last_activity = active_at;
  changed_.insert(agent->identity());
  return true;
}

void IdentityBook::Apply(const Json& record) {
  (void)ParseOffered();  // its result is checked after the last record
  if (const Json* whole = record.Find("identity")) {
    Result<Identity> identity = IdentityFromJson(*whole);
    if (!identity) {
      ++unreadable_;
    } else {
      Put(*std::move(identity));
    }
    return;
  }
  const Result<Json> note = Migrate(FormatOf(StoredRecord::kIdentityNote), record);
  const std::string kind = note ? TextIn(*note, "kind") : std::string();
  const bool sense = kind == "seen" ? Renew(*note) : kind == "noted";
  if (!sense) ++unreadable_;
}

const IdentityEntry* IdentityBook::FindEntry(const IdentityName& name) const {
  const auto at = entries_.find(name);
  return at == entries_.end() ? nullptr : &at->second;
}

const Identity* IdentityBook::Find(const IdentityName& name) const {
  const IdentityEntry* entry = FindEntry(name);
  return entry == nullptr ? nullptr : &entry->present;
}

std::set<IdentityName> IdentityBook::TakeChanged() { return std::exchange(changed_, {}); }

void IdentityBook::DropHistory(WallTime oldest) {
  for (auto& [name, entry] : entries_) {
    const std::size_t dropped =
        std::erase_if(entry.history, [&](const Identity& old) { return EndedBefore(old, oldest); });
    if (dropped > 0) changed_.insert(name);
  }
}

std::vector<Json> IdentityBook::Snapshot(WallTime now, WallTime oldest) const {
  constexpr std::string_view kKind = "compacted";
  constexpr std::string_view kWhy = "the journal was compacted";
  std::vector<Json> records;
  for (const auto& [name, entry] : entries_) {
    for (const Identity& old : entry.history) {
      if (!EndedBefore(old, oldest)) records.push_back(IdentityRecord(now, kKind, kWhy, old));
    }
    records.push_back(IdentityRecord(now, kKind, kWhy, entry.present));
  }
  return records;
}

Result<IdentityName> ResolveAgent(const IdentityBook& book, std::string_view text) {
  const Result<IdentityName> whole = IdentityName::Parse(text);
  if (whole && book.FindEntry(*whole) != nullptr) return *whole;
  std::vector<IdentityName> found;
  for (const auto& [name, entry] : book.entries()) {
    if (name.name() == text) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return NoSuchAgent(book, text);
  return Error{ErrorCode::kUsage,
               fmt::format("{} agents are called {}: {}", found.size(), text, Names(found)),
               fmt::format("use the full name, such as {}", found.front().text())};
}

// The names of an identity's values in records.

namespace {

constexpr std::string_view kAgentStatuses[] = {"spawning", "alive",       "suspect",
                                               "waiting",  "handing_off", "terminated",
                                               "crashed",  "quarantined"};
constexpr std::string_view kCauses[] = {"clean", "stopped",    "crash", "killed",
                                        "oom",   "rate_limit", "auth",  "context_exhausted",
                                        "hung",  "unknown"};
constexpr std::string_view kSources[] = {"unknown", "given", "command", "hooks", "processes"};

}  // namespace

std::string_view AgentStatusName(AgentStatus status) { return NameIn(kAgentStatuses, status); }
std::optional<AgentStatus> ParseAgentStatus(std::string_view name) {
  return FindIn<AgentStatus>(kAgentStatuses, name);
}

bool IsRunning(AgentStatus status) {
  switch (status) {
    case AgentStatus::kSpawning:
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return true;
    case AgentStatus::kTerminated:
    case AgentStatus::kCrashed:
    case AgentStatus::kQuarantined:
      return false;
  }
  __builtin_unreachable();
}

std::string_view ExitCauseName(ExitCause cause) { return NameIn(kCauses, cause); }
std::optional<ExitCause> ParseExitCause(std::string_view name) {
  return FindIn<ExitCause>(kCauses, name);
}

std::string_view KindSourceName(KindSource source) { return NameIn(kSources, source); }
std::optional<KindSource> ParseKindSource(std::string_view name) {
  return FindIn<KindSource>(kSources, name);
}

// Delayed parsing: a long journal repeats most facts about an agent many times, and only the last
// one counts.

namespace {

// The id of the identity at the skimmer's position; nothing when it isn't of our version.
std::optional<std::string_view> AgentIdIn(const JsonSkimmer& record) {
  std::optional<JsonSkimmer> identity = record.Object();
  if (!identity || !identity->Next() || identity->key() != "schema_version" ||
      identity->Number() != static_cast<std::uint64_t>(Identity::kSchemaVersion)) {
    return std::nullopt;
  }
  if (!identity->Next() || identity->key() != "agent_id") return std::nullopt;
  return identity->Text();
}

// The members of a line before its identity, if it has one.
struct LineHead {
  std::string_view at, kind, agent_id, active_at;
  bool whole = false;
};

// False for a member that none of our records has.
bool Read(const JsonSkimmer& member, LineHead& head) {
  if (member.key() == "identity") {
    const std::optional<std::string_view> id = AgentIdIn(member);
    head.agent_id = id.value_or("");
    head.whole = true;
    return id.has_value();
  }
  if (member.key() == "at") head.at = member.Text().value_or("");
  if (member.key() == "kind") head.kind = member.Text().value_or("");
  if (member.key() == "agent_id") head.agent_id = member.Text().value_or("");
  if (member.key() == "active_at") head.active_at = member.Text().value_or("");
  constexpr std::string_view kKnown[] = {"seq", "unsynced", "at",        "kind",
                                         "why", "agent_id", "active_at", "crc"};
  for (const std::string_view known : kKnown) {
    if (member.key() == known) return true;
  }
  return false;
}

std::optional<LineHead> ReadLineHead(std::string_view line) {
  LineHead head;
  for (JsonSkimmer record(line); !head.whole && record.Next();) {
    if (!Read(record, head)) return std::nullopt;
  }
  return head;
}

std::optional<JsonSkimmer> IdentityIn(std::string_view line) {
  for (JsonSkimmer record(line); record.Next();) {
    if (record.key() == "identity") return record.Object();
  }
  return std::nullopt;
}

// "role-name#3", without checking that the name is valid.
struct Subject {
  std::string_view name;
  std::uint32_t incarnation = 0;
};

std::optional<Subject> SubjectOf(std::string_view agent_id) {
  const std::size_t hash = agent_id.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = agent_id.substr(hash + 1);
  const auto number = ParseNumber<std::uint32_t>(digits);
  if (!number || digits[0] == '0') return std::nullopt;
  return Subject{agent_id.substr(0, hash), *number};
}

}  // namespace

// The offered lines about an identity, starting from what is known; null if it can't be an
// identity.
std::vector<IdentityBook::Life>* IdentityBook::LivesOf(std::string_view name) {
  const auto known = offered_at_.find(name);
  if (known != offered_at_.end()) return &offered_[known->second].lives;
  Result<IdentityName> valid = IdentityName::Parse(name);
  if (!valid) return nullptr;
  Offered& offered = offered_.emplace_back(*std::move(valid));
  offered_at_.emplace(offered.name.text(), offered_.size() - 1);
  const Identity* present = Find(offered.name);
  if (present != nullptr) offered.lives.push_back({.incarnation = present->id.incarnation()});
  return &offered.lives;
}

bool IdentityBook::OfferWhole(std::string_view agent_id, std::string_view line) {
  const std::optional<Subject> agent = SubjectOf(agent_id);
  std::vector<Life>* lives = agent ? LivesOf(agent->name) : nullptr;
  if (lives == nullptr) return false;
  if (!lives->empty() && agent->incarnation < lives->back().incarnation) return true;  // the fence
  if (lives->empty() || agent->incarnation > lives->back().incarnation) {
    if (lives->size() > kMostHistory) lives->erase(lives->begin());
    lives->push_back({.incarnation = agent->incarnation});
  }
  Life& latest = lives->back();
  lines_.Put(line, latest.line);
  latest.seen.clear();
  latest.active.clear();
  return true;
}

bool IdentityBook::OfferSeen(std::string_view agent_id, std::string_view at,
                             std::string_view active_at) {
  const std::optional<Subject> agent = SubjectOf(agent_id);
  std::vector<Life>* lives = agent ? LivesOf(agent->name) : nullptr;
  if (lives == nullptr || lives->empty() || at.empty()) return false;
  Life& latest = lives->back();
  if (agent->incarnation != latest.incarnation) return agent->incarnation < latest.incarnation;
  latest.seen.assign(at);
  if (!active_at.empty()) latest.active.assign(active_at);
  return true;
}

bool IdentityBook::Offer(std::string_view line) {
  const std::optional<LineHead> head = ReadLineHead(line);
  if (!head) return false;
  if (head->whole) return OfferWhole(head->agent_id, line);
  if (head->kind == "noted") return true;
  return head->kind == "seen" && OfferSeen(head->agent_id, head->at, head->active_at);
}

bool IdentityBook::ParseOfferedLife(std::string_view line) {
  if (line.empty()) return true;
  const std::optional<JsonSkimmer> whole = IdentityIn(line);
  if (!whole || FindInvalidUtf8(line) != std::string_view::npos) return false;
  Result<Identity> identity = IdentityFromText(*whole);
  if (!identity) return false;
  Put(*std::move(identity));
  return true;
}

bool IdentityBook::ParseOfferedSeen(const IdentityName& name, const Life& life) {
  if (life.seen.empty()) return true;
  const auto entry = entries_.find(name);
  const Result<WallTime> seen = ParseUtc(life.seen);
  const Result<WallTime> active = life.active.empty() ? seen : ParseUtc(life.active);
  if (entry == entries_.end() || !seen || !active) return false;
  Identity& present = entry->second.present;
  present.last_seen = *seen;
  if (!life.active.empty()) present.last_activity = *active;
  changed_.insert(name);
  return true;
}

bool IdentityBook::ParseOffered() {
  offered_at_.clear();
  const KeptLines lines = std::exchange(lines_, {});
  for (const auto& [name, lives] : std::exchange(offered_, {})) {
    for (const Life& life : lives) {
      doubtful_ =
          doubtful_ || !ParseOfferedLife(lines.Get(life.line)) || !ParseOfferedSeen(name, life);
    }
  }
  return !doubtful_;
}

}  // namespace belay
