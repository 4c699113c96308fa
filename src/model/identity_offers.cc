// The part of the book of identities that puts off parsing: a long journal says most things about
// an agent many times over, and only the last time counts.

#include <charconv>
#include <utility>

#include "base/utf8.h"
#include "codec/json_skim.h"
#include "model/identity_book.h"

namespace belay {
namespace {

// The id in the identity that the skimmer stands at; nothing when it isn't of our version.
std::optional<std::string_view> AgentIdIn(const JsonSkimmer& record) {
  std::optional<JsonSkimmer> identity = record.Object();
  if (!identity || !identity->Next() || identity->key() != "schema_version" ||
      identity->Number() != static_cast<std::uint64_t>(Identity::kSchemaVersion)) {
    return std::nullopt;
  }
  if (!identity->Next() || identity->key() != "agent_id") return std::nullopt;
  return identity->Text();
}

// What a line says before its identity, if it has one.
struct Glance {
  std::string_view at, kind, agent_id, active_at;
  bool whole = false;
};

// False for a member that none of our records has.
bool Read(const JsonSkimmer& member, Glance& glance) {
  if (member.key() == "identity") {
    const std::optional<std::string_view> id = AgentIdIn(member);
    glance.agent_id = id.value_or("");
    glance.whole = true;
    return id.has_value();
  }
  if (member.key() == "at") glance.at = member.Text().value_or("");
  if (member.key() == "kind") glance.kind = member.Text().value_or("");
  if (member.key() == "agent_id") glance.agent_id = member.Text().value_or("");
  if (member.key() == "active_at") glance.active_at = member.Text().value_or("");
  constexpr std::string_view kKnown[] = {"seq", "unsynced", "at",        "kind",
                                         "why", "agent_id", "active_at", "crc"};
  for (const std::string_view known : kKnown) {
    if (member.key() == known) return true;
  }
  return false;
}

std::optional<Glance> GlanceAt(std::string_view line) {
  Glance glance;
  for (JsonSkimmer record(line); !glance.whole && record.Next();) {
    if (!Read(record, glance)) return std::nullopt;
  }
  return glance;
}

std::optional<JsonSkimmer> IdentityIn(std::string_view line) {
  for (JsonSkimmer record(line); record.Next();) {
    if (record.key() == "identity") return record.Object();
  }
  return std::nullopt;
}

// "role-name#3", without asking whether that is a name.
struct Subject {
  std::string_view name;
  std::uint32_t incarnation = 0;
};

std::optional<Subject> SubjectOf(std::string_view agent_id) {
  const std::size_t hash = agent_id.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = agent_id.substr(hash + 1);
  std::uint32_t number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = status == std::errc() && end == digits.data() + digits.size();
  if (!whole || number == 0 || digits[0] == '0') return std::nullopt;
  return Subject{agent_id.substr(0, hash), number};
}

}  // namespace

// What was offered about it, with what is known at first; null for what can't be an identity.
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
  const std::optional<Glance> glance = GlanceAt(line);
  if (!glance) return false;
  if (glance->whole) return OfferWhole(glance->agent_id, line);
  if (glance->kind == "noted") return true;
  return glance->kind == "seen" && OfferSeen(glance->agent_id, glance->at, glance->active_at);
}

bool IdentityBook::SettleLife(std::string_view line) {
  if (line.empty()) return true;
  const std::optional<JsonSkimmer> whole = IdentityIn(line);
  if (!whole || FindInvalidUtf8(line) != std::string_view::npos) return false;
  Result<Identity> identity = IdentityFromText(*whole);
  if (!identity) return false;
  Put(*std::move(identity));
  return true;
}

bool IdentityBook::SettleSeen(const IdentityName& name, const Life& life) {
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

bool IdentityBook::Settle() {
  offered_at_.clear();
  const KeptLines lines = std::exchange(lines_, {});
  for (const auto& [name, lives] : std::exchange(offered_, {})) {
    for (const Life& life : lives) {
      doubtful_ = doubtful_ || !SettleLife(lines.Get(life.line)) || !SettleSeen(name, life);
    }
  }
  return !doubtful_;
}

}  // namespace belay
