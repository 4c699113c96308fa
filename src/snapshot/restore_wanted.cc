#include "snapshot/restore_wanted.h"

#include <fmt/core.h>

#include <optional>

#include "adapters/git/fields.h"
#include "base/text.h"
#include "snapshot/capture_list.h"

namespace belay {
namespace {

bool IsGitFolder(std::string_view part) {
  if (part.size() != 4) return false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char lower = part[i] >= 'A' && part[i] <= 'Z' ? static_cast<char>(part[i] + 32) : part[i];
    if (lower != ".git"[i]) return false;
  }
  return true;
}

// The changes of one comparison; all other paths are as in the base.
void AddFiles(const std::vector<TreeChange>& changes, WantedPaths& paths) {
  for (const TreeChange& change : changes) {
    paths[change.path] = {change.before, change.after, {.entry = change.before}};
  }
}

void AddIndex(const std::vector<TreeChange>& changes, WantedPaths& paths) {
  for (const TreeChange& change : changes) {
    auto [at, is_new] = paths.try_emplace(change.path);
    if (is_new) at->second = {change.before, change.before, {}};
    at->second.index = {.entry = change.after};
  }
}

// Where a path is untracked, the base has nothing, or the index shows it above.
void AddUntracked(const std::vector<TreeChange>& changes, WantedPaths& paths) {
  for (const TreeChange& change : changes) paths[change.path].target = change.after;
}

// A path of the fourth commit without the folder that names its kind; nullopt for a folder unknown
// to this belay.
std::optional<std::string_view> PathInRest(std::string_view path) {
  if (path.starts_with(kIntentFolder)) return path.substr(kIntentFolder.size());
  for (const std::string_view folder : kStageFolders) {
    if (path.starts_with(folder)) return path.substr(folder.size());
  }
  return std::nullopt;
}

void AddRest(const std::vector<TreeChange>& changes, WantedPaths& paths) {
  for (const TreeChange& change : changes) {
    const std::optional<std::string_view> path = PathInRest(change.path);
    if (!path) continue;
    IndexState& index = paths[std::string(*path)].index;
    index.entry = {};
    index.intent_to_add = index.intent_to_add || change.path.starts_with(kIntentFolder);
    for (std::size_t stage = 0; stage < 3; ++stage) {
      if (change.path.starts_with(kStageFolders[stage])) index.stages[stage] = change.after;
    }
  }
}

// "mode type id TAB path NUL"
Result<void> ParseEntries(std::string_view output, GitEntries& entries) {
  Fields fields(output, "ls-tree");
  while (!fields.AtEnd()) {
    GitEntry entry;
    BELAY_TRY_ASSIGN(entry.mode, fields.ModeUntil(' '));
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(entry.id, fields.IdUntil('\t'));
    BELAY_TRY_ASSIGN(const std::string_view path, fields.Until('\0'));
    if (entry.mode != kFolderMode) entries.emplace(path, entry);
  }
  return {};
}

// For an unmerged path that is unchanged, no comparison yields the base's entry.
Result<void> AddUnmergedBases(const Git& git, const ObjectId& base,
                              const std::vector<TreeChange>& rest, WantedPaths& paths) {
  std::vector<std::string> unknown;
  for (const TreeChange& change : rest) {
    const std::optional<std::string_view> path = PathInRest(change.path);
    if (path && IsInsideWorktree(*path) && !paths.contains(*path)) unknown.emplace_back(*path);
  }
  BELAY_TRY_ASSIGN(const GitEntries entries, ReadEntries(git, base, unknown));
  for (const auto& [path, entry] : entries) paths[path] = {entry, entry, {.entry = entry}};
  return {};
}

// A submodule may contain files, if the rules captured them.
bool IsFile(const GitEntry& entry) { return entry.IsThere() && entry.mode != kSubmoduleMode; }

// Git would check them out with other bytes or permissions. Files missing in the base or with
// another content are wanted anyway.
Result<void> AddRaw(const Git& git, const SavedSnapshot& snapshot, WantedPaths& paths) {
  std::vector<std::string> unknown;
  for (const std::string& path : snapshot.record.raw) {
    if (IsInsideWorktree(path) && !paths.contains(path)) unknown.push_back(path);
  }
  BELAY_TRY_ASSIGN(const GitEntries entries, ReadEntries(git, snapshot.base, unknown));
  for (const auto& [path, entry] : entries) paths[path] = {entry, entry, {.entry = entry}};
  const auto mark = [&](const std::string& path) {
    const auto at = paths.find(path);
    if (at != paths.end()) at->second.raw = IsFile(at->second.target);
  };
  for (const std::string& path : snapshot.record.raw) mark(path);
  for (const auto& [path, mode] : snapshot.record.modes) mark(path);
  return {};
}

bool LiesInFile(std::string_view path, const WantedPaths& paths) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const auto parent = paths.find(path.substr(0, end));
    if (parent != paths.end() && IsFile(parent->second.target)) return true;
  }
  return false;
}

