// The state that the records of the journal "identities" add up to: the current incarnation of
// every identity, and those before it.
//
//   {"at":"...","kind":"spawning","why":"requested by a person","identity":{...}}
//   {"at":"...","kind":"crashed","why":"killed by SIGKILL","identity":{...}}
//   {"at":"...","kind":"seen","agent_id":"orchestrator-login#3","active_at":"..."}
//   {"at":"...","kind":"noted","agent_id":"orchestrator-login#3","why":"a late signal of #2 ..."}
//
// A record with an identity carries all of it that isn't null, so the last one counts; `kind` and
// `why` are for people (`belay log`, `belay why`). "seen" updates last_seen, and last_activity if
// it has active_at. "noted" changes nothing. A record of an incarnation before the current one
// changes nothing: that is the fence.

#ifndef BELAY_MODEL_IDENTITY_BOOK_H_
#define BELAY_MODEL_IDENTITY_BOOK_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/identity.h"
#include "model/kept_lines.h"

namespace belay {

constexpr std::size_t kMostHistory = 20;  // finished incarnations kept per identity
constexpr Duration kOldestHistory = std::chrono::hours(30 * 24);

struct IdentityEntry {
  Identity present;
  std::vector<Identity> history = {};  // oldest first, at most kMostHistory
};

Json IdentityRecord(WallTime at, std::string_view kind, std::string_view why,
                    const Identity& identity);
Json SeenRecord(WallTime at, const AgentId& agent, std::optional<WallTime> active_at);
Json NotedRecord(WallTime at, const AgentId& agent, std::string_view why);

class IdentityBook {
 public:
  // Applies one more record. A malformed one is counted and changes nothing else.
  void Apply(const Json& record);

  // The same for a line of the journal, parsed later if possible: the line is kept until
  // ParseOffered or Apply, and then parsed only if no later one replaced it. Until then the book
  // doesn't change. False: the caller has to parse it and call Apply.
  bool Offer(std::string_view line);
  // False when a kept line is malformed, because then the lines that it replaced would count:
  // forget everything, and read it again without Offer.
  [[nodiscard]] bool ParseOffered();

  void Forget() { *this = {}; }

  const Identity* Find(const IdentityName& name) const;  // the current incarnation
  const IdentityEntry* FindEntry(const IdentityName& name) const;
  // Ordered by name.
  const std::map<IdentityName, IdentityEntry>& entries() const { return entries_; }
  std::uint64_t unreadable() const { return unreadable_; }

  // The identities that changed since the last call.
  std::set<IdentityName> TakeChanged();

  // Drops the incarnations that ended before `oldest`.
  void DropHistory(WallTime oldest);

  // The fewest records with the same meaning; history that ended before `oldest` is left out.
  std::vector<Json> Snapshot(WallTime now, WallTime oldest) const;
  // For compaction at that time: history up to kOldestHistory.
  std::vector<Json> Snapshot(WallTime now) const { return Snapshot(now, now - kOldestHistory); }
  void Compacted(WallTime now) { DropHistory(now - kOldestHistory); }

 private:
  // Offered lines about one incarnation: the last complete one, and the times of the last "seen"
  // after it. Each may be empty.
  struct Life {
    std::uint32_t incarnation = 0;
    KeptLines::Slot line = {};
    std::string seen = {};
    std::string active = {};
  };

  struct Offered {
    explicit Offered(IdentityName whose) : name(std::move(whose)) {}
    IdentityName name;
    std::vector<Life> lives = {};  // by incarnation
  };

  void Put(Identity&& identity);
  bool Renew(const Json& record);
  bool OfferWhole(std::string_view agent_id, std::string_view line);
  bool OfferSeen(std::string_view agent_id, std::string_view at, std::string_view active_at);
  std::vector<Life>* LivesOf(std::string_view name);
  bool ParseOfferedLife(std::string_view line);
  bool ParseOfferedSeen(const IdentityName& name, const Life& life);

  std::map<IdentityName, IdentityEntry> entries_;
  KeptLines lines_;                  // of the lives in
  std::deque<Offered> offered_;      // in order of arrival
  TextMap<std::size_t> offered_at_;  // by name: the index
  std::set<IdentityName> changed_;
  std::uint64_t unreadable_ = 0;
  bool doubtful_ = false;  // a kept line was malformed
};

// "role-name", or "name" if only one identity has it. None: kNotFound, with the nearest name as
// hint; several: kUsage, listing them.
Result<IdentityName> ResolveAgent(const IdentityBook& book, std::string_view text);

}  // namespace belay

#endif  // BELAY_MODEL_IDENTITY_BOOK_H_
