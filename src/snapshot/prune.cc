#include "snapshot/prune.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/path.h"
#include "ledger/snapshot_ledger.h"

namespace belay {
namespace {

// The snapshots as new as this one or newer.
struct Newest {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;

  void Add(std::uint64_t more) {
    ++count;
    bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
  }
};

// Empty: it may stay.
std::string WhyExpired(const SavedSnapshot& snapshot, const Newest& newest, WallTime now,
                       const RetentionLimits& limits) {
  if (snapshot.record.at < now && now - snapshot.record.at > limits.age) {
    return fmt::format("older than {}", FormatDuration(limits.age));
  }
  if (newest.count > limits.count) {
    const auto newer = newest.count - 1;
    return fmt::format("{} newer {}", newer, newer == 1 ? "one" : "ones");
  }
  if (newest.bytes > limits.bytes) {
    return fmt::format("with the newer ones, over {} MiB", limits.bytes >> 20U);
  }
  return {};
}

}  // namespace

std::vector<Expired> ChooseExpired(std::span<const SavedSnapshot> snapshots, WallTime now,
                                   const RetentionLimits& limits,
                                   const std::set<ObjectId>& named_commits) {
  std::vector<Expired> expired;
  Newest newest;
  bool has_last = false;
  for (std::size_t i = snapshots.size(); i > 0; --i) {
    const SavedSnapshot& snapshot = snapshots[i - 1];
    newest.Add(snapshot.record.bytes);
    if (!snapshot.readable) continue;
    const bool last = !std::exchange(has_last, true);
    if (last || named_commits.contains(snapshot.commit)) continue;
    std::string reason = WhyExpired(snapshot, newest, now, limits);
    if (!reason.empty()) expired.push_back({snapshot, std::move(reason)});
  }
  std::reverse(expired.begin(), expired.end());
  return expired;
}

namespace {

constexpr int kTries = 3;

Result<void> Record(const Worktree& worktree, const Layout& project,
                    std::span<const Expired> expired) {
  BELAY_TRY_ASSIGN(const std::optional<SnapshotLock> lock,
                   SnapshotLedger::LockIfSetUp(worktree.files, project));
  if (!lock) return {};
  std::vector<PrunedEvent> events;
  for (const auto& [snapshot, reason] : expired) {
    events.push_back({snapshot.id.text(), snapshot.commit.text(), reason});
  }
  return SnapshotLedger(worktree.files, worktree.clock, project).RecordPruned(*lock, events);
}

// The refs that no other process has deleted yet.
Result<std::vector<RefAndValue>> StillThere(const Git& git, std::vector<RefAndValue> refs) {
  BELAY_TRY_ASSIGN(const std::vector<CommitRef> all, ListRefs(git, kKeepRefs));
  std::set<std::string> names;
  for (const CommitRef& ref : all) names.insert(ref.name);
  std::erase_if(refs, [&](const RefAndValue& ref) { return !names.contains(ref.name); });
  return refs;
}

Result<void> DeleteThoseThere(const Git& git, std::vector<RefAndValue> refs) {
  Result<void> deleted;
  for (int i = 0; i < kTries && !refs.empty(); ++i) {
    deleted = DeleteRefs(git, refs);
    if (deleted) return deleted;
    const std::size_t before = refs.size();
    BELAY_TRY_ASSIGN(refs, StillThere(git, std::move(refs)));
    if (refs.size() == before) return deleted;
  }
  return refs.empty() ? Result<void>() : deleted;
}

// Git leaves that to the file system. An empty folder is removed by now.
Result<void> SyncRefs(FileSystem& files, const std::string& common, const std::string& folder) {
  for (std::string path = JoinPath(common, folder); path.size() >= common.size();
       path = ParentPath(path)) {
    Result<void> synced = files.SyncFolder(path);
    if (!synced && synced.error().code != ErrorCode::kNotFound) return synced;
  }
  return {};
}

}  // namespace

Result<std::vector<Expired>> PlanPrune(const Worktree& worktree, const RetentionLimits& limits,
                                       const std::set<ObjectId>& named_commits) {
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> all, ListSnapshots(worktree.git, std::nullopt));
  std::map<KeepName, std::vector<SavedSnapshot>> by_name;
  for (const SavedSnapshot& snapshot : all) by_name[snapshot.id.keep].push_back(snapshot);
  std::vector<Expired> expired;
  for (const auto& [name, snapshots] : by_name) {
    for (Expired& one : ChooseExpired(snapshots, worktree.clock.Wall(), limits, named_commits)) {
      expired.push_back(std::move(one));
    }
  }
  return expired;
}

Result<void> DeleteExpired(const Worktree& worktree, const Layout& project,
                           std::span<const Expired> expired) {
  if (expired.empty()) return {};
  BELAY_TRY(Record(worktree, project, expired));
  std::vector<RefAndValue> refs;
  std::set<std::string> folders;
  for (const auto& [snapshot, reason] : expired) {
    refs.push_back({snapshot.id.Ref(), snapshot.commit});
    folders.emplace(ParentPath(snapshot.id.Ref()));
  }
  BELAY_TRY(DeleteThoseThere(worktree.git, std::move(refs)));
  for (const std::string& folder : folders) {
    BELAY_TRY(SyncRefs(worktree.files, worktree.place.common_folder, folder));
  }
  return {};
}

}  // namespace belay
