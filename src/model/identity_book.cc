#include "model/identity_book.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "base/utf8.h"
#include "model/json_fields.h"

namespace belay {
namespace {

// When an incarnation was last known to be there.
WallTime EndOf(const Identity& identity) {
  if (identity.exit && identity.exit->at != WallTime()) return identity.exit->at;
  return std::max(identity.last_seen, identity.created_at);
}

bool EndedBefore(const Identity& identity, WallTime oldest) { return EndOf(identity) < oldest; }

std::string Names(const std::vector<IdentityName>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i].text());
  }
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

// What isn't known needs no room in a journal that is read as a whole at every start. What a later
// belay wrote stays, whatever it is.
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

// False when it makes no sense.
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
  (void)Settle();  // whether it could is asked when all is read
  if (const Json* whole = record.Find("identity")) {
    Result<Identity> identity = IdentityFromJson(*whole);
    if (!identity) {
      ++unreadable_;
    } else {
      Put(*std::move(identity));
    }
    return;
  }
  const std::string kind = TextIn(record, "kind");
  const bool sense = kind == "seen" ? Renew(record) : kind == "noted";
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
  constexpr std::string_view kWhy = "the journal was made short";
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
               fmt::format("say which, like {}", found.front().text())};
}

}  // namespace belay
