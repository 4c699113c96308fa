// Every kind of record that belay stores and reads, with its version: one row each.
// docs/formats/records.md has the same list, with where each is kept; tests/records/ checks both
// against the golden files of every version.
//
// A record gets a new version when an older belay would misread it: its row counts up and gets a
// step. If an older belay would also do damage with it, kVaultVersion (store/vault.h) counts up
// too.

#ifndef BELAY_MODEL_STORED_RECORD_H_
#define BELAY_MODEL_STORED_RECORD_H_

#include <algorithm>
#include <iterator>

#include "model/migration.h"

namespace belay {

enum class StoredRecord {
  kProject,        // journal "project"
  kSnapshotEvent,  // journal "snapshots"
  kIdentity,       // journal "identities": the whole identity
  kIdentityNote,   // journal "identities": last seen, and remarks
  kHook,           // journal "hooks"
  kTaint,          // journal "taint"
  kMergeEntry,     // journal "merge-queue": an entry
  kMergeTarget,    // journal "merge-queue": a target
  kMergeGate,      // journal "merge-queue": how reliable a gate is
  kTask,           // journal "tasks": a task
  kWave,           // journal "tasks": the deadline of a wave
  kDelivery,       // journal "deliveries"
  kSignal,         // in an inbox, and in an outbox
  kOutboxBatch,
  kOutboxReceipt,
  kAgentEvent,
  kRun,
  kLaunch,
  kSettingsBefore,  // claude-settings.json
  kMoveNote,        // merge/checkout-move
  kSnapshot,        // the message of a commit below refs/belay/keep/
};

Result<Json> EventFromVersion1(Json record);  // agent_event.cc
inline constexpr Migration kEventSteps[] = {{1, EventFromVersion1}};

inline constexpr RecordFormat kStoredRecords[] = {
    {"project", 1},
    {"snapshot_event", 1},
    {"identity", 1, {}, Unversioned::kDamaged},
    {"identity_note", 1},
    {"hook", 1, {}, Unversioned::kDamaged},
    {"taint", 1},
    {"merge_entry", 1},
    {"merge_target", 1},
    {"merge_gate", 1},
    {"task", 1},
    {"wave", 1},
    {"delivery", 1},
    {"signal", 1},
    {"outbox_batch", 1},
    {"outbox_receipt", 1},
    {"agent_event", 2, kEventSteps},
    {"run", 1, {}, Unversioned::kDamaged},
    {"launch", 1, {}, Unversioned::kDamaged},
    {"settings_before", 1},
    {"move_note", 1},
    {"snapshot", 1, {}, Unversioned::kDamaged},
};
static_assert(std::size(kStoredRecords) == static_cast<std::size_t>(StoredRecord::kSnapshot) + 1);
static_assert(std::all_of(std::begin(kStoredRecords), std::end(kStoredRecords), IsWhole),
              "a version without a step to the next one");

constexpr const RecordFormat& FormatOf(StoredRecord record) {
  return kStoredRecords[static_cast<std::size_t>(record)];
}
constexpr int NewestVersion(StoredRecord record) { return FormatOf(record).newest; }

}  // namespace belay

#endif  // BELAY_MODEL_STORED_RECORD_H_
