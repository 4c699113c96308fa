#include "adapters/git/stash.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

// "Dropped stash@{0} (0123...)" names the commit that was dropped.
std::optional<ObjectId> DroppedCommit(std::string_view output) {
  const std::size_t begin = output.rfind('(');
  const std::size_t end = output.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return std::nullopt;
  }
  const Result<ObjectId> id = ObjectId::Parse(output.substr(begin + 1, end - begin - 1));
  return id ? std::optional(*id) : std::nullopt;
}

}  // namespace

Result<std::vector<StashEntry>> ListStash(const Git& git) {
  BELAY_TRY_ASSIGN(const std::string output, git.Ask({"stash", "list", "-z", "--format=%H %gs"}));
  std::vector<StashEntry> entries;
  for (const std::string_view line : Split(output, '\0')) {
    const std::string_view id = line.substr(0, line.find(' '));
    const Result<ObjectId> commit = ObjectId::Parse(id);
    if (!commit) continue;
    entries.push_back({*commit, std::string(line.substr(std::min(id.size() + 1, line.size())))});
  }
  return entries;
}

Result<std::set<ObjectId>> StashedCommits(const Git& git, const FileSystem& files,
                                          const std::string& common_folder) {
  constexpr std::size_t kMostLog = std::size_t{64} << 20U;
  std::set<ObjectId> commits;
  const Result<std::string> log = files.Read(JoinPath(common_folder, "logs/refs/stash"), kMostLog);
  const bool empty = !log && log.error().code == ErrorCode::kNotFound &&
                     !files.Inspect(JoinPath(common_folder, "reftable"));
  if (empty) return commits;
  if (!log) {
    BELAY_TRY_ASSIGN(const std::vector<StashEntry> entries, ListStash(git));
    for (const StashEntry& entry : entries) commits.insert(entry.commit);
    return commits;
  }
  // "OLD NEW NAME <MAIL> TIME ZONE TAB MESSAGE"; a message can't hold a line of its own.
  for (const std::string_view line : Split(*log, '\n')) {
    const std::vector<std::string_view> words = Split(line.substr(0, line.find('<')), ' ');
    const Result<ObjectId> id =
        words.size() > 1 ? ObjectId::Parse(words[1]) : ObjectId::Parse(std::string_view());
    if (id) commits.insert(*id);
  }
  return commits;
}

Result<void> StoreStash(const Git& git, const ObjectId& commit, const std::string& message) {
  // The list is a convenience: what it names is kept by refs of belay's.
  BELAY_TRY(git.Run({.arguments = {"stash", "store", "-m", message, commit.text()},
                     .settings = {"core.fsync=none"}}));
  return {};
}

Result<bool> DropStash(const Git& git, const ObjectId& commit) {
  BELAY_TRY_ASSIGN(const std::vector<StashEntry> there, ListStash(git));
  const auto at = std::ranges::find(there, commit, &StashEntry::commit);
  if (at == there.end()) return false;
  const std::string position = fmt::format("stash@{{{}}}", at - there.begin());
  BELAY_TRY_ASSIGN(const std::string output, git.Ask({"stash", "drop", position}));
  const std::optional<ObjectId> dropped = DroppedCommit(output);
  if (!dropped || *dropped == commit) return true;
  const auto other = std::ranges::find(there, *dropped, &StashEntry::commit);
  BELAY_TRY(StoreStash(git, *dropped, other != there.end() ? other->message : "put back by belay"));
  return Error{ErrorCode::kBusy, "another process changed the stash list at the same moment",
               "git stash list shows the entry, which may be dropped"};
}

}  // namespace belay
