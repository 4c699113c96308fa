// Whether a session has read something sensitive: the records of the journal "taint". Taint is
// never cleared automatically, and successors inherit it.
//
//   {"at":"...","kind":"began","session":"orchestrator-login#1"}                    clean
//   {"at":"...","kind":"inherited","session":"orchestrator-login#2","from":"orchestrator-login#1",
//    "sources":[...]}                                                               tainted
//   {"at":"...","kind":"marked","session":"...","source":{"path":".env","tool":"Read","at":"...","session":"..."}}
//
// A session is an agent id, or kManualSession for the user's work without an agent.

#ifndef BELAY_MODEL_TAINT_H_
#define BELAY_MODEL_TAINT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "codec/json.h"

namespace belay {

constexpr std::string_view kManualSession = "manual";

struct TaintSource {
  std::string path;  // with invalid UTF-8 replaced
  std::string tool;  // what read it: "Read", "Bash", "person"
  WallTime at = {};
  std::string session;  // the first one that read it

  bool operator==(const TaintSource&) const = default;
};

enum class TaintState { kClean, kTainted };
std::string_view TaintStateName(TaintState state);  // "clean", "tainted"

struct Taint {
  TaintState state = TaintState::kClean;
  std::vector<TaintSource> sources = {};
  std::string inherited_from = {};
  // Why it counts as tainted without a source: its records are missing or can't be read.
  std::string because = {};

  bool operator==(const Taint&) const = default;
};

// Whether that tool has read that path before. Only the first time is kept: an agent may read the
// same file a thousand times.
bool HasSource(const Taint& taint, const TaintSource& source);

Json BeganRecord(WallTime at, std::string_view session);
Json InheritedRecord(WallTime at, std::string_view session, std::string_view from,
                     const Taint& taint);
Json MarkedRecord(WallTime at, std::string_view session, const TaintSource& source);
Json ToJson(const Taint& taint);  // {"state", "sources", "inherited_from"?, "because"?}

class TaintBook {
 public:
  void Apply(const Json& record);
  void Forget() { *this = {}; }
  // Null: unknown.
  const Taint* Find(std::string_view session) const;
  // The taint of a session that is known to exist: without a record, or with unreadable ones in the
  // journal, it is tainted, with the reason.
  Taint OfKnown(std::string_view session) const;
  const std::map<std::string, Taint, std::less<>>& sessions() const { return sessions_; }
  // Only sessions that can still be inherited from: the latest incarnations of each identity. One
  // that was left out counts as tainted.
  static constexpr std::uint32_t kKeptIncarnations = 20;
  std::vector<Json> Snapshot(WallTime now) const;
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  std::map<std::string, Taint, std::less<>> sessions_;
  std::uint64_t unreadable_ = 0;
};

// For taint.json in the state root.
Json TaintRendering(const TaintBook& book);

}  // namespace belay

#endif  // BELAY_MODEL_TAINT_H_
