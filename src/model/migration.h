// Migrates records of earlier versions when they are read.
//
// A record carries its version in `schema_version`. Each format has one table of small steps; the
// first turns version 1 into version 2:
//
//   Result<Json> AddFlags(Json arc);
//   inline constexpr Migration kArcSteps[] = {{1, AddFlags}, {2, RenameArtifact}};
//   inline constexpr RecordFormat kArc = {"arc", 3, kArcSteps};
//   static_assert(IsWhole(kArc));
//
// A step is a pure function of the record. It adds or renames what its version changed, leaves
// every other member, known or not, and doesn't touch `schema_version`: Migrate does. A record of a
// newer version is refused (kDamaged), never guessed.

#ifndef BELAY_MODEL_MIGRATION_H_
#define BELAY_MODEL_MIGRATION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "codec/json.h"

namespace belay {

constexpr std::string_view kVersionKey = "schema_version";

struct Migration {
  int from;  // turns it into from + 1
  Result<Json> (*step)(Json record);
};

// How to treat a record without `schema_version`.
enum class Unversioned { kFirst, kDamaged };

struct RecordFormat {
  std::string_view name;  // for messages, and the folder of its golden files
  int newest;             // the version that we write
  std::span<const Migration> steps = {};
  Unversioned unversioned = Unversioned::kFirst;
};

// Whether there is exactly one step for each version before the newest, in order.
constexpr bool IsWhole(const RecordFormat& format) {
  if (format.newest < 1 || format.steps.size() + 1 != static_cast<std::size_t>(format.newest)) {
    return false;
  }
  for (std::size_t i = 0; i < format.steps.size(); ++i) {
    const Migration& one = format.steps[i];
    if (one.from != static_cast<int>(i) + 1 || one.step == nullptr) return false;
  }
  return true;
}

// kDamaged when the version isn't a whole number from 1 to `newest`.
Result<void> CheckVersion(const RecordFormat& format, std::int64_t version);
// The version of a record; an error if it is unknown.
Result<int> VersionOf(const RecordFormat& format, const Json& record);

// The record in the newest version.
Result<Json> Migrate(const RecordFormat& format, Json record);

// The result of `read` for the record in the newest version; a record that is already of it isn't
// copied.
template <class Read>
auto ReadRecord(const RecordFormat& format, const Json& record, Read read)
    -> decltype(read(record)) {
  BELAY_TRY_ASSIGN(const int version, VersionOf(format, record));
  if (version == format.newest) return read(record);
  BELAY_TRY_ASSIGN(const Json newest, Migrate(format, record));
  return read(newest);
}

}  // namespace belay

#endif  // BELAY_MODEL_MIGRATION_H_
