// Which events were applied to which resumption document, and those that wait: the records of the
// journal "resumption". The document itself is the truth about the workflow; the journal only keeps
// an event from being applied twice or lost, and knows who updated last.
//
//   {"at":"...","kind":"update","document":"/r/ORCHESTRATION.yaml","event":{...},"number":7,
//    "agent":"worker-a#1","session":"5f0c...","before":"<digest>","after":"<digest>","traces":[...]}
//   {"at":"...","kind":"applied","document":"...","id":"...","trigger":"T1","number":7,...}
//   {"at":"...","kind":"waiting","document":"...","event":{...}}
//   {"at":"...","kind":"withdrawn","document":"...","id":"..."}       it failed, and was reported
//   {"at":"...","kind":"document","document":"...","state":{...}}     after a compaction
//
// "update" is on the disk before the document is replaced. From then on the event is unsure, until
// a record tells what became of it: the next updater looks whether the document holds it. Only what
// the document holds is applied; everything else waits.

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
#include "model/migration.h"
#include "model/resumption.h"

namespace belay {

// An event as it is stored: engine/resumption/triggers.h gives it its meaning.
struct StoredEvent {
  std::string id = {};
  std::string trigger = {};  // "T5"
  WallTime at = {};
  Json set = Json::EmptyObject();
  Json data = Json::EmptyObject();

  bool operator==(const StoredEvent&) const = default;
};
Json ToJson(const StoredEvent& event);
Result<StoredEvent> StoredEventFromJson(const Json& record);

struct AppliedEvent {
  std::int64_t number = 0;  // of the update
  std::string id = {};
  std::string trigger = {};
  WallTime at = {};
  std::string agent = {};    // in whose session: an agent's id; empty: none was known
  std::string session = {};  // the agent program's own id of its conversation
  std::string before = {};   // digests of belay's values in the section
  std::string after = {};

  bool operator==(const AppliedEvent&) const = default;
};

// An update that was begun.
struct UnsureEvent {
  std::int64_t number = 0;  // of updates of that document; each has another
  StoredEvent event = {};
  std::string agent = {};
  std::string session = {};
  std::string before = {};  // digests, as in AppliedEvent
  std::string after = {};
  std::vector<std::string> traces = {};  // model/resumption_traces.h

  AppliedEvent Applied() const;
  // Whether a section with this digest holds it. One that was edited since has neither digest.
  bool IsIn(const Resumption& section, std::string_view digest) const;

  bool operator==(const UnsureEvent&) const = default;
};

struct DocumentLog {
  static constexpr std::size_t kRemembered = 500;  // ids
  static constexpr std::size_t kMostWaiting = 500;

  std::deque<std::string> ids = {};  // the latest applied ones, oldest first
  std::optional<AppliedEvent> last = {};
  std::optional<WallTime> phase_began = {};  // the last T1
  std::vector<StoredEvent> waiting = {};     // oldest first
  std::optional<UnsureEvent> unsure = {};
  std::int64_t updates = 0;  // begun so far

  // What must be applied before anything else, if the document doesn't hold the unsure one.
  std::vector<StoredEvent> Pending() const;

  // Whether it was applied. `digest`: of the section as it is now; if that is the section from
  // before the last event, the file was reverted, and that event isn't in it.
  bool WasApplied(std::string_view id, std::string_view digest) const;

  bool operator==(const DocumentLog&) const = default;
};

Json UpdateRecord(WallTime at, std::string_view document, const UnsureEvent& update);
Json AppliedRecord(std::string_view document, const AppliedEvent& event);
Result<AppliedEvent> AppliedFromJson(const Json& record);
Json WaitingRecord(WallTime at, std::string_view document, const StoredEvent& event);
Json WithdrawnRecord(WallTime at, std::string_view document, std::string_view id);

inline constexpr RecordFormat kResumptionFormat = {"resumption", 1};

class ResumptionBook {
 public:
  void Apply(const Json& record);
  void Forget() { *this = {}; }
  // Null: nothing is known about it.
  const DocumentLog* Find(std::string_view document) const;
  std::vector<Json> Snapshot(WallTime now) const;
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  Result<void> ApplyNewest(const Json& record);

  std::map<std::string, DocumentLog, std::less<>> documents_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace belay

#endif  // BELAY_MODEL_RESUMPTION_LOG_H_
