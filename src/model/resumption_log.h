// Which events were applied to which resumption document, and those that wait: the records of the
// journal "resumption". The document itself is the truth about the workflow; the journal only keeps
// an event from being applied twice, and knows who updated last.
//
//   {"at":"...","kind":"applied","document":"/r/ORCHESTRATION.yaml","id":"...","trigger":"T1",
//    "agent":"worker-a#1","session":"5f0c...","before":"<digest>","after":"<digest>"}
//   {"at":"...","kind":"waiting","document":"...","id":"...","event":{...}}
//   {"at":"...","kind":"document","document":"...","state":{...}}               after a compaction
//
// "applied" is written before the document is replaced. If the section still has the digest
// `before`, that replacement never happened, and the event counts as not applied.

#ifndef BELAY_MODEL_RESUMPTION_LOG_H_
#define BELAY_MODEL_RESUMPTION_LOG_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"

namespace belay {

// An event as it is stored: engine/resumption/triggers.h gives it its meaning.
struct StoredEvent {
  std::string id;
  std::string trigger;  // "T5"
  WallTime at = {};
  Json set = Json::EmptyObject();
  Json data = Json::EmptyObject();

  bool operator==(const StoredEvent&) const = default;
};
Json ToJson(const StoredEvent& event);
Result<StoredEvent> StoredEventFromJson(const Json& record);

struct AppliedEvent {
  std::string id;
  std::string trigger;
  WallTime at = {};
  std::string agent = {};    // in whose session: an agent's id; empty: none was known
  std::string session = {};  // the agent program's own id of its conversation
  std::string before = {};   // digests of belay's values in the section
  std::string after = {};

  bool operator==(const AppliedEvent&) const = default;
};

struct DocumentLog {
  static constexpr std::size_t kRemembered = 500;  // ids
  static constexpr std::size_t kMostWaiting = 50;

  std::deque<std::string> ids = {};  // the latest applied ones, oldest first
  std::optional<AppliedEvent> last = {};
  std::optional<WallTime> phase_began = {};  // the last T1
  std::vector<StoredEvent> waiting = {};     // oldest first
  std::optional<StoredEvent> unsure = {};    // was waiting; `last` is about it

  // What must be applied before anything else. `digest`: of the section as it is now.
  std::vector<StoredEvent> Pending(std::string_view digest) const;

  // Whether it was applied. `digest`: of the section as it is now.
  bool WasApplied(std::string_view id, std::string_view digest) const;

  bool operator==(const DocumentLog&) const = default;
};

Json AppliedRecord(std::string_view document, const AppliedEvent& event);
Json WaitingRecord(WallTime at, std::string_view document, const StoredEvent& event);

class ResumptionBook {
 public:
  void Apply(const Json& record);
  void Forget() { *this = {}; }
  // Null: nothing is known about it.
  const DocumentLog* Find(std::string_view document) const;
  std::vector<Json> Snapshot(WallTime now) const;
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  std::map<std::string, DocumentLog, std::less<>> documents_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace belay

#endif  // BELAY_MODEL_RESUMPTION_LOG_H_
