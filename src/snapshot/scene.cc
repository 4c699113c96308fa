#include "snapshot/scene.h"

#include <algorithm>

#include "base/path.h"
#include "base/split.h"
#include "codec/sha256.h"
#include "snapshot/odd_bytes.h"

namespace belay {
namespace {

Result<ObjectFormat> FormatOf(const Git& git, const GitStatus& status) {
  if (!status.head.IsNone()) return status.head.format();
  BELAY_TRY_ASSIGN(const std::string name, git.Ask({"rev-parse", "--show-object-format"}));
  return name.starts_with("sha256") ? ObjectFormat::kSha256 : ObjectFormat::kSha1;
}

// What a repository inside the worktree holds, as paths of the worktree.
Result<void> AddInnerFiles(const Worktree& worktree, CaptureList& list, const CaptureRules& rules) {
  for (const std::string& folder : list.inner_folders) {
    const Git inner = worktree.git.In(JoinPath(worktree.place.worktree, folder));
    BELAY_TRY_ASSIGN(const std::string names,
                     inner.Ask({"ls-files", "-z", "--cached", "--others", "--exclude-standard"}));
    for (const std::string_view name : Split(names, '\0')) {
      const std::string path = JoinPath(folder, name);
      if (name.empty() || name.ends_with('/')) continue;
      if (rules.IsSecret(path)) {
        list.skipped.push_back({path, SkipReason::kSecret});
      } else {
        list.to_read.push_back({path, false});
      }
    }
  }
  return {};
}

// What a submodule has checked out. Nothing when it isn't there: git would answer for the
// repository around it.
Result<std::optional<ObjectId>> CheckedOut(const Worktree& worktree, const std::string& path) {
  const std::string folder = JoinPath(worktree.place.worktree, path);
  if (!worktree.files.Inspect(JoinPath(folder, ".git"))) return std::optional<ObjectId>();
  BELAY_TRY_ASSIGN(std::string head,
                   worktree.git.In(folder).Ask({"rev-parse", "--verify", "HEAD"}));
  while (head.ends_with('\n')) head.pop_back();
  BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(head));
  return std::optional(std::move(id));
}

GitEntry IndexEntry(const CaptureList& list, const std::string& path) {
  for (const KnownEntry& known : list.index) {
    if (known.path == path) return known.entry;
  }
  return {};
}

}  // namespace

Result<Scene> LookAround(const Worktree& worktree, const CaptureRules& rules,
                         const std::vector<std::string>& also) {
  Scene scene;
  BELAY_TRY_ASSIGN(scene.status, ReadStatus(worktree.git, rules.ignored ? IgnoredFiles::kName
                                                                        : IgnoredFiles::kLeaveOut));
  BELAY_TRY_ASSIGN(scene.format, FormatOf(worktree.git, scene.status));
  scene.list = ListCaptures(scene.status, scene.format, rules, also);
  BELAY_TRY(AddInnerFiles(worktree, scene.list, rules));
  std::string text = DigestOf(scene.status, scene.list);
  for (const std::string& path : scene.list.moved_modules) {
    BELAY_TRY_ASSIGN(const std::optional<ObjectId> commit, CheckedOut(worktree, path));
    const GitEntry entry =
        commit ? GitEntry{kSubmoduleMode, *commit} : IndexEntry(scene.list, path);
    text += "\n" + entry.id.text();
    if (entry.IsThere()) scene.modules.push_back({path, entry});
  }
  scene.digest = Sha256Hex(text);
  return scene;
}

Result<void> AddOddFiles(const Worktree& worktree, const CaptureRules& rules, Scene& scene) {
  BELAY_TRY_ASSIGN(std::vector<std::string> odd, FindOddBytes(worktree, scene.status));
  const auto& listed = scene.list.to_read;
  for (std::string& path : odd) {
    const bool known = std::any_of(listed.begin(), listed.end(),
                                   [&](const CaptureItem& item) { return item.path == path; });
    if (known || IsOwnPath(path) || rules.IsSecret(path)) continue;
    scene.list.to_read.push_back({std::move(path), true, true});
  }
  return {};
}

}  // namespace belay
