// An agent's hook record: what it works on, so that its successor can continue. One record of the
// journal "hooks", and one file hooks/{role}-{name}.json in the state root. A respawned agent
// inherits it.

#ifndef BELAY_MODEL_HOOK_H_
#define BELAY_MODEL_HOOK_H_

#include <cstdint>
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
#include "model/kept_lines.h"
#include "model/stored_record.h"

namespace belay {

// In the usual order of work; going back is allowed.
enum class WorkPhase { kInvestigation, kPlanning, kImplementation, kTesting, kCompletion };
std::string_view WorkPhaseName(WorkPhase phase);  // "investigation"
std::optional<WorkPhase> ParseWorkPhase(std::string_view name);

enum class HookStatus { kActive, kBlocked, kHandedOff, kMerging, kMerged, kFailed };
std::string_view HookStatusName(HookStatus status);  // "handed_off"
std::optional<HookStatus> ParseHookStatus(std::string_view name);

struct PhaseChange {
  WorkPhase phase;
  WallTime at = {};
  std::uint32_t incarnation = 0;
  std::string source = {};  // "agent", "git", "processes", "spawn"

  bool operator==(const PhaseChange&) const = default;
};

struct HookNote {
  std::string text;  // written by an agent or the user: data, never belay's instructions
  WallTime at = {};
  std::uint32_t incarnation = 0;
  std::string by = {};  // an agent id, or "person"

  bool operator==(const HookNote&) const = default;
};

// One action of an agent, as its hooks reported it.
struct HookAction {
  std::string what;  // "Edit src/login.cc": data, as notes are
  WallTime at = {};
  std::optional<bool> passed = {};  // nothing: not finished, or the result is unknown

  bool operator==(const HookAction&) const = default;
};

// The position in the agent's event log up to which the hook record is current
// (ledger/event_log.h).
struct EventLogPosition {
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;
  std::uint64_t first = 0;

  bool operator==(const EventLogPosition&) const = default;
};

struct Hook {
  static constexpr int kSchemaVersion = NewestVersion(StoredRecord::kHook);
  static constexpr std::size_t kMostNotes = 50;       // the latest are kept
  static constexpr std::size_t kMostPhases = 100;     // of the history
  static constexpr std::size_t kMostFiles = 500;      // files_modified beyond are only counted
  static constexpr std::size_t kMostActions = 20;     // the latest are kept
  static constexpr std::size_t kLongestNote = 4'000;  // code points; a scope may be as long

  IdentityName identity;
  std::uint32_t incarnation = 1;  // the last one that wrote it
  HookStatus status = HookStatus::kActive;
  std::string current_bead = {};
  std::string current_node = {};
  std::string scope = {};  // the task as it was given, cut to kLongestNote
  WorkPhase work_phase = WorkPhase::kInvestigation;
  std::string work_summary = {};  // the first line of the latest note, or of the task
  std::optional<WallTime> last_checkpoint_at = {};
  std::vector<std::string> files_modified = {};  // quoted as git does
  std::uint64_t files_modified_count = 0;
  std::string tests_status = "unknown";  // "passed", "failed", "unknown"
  std::string tests_detail = {};         // "npm test: exit code 7"
  std::string resumption_instructions = {};
  Json landing_problem = {};  // why its branch could not land: the payload of that signal, or null
  std::vector<PhaseChange> phase_history = {};
  std::vector<HookNote> notes = {};
  std::string snapshot = {};                  // the id of the last one
  std::optional<double> context_fill = {};    // percent
  std::uint64_t context_window = 0;           // tokens, from the agent's status line; 0: unknown
  std::vector<HookAction> last_actions = {};  // oldest first
  std::string transcript_path = {};           // the file of its last conversation
  EventLogPosition events_read = {};
  bool tainted = false;
  std::vector<std::string> taint_sources = {};
  Json unknown = Json::EmptyObject();

  bool operator==(const Hook&) const = default;
};

Json ToJson(const Hook& hook);  // without sha256, which the rendering adds
Result<Hook> HookFromJson(const Json& record);

// Changes to a hook; each leaves everything else unchanged.
void SetPhase(Hook& hook, WorkPhase phase, WallTime at,
              std::string_view source);            // nothing if it is the same
void SetScope(Hook& hook, std::string_view task);  // cut; an empty one changes nothing
void AddAction(std::vector<HookAction>& actions, HookAction action);
void AddNote(Hook& hook, HookNote note);  // cut to kLongestNote; becomes the summary too

//   {"at":"...","kind":"phase","why":"...","hook":{...}}        complete: the last one counts
Json HookRecord(WallTime at, std::string_view kind, std::string_view why, const Hook& hook);

// The part of a hook that a list of agents shows.
struct HookSummary {
  WorkPhase work_phase = WorkPhase::kInvestigation;
  std::optional<double> context_fill = {};
  HookStatus status = HookStatus::kActive;

  bool operator==(const HookSummary&) const = default;
};
HookSummary SummarizeHook(const Hook& hook);

class HookBook {
 public:
  void Apply(const Json& record);  // an earlier incarnation changes nothing
  // See IdentityBook.
  bool Offer(std::string_view line);
  [[nodiscard]] bool ParseOffered();
  void Forget() { *this = {}; }
  const Hook* Find(const IdentityName& name) const;
  // Includes offered records that aren't settled, without parsing all of them.
  std::optional<HookSummary> Summary(const IdentityName& name) const;
  const std::map<IdentityName, Hook>& hooks() const { return hooks_; }
  std::set<IdentityName> TakeChanged();
  std::vector<Json> Snapshot(WallTime now) const;
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  struct Offered {
    std::uint32_t incarnation = 0;
    KeptLines::Slot line = {};
  };
  void Put(Hook hook);

  std::map<IdentityName, Hook> hooks_;
  TextMap<Offered> offered_;
  KeptLines lines_;  // of those
  std::set<IdentityName> changed_;
  std::uint64_t unreadable_ = 0;
  bool doubtful_ = false;
};

}  // namespace belay

#endif  // BELAY_MODEL_HOOK_H_
