#include "model/snapshot_log.h"

#include "base/utf8.h"

namespace belay {
namespace {

Json Start(WallTime at, std::string_view kind, const std::string& id, const std::string& commit) {
  return MakeObject({{"at", FormatUtcMicros(at)}, {"kind", kind}, {"id", id}, {"commit", commit}});
}

}  // namespace

Json TakenRecord(WallTime at, const TakenEvent& event) {
  Json record = Start(at, "taken", event.id, event.commit);
  record.Set("worktree", ReplaceInvalidUtf8(event.worktree));
  record.Set("reason", ReplaceInvalidUtf8(event.reason));
  record.Set("files", event.files);
  record.Set("bytes", event.bytes);
  return record;
}

Json RestoredRecord(WallTime at, const RestoredEvent& event) {
  Json record = Start(at, "restored", event.id, event.commit);
  if (event.into.empty()) {
    record.Set("worktree", ReplaceInvalidUtf8(event.worktree));
  } else {
    record.Set("into", ReplaceInvalidUtf8(event.into));
  }
  record.Set("files", event.files);
  if (!event.rescue.empty()) record.Set("rescue", event.rescue);
  return record;
}

Json PrunedRecord(WallTime at, const PrunedEvent& event) {
  Json record = Start(at, "pruned", event.id, event.commit);
  record.Set("reason", event.reason);
  return record;
}

void SnapshotBook::Apply(const Json& record) {
  Json plain = record;
  // Members of the journal that it was read from.
  for (const std::string_view mark : {"seq", "unsynced", "crc", "compacted"}) plain.Remove(mark);
  records_.push_back(std::move(plain));
  if (records_.size() > kKept) records_.pop_front();
}

std::vector<Json> SnapshotBook::Snapshot(WallTime) const {
  return {records_.begin(), records_.end()};
}

}  // namespace belay
