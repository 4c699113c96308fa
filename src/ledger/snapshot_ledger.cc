#include "ledger/snapshot_ledger.h"

#include <fmt/core.h>

#include <vector>

#include "codec/json.h"

namespace belay {
namespace {

// "worker-a" of "agent-worker-a/7".
std::string IdentityOfKeep(std::string_view id) {
  constexpr std::string_view kOfAgent = "agent-";
  const std::size_t slash = id.rfind('/');
  if (!id.starts_with(kOfAgent) || slash == std::string_view::npos) return {};
  return std::string(id.substr(kOfAgent.size(), slash - kOfAgent.size()));
}

}  // namespace

std::optional<RecordText> SnapshotFamily::WhyText(const Json& record) {
  const std::string id = TextIn(record, "id");
  const std::string reason = TextIn(record, "reason");
  return RecordText{.who = TextIn(record, "agent_id"),
                    .what = TextIn(record, "kind"),
                    .why = fmt::format("{}{}{}", id, reason.empty() ? "" : ": ", reason),
                    .identity = IdentityOfKeep(id)};
}

Result<std::optional<SnapshotLock>> SnapshotLedger::LockIfSetUp(FileSystem& files,
                                                                const Layout& project) {
  return IfThere(Lock(files, project));
}

Result<void> SnapshotLedger::RecordTaken(const SnapshotLock& lock, const TakenEvent& event) {
  return AppendOneAndCompact(lock, TakenRecord(clock_.Wall(), event));
}

Result<void> SnapshotLedger::RecordRestored(const SnapshotLock& lock, const RestoredEvent& event,
                                            const std::optional<TakenEvent>& rescue) {
  std::vector<Json> records;
  if (rescue) records.push_back(TakenRecord(clock_.Wall(), *rescue));
  records.push_back(RestoredRecord(clock_.Wall(), event));
  return AppendAndCompact(lock, records);
}

Result<void> SnapshotLedger::RecordPruned(const SnapshotLock& lock,
                                          std::span<const PrunedEvent> events) {
  std::vector<Json> records;
  for (const PrunedEvent& event : events) records.push_back(PrunedRecord(clock_.Wall(), event));
  return AppendAndCompact(lock, records);
}

}  // namespace belay
