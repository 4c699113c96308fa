#include "engine/shell/guarded_paths.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

bool IsInside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && IsAtOrBelow(path, folder);
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether writing a folder writes what is in it.
bool TakesAll(const PathWrite& write, bool below_root) {
  return write.removes || (below_root && write.fills);
}

// Whether an exact path means the guarded one.
bool Means(const GuardedPaths& guarded, const GuardedPath& one, const PathWrite& write) {
  if (write.path == one.path) return true;
  if (one.folder && IsInside(write.path, one.path)) return true;
  const bool around = IsInside(one.path, write.path) || write.path == "/";
  return around && !write.into && TakesAll(write, IsInside(write.path, guarded.root));
}

// Whether something is known of the name of the file itself, apart from its suffix.
bool KnowsName(std::string_view path) {
  std::string_view name = FileName(path);
  name = name.substr(0, name.find_last_of('.'));
  return name.find_first_not_of(kUnknownMarks) != std::string_view::npos;
}

// Any variable could be anything: a path with unknown parts counts if its known parts, or the line,
// name the guarded one. A pattern matches what is there.
bool Names(const GuardedPath& one, std::string_view path, std::string_view line) {
  const std::string name(FileName(one.path));
  const std::string_view around = ParentPath(one.path);
  const std::string folder(FileName(around));
  if (!Contains(path, std::string(1, kAnyText))) return true;
  if (one.folder) return Contains(path, folder) && Contains(path, "/" + name);
  if (Contains(path, folder + "/") || Contains(path, folder + kAnyText)) return true;
  if (!path.starts_with(kAnyText) && KnowsName(path)) return true;
  if (path.ends_with("/" + folder) || path.ends_with(kAnyText + folder)) return true;
  const bool around_named = Contains(line, folder);
  if (Contains(path, name)) return around_named || !one.common;
  return around_named && Contains(line, name);
}

// Whether a pattern means files of belay's records: it leads into their folder, or matches their
// names.
bool CanBeIn(std::string_view pattern, const std::string& folder) {
  constexpr std::string_view kRecords[] = {"/x", "/journals/x.jsonl", "/locks/x.lock"};
  const bool named = Contains(pattern, FileName(ParentPath(folder)));
  if (named && CanBeInside(pattern, folder)) return true;
  return std::ranges::any_of(
      kRecords, [&](std::string_view name) { return CanBe(pattern, folder + std::string(name)); });
}

// The same as Means for a path with unknown parts.
bool CanMean(const GuardedPaths& guarded, const GuardedPath& one, const PathWrite& write,
             std::string_view line) {
  if (!Names(one, write.path, line)) return false;
  if (CanBe(write.path, one.path)) return true;
  if (one.folder && CanBeIn(write.path, one.path)) return true;
  if (write.into) return false;
  for (std::string_view around = ParentPath(one.path); around.size() > 1;
       around = ParentPath(around)) {
    const bool all = TakesAll(write, IsInside(around, guarded.root));
    if (all && CanBe(write.path, around)) return true;
  }
  return false;
}

// Whether an argument of a program that runs in `folder` may name the guarded path.
bool CanName(const GuardedPath& one, const std::string& folder, std::string_view argument) {
  // Most words are far from it.
  if (!one.folder && !argument.ends_with(FileName(one.path))) return false;
  const std::string path = AbsoluteShellPath(folder, argument);
  if (path == one.path) return true;
  if (one.folder) return IsAtOrBelow(path, one.path);
  return !IsExact(path) && Names(one, path, argument) && CanBe(path, one.path);
}

// An argument as a path: also behind "--file=" and "-f".
std::vector<std::string_view> PathsIn(std::string_view argument) {
  std::vector<std::string_view> all = {argument};
  const std::size_t equals = argument.find('=');
  if (equals != std::string_view::npos) all.push_back(argument.substr(equals + 1));
  const bool letter = argument.size() > 2 && argument[0] == '-' && argument[1] != '-';
  if (letter) all.push_back(argument.substr(2));
  return all;
}

}  // namespace

PathWrite WriteOf(const ShellEffect& effect) {
  return {effect.what, effect.by, effect.into, effect.removes, effect.fills, effect.from};
}

std::optional<std::string> GuardedBy(const GuardedPaths& guarded, const PathWrite& write,
                                     std::string_view line) {
  const bool known = IsExact(write.path);
  for (const GuardedPath& one : guarded.paths) {
    if (known ? Means(guarded, one, write) : CanMean(guarded, one, write, line)) return one.path;
  }
  return std::nullopt;
}

std::optional<std::string> GuardedArgument(const GuardedPaths& guarded, const ShellEffect& run) {
  if (run.folder.empty()) return std::nullopt;
  for (const std::string& word : run.words) {
    for (const std::string_view path : PathsIn(word)) {
      for (const GuardedPath& one : guarded.paths) {
        if (CanName(one, run.folder, path)) return one.path;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> GuardedByLine(const GuardedPaths& guarded,
                                         std::span<const ShellEffect> effects,
                                         std::string_view line) {
  for (const ShellEffect& effect : effects) {
    std::optional<std::string> path;
    if (effect.kind == EffectKind::kWrite) path = GuardedBy(guarded, WriteOf(effect), line);
    if (effect.kind == EffectKind::kRun) path = GuardedArgument(guarded, effect);
    if (path) return path;
  }
  return std::nullopt;
}

std::vector<std::string> GuardedFromGit(const GuardedPaths& guarded, const PathWrite& write) {
  constexpr std::string_view kOfPaths[] = {"git checkout", "git restore",  "git stash push",
                                           "git clean",    "git clean -x", "git rm"};
  // These change the whole worktree, wherever they run in it.
  constexpr std::string_view kOfAll[] = {"git reset --hard", "git stash", "git stash pop"};
  const bool all = IsIn(kOfAll, write.by);
  const bool known = IsExact(write.path);
  const bool unknown = Contains(write.path, std::string(1, kAnyText));  // more than a pattern
  std::vector<std::string> inside;
  if (!all && (!IsIn(kOfPaths, write.by) || unknown)) return inside;
  for (const GuardedPath& one : guarded.paths) {
    const bool here =
        known ? IsAtOrBelow(write.path, guarded.root) : CanBe(write.path, guarded.root);
    const bool below = known ? IsInside(one.path, write.path) : CanBe(write.path, one.path);
    const bool meant = all ? here : below;
    if (!one.folder && IsInside(one.path, guarded.root) && meant) inside.push_back(one.path);
  }
  return inside;
}

bool WritesLinkItself(const PathWrite& write) { return write.removes || write.by == "ln"; }

}  // namespace belay