Result<void> Check(const SavedSnapshot& snapshot, const WantedPaths& paths) {
  for (const auto& [path, wanted] : paths) {
    const bool bad =
        !IsInsideWorktree(path) || (wanted.target.IsThere() && LiesInFile(path, paths));
    if (!bad) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("restore {}: it contains {}, which must not be written",
                             snapshot.id.text(), QuotePath(path)),
                 "belay never takes such snapshots: find out where it came from"};
  }
  return {};
}

void LeaveOutOwn(Wanted& wanted) {
  for (auto at = wanted.paths.begin(); at != wanted.paths.end();) {
    if (!IsOwnPath(at->first)) {
      ++at;
      continue;
    }
    wanted.skipped.push_back(at->first);
    at = wanted.paths.erase(at);
  }
}

}  // namespace

bool IsInsideWorktree(std::string_view path) {
  if (path.empty() || path.ends_with('/')) return false;
  for (const std::string_view part : Split(path, '/')) {
    if (part.empty() || part == "." || part == ".." || IsGitFolder(part)) return false;
  }
  return true;
}

Result<GitEntries> ReadEntries(const Git& git, const ObjectId& commit,
                               const std::vector<std::string>& paths) {
  constexpr std::size_t kMostPaths = 200;
  GitEntries entries;
  for (auto at = paths.begin(); at != paths.end();) {
    std::vector<std::string> call = {"ls-tree", "-z", "--full-tree", "--", commit.text()};
    for (std::size_t n = 0; n < kMostPaths && at != paths.end(); ++n) call.push_back(*at++);
    BELAY_TRY_ASSIGN(const std::string output, git.Ask(std::move(call)));
    BELAY_TRY(ParseEntries(output, entries));
  }
  return entries;
}

Result<Wanted> ReadWanted(const Git& git, const SavedSnapshot& snapshot, const ObjectId& head) {
  if (!snapshot.readable) {
    return Error{ErrorCode::kDamaged,
                 fmt::format("restore {}: it was made by a newer belay, or by another program",
                             snapshot.id.text()),
                 fmt::format("git can read it: git show {}", snapshot.commit.Short())};
  }
  std::vector<TreePair> pairs = {
      {snapshot.base, snapshot.commit}, {snapshot.base, snapshot.index}, {{}, snapshot.untracked}};
  const std::size_t rest = pairs.size();
  if (!snapshot.rest.IsNone()) pairs.push_back({{}, snapshot.rest});
  const std::size_t moved = pairs.size();
  if (!head.IsNone() && head != snapshot.base) pairs.push_back({snapshot.base, head});
  BELAY_TRY_ASSIGN(const std::vector<std::vector<TreeChange>> changes, CompareCommits(git, pairs));

  Wanted wanted;
  AddFiles(changes[0], wanted.paths);
  AddIndex(changes[1], wanted.paths);
  if (rest < moved) BELAY_TRY(AddUnmergedBases(git, snapshot.base, changes[rest], wanted.paths));
  AddUntracked(changes[2], wanted.paths);
  if (rest < moved) AddRest(changes[rest], wanted.paths);
  BELAY_TRY(AddRaw(git, snapshot, wanted.paths));
  if (moved < pairs.size()) wanted.head = changes[moved];
  BELAY_TRY(Check(snapshot, wanted.paths));
  LeaveOutOwn(wanted);
  return wanted;
}

}  // namespace belay
