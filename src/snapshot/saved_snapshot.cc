#include "snapshot/saved_snapshot.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kLeastDigits = 7;

// Nothing when the ref or the commit behind it has another shape.
std::optional<SavedSnapshot> FromRef(CommitRef ref) {
  const Result<SnapshotId> id = SnapshotId::Parse(ref.name);
  if (!id || ref.parents.size() < 3 || ref.parents.size() > 4) return std::nullopt;
  SavedSnapshot snapshot{.id = *id,
                         .commit = std::move(ref.commit),
                         .base = ref.parents[0],
                         .index = ref.parents[1],
                         .untracked = ref.parents[2]};
  if (ref.parents.size() == 4) snapshot.rest = ref.parents[3];
  Result<SnapshotRecord> record = ParseSnapshotMessage(ref.message);
  snapshot.readable = record.ok();
  if (record) snapshot.record = *std::move(record);
  return snapshot;
}

bool IsCommitPrefix(std::string_view text) {
  return text.size() >= kLeastDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<SavedSnapshot> FindByCommit(const Git& git, std::string_view digits) {
  BELAY_TRY_ASSIGN(std::vector<SavedSnapshot> all, ListSnapshots(git, std::nullopt));
  std::erase_if(all, [&](const SavedSnapshot& snapshot) {
    return !snapshot.commit.text().starts_with(digits);
  });
  if (all.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no snapshot {}", Quote(digits)),
                 "belay snapshot list --all shows those that are there"};
  }
  if (std::any_of(all.begin(), all.end(),
                  [&](const SavedSnapshot& other) { return other.commit != all[0].commit; })) {
    return Error{ErrorCode::kUsage, fmt::format("{} fits {} snapshots", Quote(digits), all.size()),
                 "give more digits"};
  }
  return std::move(all[0]);
}

}  // namespace

Result<std::vector<SavedSnapshot>> ListSnapshots(const Git& git,
                                                 const std::optional<KeepName>& keep) {
  BELAY_TRY_ASSIGN(std::vector<CommitRef> refs,
                   ListRefs(git, keep ? keep->Refs() : std::string(kKeepRefs)));
  std::vector<SavedSnapshot> snapshots;
  for (CommitRef& ref : refs) {
    if (auto snapshot = FromRef(std::move(ref))) snapshots.push_back(*std::move(snapshot));
  }
  return snapshots;
}

Result<std::optional<SavedSnapshot>> LastSnapshot(const Git& git, const KeepName& keep) {
  BELAY_TRY_ASSIGN(std::optional<CommitRef> ref, LastRef(git, keep.Refs()));
  if (!ref) return std::optional<SavedSnapshot>();
  return FromRef(*std::move(ref));
}

Result<SavedSnapshot> FindSnapshot(const Git& git, const KeepName& keep, std::string_view text) {
  const bool only_digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  Result<SnapshotId> id =
      SnapshotId::Parse(only_digits ? fmt::format("{}/{}", keep.text(), text) : std::string(text));
  if (id) {
    BELAY_TRY_ASSIGN(std::vector<CommitRef> refs, ListRefs(git, id->Ref()));
    for (CommitRef& ref : refs) {
      if (ref.name != id->Ref()) continue;
      if (auto snapshot = FromRef(std::move(ref))) return *std::move(snapshot);
      return Error{ErrorCode::kDamaged, fmt::format("{} is no snapshot", id->Ref())};
    }
    if (!only_digits || !IsCommitPrefix(text)) {
      return Error{ErrorCode::kNotFound, fmt::format("there is no snapshot {}", id->text()),
                   "belay snapshot list --all shows those that are there"};
    }
  }
  if (IsCommitPrefix(text)) return FindByCommit(git, text);
  return std::move(id).error();
}

}  // namespace belay
