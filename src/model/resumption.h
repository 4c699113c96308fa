// The `resumption:` section of an ORCHESTRATION.yaml as a value: seven parts, each a JSON value, so
// that fields which belay doesn't know survive. docs/resumption.md describes them.
//
// The schema is one table (ResumptionFields). Reading is forgiving: a value that doesn't fit is
// left out and reported, since people write the file too. Writing is not: what breaks the schema or
// an invariant is refused.

#ifndef BELAY_MODEL_RESUMPTION_H_
#define BELAY_MODEL_RESUMPTION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "codec/yaml.h"

namespace belay {

constexpr std::string_view kResumptionSection = "resumption";
constexpr std::string_view kResumptionVersion = "2.0";

enum class ResumptionPart {
  kRecoveryState,
  kFilesToRead,
  kQualityTrajectory,
  kDefectSummary,
  kDecisionLog,
  kAgentSummaries,
  kCompactionEvents,
};
constexpr std::size_t kResumptionParts = 7;
std::string_view ResumptionPartName(ResumptionPart part);  // "recovery_state"
std::optional<ResumptionPart> ParseResumptionPart(std::string_view name);
std::array<ResumptionPart, kResumptionParts> AllResumptionParts();

// Entries that were moved out of the section, to keep it short.
struct ResumptionArchive {
  std::string file = {};  // beside the document; empty: there is none
  std::int64_t decisions = 0;
  std::int64_t agents = 0;
  std::int64_t compactions = 0;
  std::int64_t scores = 0;  // of all gates

  bool operator==(const ResumptionArchive&) const = default;
};

struct Resumption {
  int version = 2;                           // as it was read; 0: there was no section
  std::array<Json, kResumptionParts> parts;  // null: missing
  ResumptionArchive archive = {};
  bool keeps_v1_keys =
      false;  // last_checkpoint and next_step also stand at its top, for old readers

  const Json& operator[](ResumptionPart part) const {
    return parts[static_cast<std::size_t>(part)];
  }
  Json& operator[](ResumptionPart part) { return parts[static_cast<std::size_t>(part)]; }
  // A field of recovery_state; null when it is missing.
  Json State(std::string_view field) const;

  bool operator==(const Resumption&) const = default;
};

// Every list and map that belay writes, empty; recovery_state with nulls.
Resumption EmptyResumption();

enum class FieldType {
  kText,
  kCount,     // a whole number from 0 on
  kFraction,  // from 0 to 1
  kTime,      // "2026-11-15T06:36:00Z"
  kStatus,    // ACTIVE, PAUSED, COMPLETE, FAILED, CANCELLED
  kFlag,
  kTexts,
  kCounts,      // a list of them
  kScores,      // {gate: [fraction]}
  kDimensions,  // {gate: {dimension: fraction}}
  kPatterns,    // a list of maps
  kEvents,      // a list of maps
  kDecisionId,  // RD-001
  kEventId,     // CX-001
  kCause,       // auto, manual
};
std::string_view FieldTypeText(FieldType type);  // "a whole number"

struct FieldRule {
  std::string_view of;  // "recovery_state"; "decision_log[]": of each entry
  std::string_view name;
  FieldType type;
  bool nullable = false;
  bool computed = false;  // belay computes it; it can't be set
};
std::span<const FieldRule> ResumptionFields();

// COMPLETED, done, in_progress and the like; nothing for a word that isn't a status.
std::optional<std::string_view> NormalStatus(std::string_view word);

// From the value of the section's key; a missing section is one without a value.
struct ResumptionRead {
  Resumption section = {};
  std::vector<std::string> problems = {};  // values that were left out, each with its place
  // Keys of belay's with values that were left out: they are kept as KEY_before.
  std::vector<std::string> unreadable = {};
};
// An unknown major version is kDamaged.
Result<ResumptionRead> ReadResumption(const YamlNode& value);

// Whether a key of the section is belay's: one that it writes, or one of version 1.
bool IsResumptionKey(std::string_view key);
// The keys of version 1 that moved into recovery_state.
bool IsVersionOneKey(std::string_view key);

// Plain YAML scalars become numbers, booleans and nulls.
Json JsonOfYaml(const YamlNode& node);

// The fields that break the schema: empty when it is kept.
std::vector<std::string> CheckSchema(const Resumption& section);
// RES-9, for one section: a gate is in one list, COMPLETE has no gates left, and so on.
std::vector<std::string> CheckInvariants(const Resumption& section);
// RES-9, across an update: decisions don't change except for `applied`, summaries stay.
std::vector<std::string> CheckStep(const Resumption& before, const Resumption& after);
// Makes the invariants of one section hold, after a hand edit; reports each change.
std::vector<std::string> RepairInvariants(Resumption& section);

// The number in "RD-007"; nothing if it isn't such an id.
std::optional<std::int64_t> NumberOfId(std::string_view id, std::string_view prefix);
std::string IdOf(std::string_view prefix, std::int64_t number);  // "RD-007"

// A number of either kind.
std::optional<double> NumberIn(const Json& value);
// Members by name; null when there is none.
const Json& MemberOf(const Json& object, std::string_view key);
const Json::Array& ItemsOf(const Json& list);       // empty if it isn't a list
const Json::Object& MembersOf(const Json& object);  // empty if it isn't an object

}  // namespace belay

#endif  // BELAY_MODEL_RESUMPTION_H_
