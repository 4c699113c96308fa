#include "adapters/git/stash.h"

#include <fmt/core.h>

#include <algorithm>

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

Result<std::vector<ObjectId>> ListStash(const Git& git) {
  BELAY_TRY_ASSIGN(const std::string output, git.Ask({"stash", "list", "--format=%H"}));
  std::vector<ObjectId> commits;
  for (const std::string_view line : Split(output, '\n')) {
    if (const Result<ObjectId> id = ObjectId::Parse(line)) commits.push_back(*id);
  }
  return commits;
}

Result<bool> IsInStash(const Git& git, const FileSystem& files, const std::string& common_folder,
                       const ObjectId& commit) {
  constexpr std::size_t kMostLog = std::size_t{64} << 20U;
  const Result<std::string> log = files.Read(JoinPath(common_folder, "logs/refs/stash"), kMostLog);
  // "OLD NEW NAME <MAIL> TIME ZONE TAB MESSAGE"; a message can't hold a line of its own.
  if (log) {
    for (const std::string_view line : Split(*log, '\n')) {
      const std::size_t space = line.find(' ');
      if (space == std::string_view::npos) continue;
      if (line.substr(space + 1).starts_with(commit.text() + " ")) return true;
    }
    return false;
  }
  BELAY_TRY_ASSIGN(const std::vector<ObjectId> there, ListStash(git));
  return std::ranges::find(there, commit) != there.end();
}

Result<void> StoreStash(const Git& git, const ObjectId& commit, const std::string& message) {
  BELAY_TRY(git.Ask({"stash", "store", "-m", message, commit.text()}));
  return {};
}

Result<bool> DropStash(const Git& git, const ObjectId& commit) {
  BELAY_TRY_ASSIGN(const std::vector<ObjectId> there, ListStash(git));
  const auto at = std::ranges::find(there, commit);
  if (at == there.end()) return false;
  const std::string position = fmt::format("stash@{{{}}}", at - there.begin());
  BELAY_TRY_ASSIGN(const std::string output, git.Ask({"stash", "drop", position}));
  const std::optional<ObjectId> dropped = DroppedCommit(output);
  if (!dropped || *dropped == commit) return true;
  BELAY_TRY(git.Ask({"stash", "store", "-m", "put back by belay", dropped->text()}));
  return Error{ErrorCode::kBusy, "another process changed the stash list at the same moment",
               "git stash list shows the entry, which may be dropped"};
}

}  // namespace belay
