#include "engine/shell/guarded_paths.h"

#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

// Programs that take a folder with everything in it.
constexpr std::string_view kRemoving[] = {"rm",     "mv",     "find",  "shred",
                                          "unlink", "git rm", "git mv"};
constexpr std::string_view kFilling[] = {"cp",    "ln", "install", "rsync", "tar",
                                         "unzip", "dd", "bsdtar",  "link",  "scp"};

bool IsKnownText(std::string_view text) {
  return text.find(kAnyText) == std::string_view::npos &&
         text.find(kAnyName) == std::string_view::npos;
}

bool IsInside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// Whether writing the folder `path` writes what is in it.
bool TakesAll(std::string_view by, bool below_root) {
  return IsIn(kRemoving, by) || (below_root && IsIn(kFilling, by));
}

// Whether an exact path means the guarded one.
bool Means(const GuardedPaths& guarded, const GuardedPath& one, const PathWrite& write) {
  if (write.path == one.path) return true;
  if (one.folder && IsInside(write.path, one.path)) return true;
  const bool around = IsInside(one.path, write.path) || write.path == "/";
  return around && !write.into && TakesAll(write.by, IsInside(write.path, guarded.root));
}

// The same for one with unknown parts. Of these only a name that is in it, or in the line, counts:
// any variable could be anything. A pattern matches what is there.
bool CanMean(const GuardedPaths& guarded, const GuardedPath& one, const PathWrite& write,
             std::string_view line) {
  const std::string name(FileName(one.path));
  const std::string folder(FileName(ParentPath(one.path)));
  const bool pattern = write.path.find(kAnyText) == std::string::npos;
  const bool named = pattern || write.path.find(name) != std::string::npos ||
                     write.path.find(folder + "/") != std::string::npos ||
                     line.find(name) != std::string_view::npos;
  if (!named) return false;
  if (CanBe(write.path, one.path)) return true;
  if (one.folder && CanBe(write.path, one.path + "/x")) return true;
  const std::string parent(ParentPath(one.path));
  return CanBe(write.path, parent) && !write.into &&
         TakesAll(write.by, IsInside(parent, guarded.root));
}

}  // namespace

std::optional<std::string> GuardedBy(const GuardedPaths& guarded, const PathWrite& write,
                                     std::string_view line) {
  const bool known = IsKnownText(write.path);
  for (const GuardedPath& one : guarded.paths) {
    if (known ? Means(guarded, one, write) : CanMean(guarded, one, write, line)) return one.path;
  }
  return std::nullopt;
}

std::vector<std::string> GuardedFromGit(const GuardedPaths& guarded, const PathWrite& write) {
  constexpr std::string_view kRestoring[] = {"git checkout", "git restore", "git stash",
                                             "git clean", "git clean -x"};
  std::vector<std::string> inside;
  if (!IsIn(kRestoring, write.by) || !IsKnownText(write.path)) return inside;
  for (const GuardedPath& one : guarded.paths) {
    if (!one.folder && IsInside(one.path, guarded.root) && IsInside(one.path, write.path)) {
      inside.push_back(one.path);
    }
  }
  return inside;
}

bool WritesLinkItself(std::string_view by) { return IsIn(kRemoving, by) || by == "ln"; }

}  // namespace belay
