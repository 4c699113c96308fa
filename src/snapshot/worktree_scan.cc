#include "snapshot/worktree_scan.h"

#include "base/path.h"
#include "base/text.h"
#include "snapshot/odd_bytes.h"
#include "snapshot/restore_present.h"

namespace belay {
namespace {

constexpr std::size_t kMostIndex = std::size_t{1} << 30U;

Result<ObjectFormat> FormatOf(const Git& git, const GitStatus& status) {
  if (!status.head.IsNone()) return status.head.format();
  BELAY_TRY_ASSIGN(const std::string name, git.Ask({"rev-parse", "--show-object-format"}));
  return name.starts_with("sha256") ? ObjectFormat::kSha256 : ObjectFormat::kSha1;
}

// The content of a repository inside the worktree, as paths of the worktree.
Result<void> AddInnerFiles(const Worktree& worktree, CaptureList& list, const CaptureRules& rules) {
  for (const std::string& folder : list.inner_folders) {
    const Git inner = worktree.git.In(JoinPath(worktree.place.worktree, folder));
    BELAY_TRY_ASSIGN(const std::string names,
                     inner.Ask({"ls-files", "-z", "--cached", "--others", "--exclude-standard"}));
    for (const std::string_view name : Split(names, '\0')) {
      const std::string path = JoinPath(folder, name);
      if (name.empty() || IsOwnPath(name)) continue;
      if (name.ends_with('/')) {
        list.skipped.push_back({path, SkipReason::kRepository});
      } else if (rules.IsSecret(path)) {
        list.skipped.push_back({path, SkipReason::kSecret});
      } else {
        list.to_read.push_back({path, false});
      }
    }
  }
  return {};
}

// The checked-out commit of a submodule. Nullopt when it isn't checked out (git would answer for
// the outer repository) or has no commit.
std::optional<ObjectId> CheckedOut(const Worktree& worktree, const std::string& path) {
  const std::string folder = JoinPath(worktree.place.worktree, path);
  if (!worktree.files.Inspect(JoinPath(folder, ".git"))) return std::nullopt;
  Result<std::string> head = worktree.git.In(folder).Ask({"rev-parse", "--verify", "HEAD"});
  if (!head) return std::nullopt;
  while (head->ends_with('\n')) head->pop_back();
  Result<ObjectId> id = ObjectId::Parse(*head);
  return id ? std::optional(*std::move(id)) : std::nullopt;
}

GitEntry IndexEntry(const CaptureList& list, const std::string& path) {
  for (const KnownEntry& known : list.index) {
    if (known.path == path) return known.entry;
  }
  return {};
}

// "... failed in submodule NAME", or "not a git repository: NAME/../.git/modules/...". Git may use
// other words too; then it is one of the list of submodules.
std::string BrokenModule(std::string_view message) {
  for (const std::string_view before : {"submodule ", "not a git repository: "}) {
    const std::size_t at = message.rfind(before);
    if (at == std::string_view::npos) continue;
    const std::string_view name = message.substr(at + before.size());
    return std::string(name.substr(0, name.find("/../")));
  }
  return ".gitmodules";
}

// A broken submodule must not prevent capturing the rest; it is named in `broken`.
Result<GitStatus> ReadStatusWithoutBroken(const Git& git, const CaptureRules& rules,
                                          std::string& broken) {
  const IgnoredFiles ignored = rules.ignored ? IgnoredFiles::kName : IgnoredFiles::kLeaveOut;
  Result<GitStatus> status = ReadStatus(git, ignored);
  if (status) return status;
  Result<GitStatus> without = ReadStatus(git, ignored, Submodules::kPassOver);
  if (!without) return status;
  broken = BrokenModule(status.error().message);
  return without;
}

// Git ignores a repository without commits as if nothing were there.
void ScanGone(const Worktree& worktree, WorktreeScan& scan) {
  for (const std::string& path : scan.list.gone) {
    const std::string full = JoinPath(worktree.place.worktree, path);
    const auto blocker = FindBlocker(worktree.files, worktree.place.worktree, path);
    const Result<FileInfo> info = worktree.files.Inspect(full);
    if (!info || !blocker || *blocker) continue;
    if (info->kind != FileKind::kFolder) {
      scan.left_there.insert(path);
    } else if (worktree.files.Inspect(JoinPath(full, ".git"))) {
      scan.list.skipped.push_back({path + "/", SkipReason::kRepository});
    }
  }
}

// The files that git is set to overlook, as far as they exist.
Result<void> AddOverlooked(const Worktree& worktree, const CaptureRules& rules,
                           WorktreeScan& scan) {
  const Result<std::string> index =
      worktree.files.Read(JoinPath(worktree.place.git_folder, "index"), kMostIndex);
  if (!index) return {};  // no index yet
  BELAY_TRY_ASSIGN(const std::vector<Overlooked> overlooked,
                   FindOverlooked(worktree.git, *index, scan.format));
  for (const auto& [path, id] : overlooked) {
    const auto blocker = FindBlocker(worktree.files, worktree.place.worktree, path);
    if (!blocker || *blocker || IsOwnPath(path)) continue;
    const auto info = worktree.files.Inspect(JoinPath(worktree.place.worktree, path));
    if (!info || info->kind == FileKind::kFolder) continue;
    if (rules.IsSecret(path)) {
      scan.list.skipped.push_back({path, SkipReason::kSecret});
    } else if (scan.odd.emplace(path, id).second) {
      scan.list.to_read.push_back({path, true});
    }
  }
  return {};
}

}  // namespace

Result<WorktreeScan> ScanWorktree(const Worktree& worktree, const CaptureRules& rules,
                                  const std::vector<CaptureItem>& also) {
  WorktreeScan scan;
  std::string broken;
  BELAY_TRY_ASSIGN(scan.status, ReadStatusWithoutBroken(worktree.git, rules, broken));
  BELAY_TRY_ASSIGN(scan.format, FormatOf(worktree.git, scan.status));
  scan.list = ListCaptures(scan.status, scan.format, rules, also);
  if (!broken.empty()) scan.list.skipped.push_back({broken, SkipReason::kUnreadable});
  BELAY_TRY(AddInnerFiles(worktree, scan.list, rules));
  ScanGone(worktree, scan);
  BELAY_TRY(AddOverlooked(worktree, rules, scan));
  std::string text = DigestOf(scan.status, scan.list);
  for (const std::string& path : scan.left_there) text += "\n" + path;
  for (const std::string& path : scan.list.moved_modules) {
    const std::optional<ObjectId> commit = CheckedOut(worktree, path);
    const GitEntry entry = commit ? GitEntry{kSubmoduleMode, *commit} : IndexEntry(scan.list, path);
    text += "\n" + entry.id.text();
    if (entry.IsThere()) scan.modules.push_back({path, entry});
  }
  scan.digest = Sha256Hex(text);
  return scan;
}

Result<void> AddOddFiles(const Worktree& worktree, const CaptureRules& rules, WorktreeScan& scan) {
  BELAY_TRY_ASSIGN(const OddBytes odd, FindOddBytes(worktree, scan.status));
  scan.converts = odd.converts;
  std::set<std::string_view> listed;
  for (const CaptureItem& item : scan.list.to_read) listed.insert(item.path);
  std::vector<CaptureItem> more;
  for (const auto& [path, id] : odd.files) {
    if (listed.contains(path) || IsOwnPath(path) || rules.IsSecret(path)) continue;
    more.push_back({path, true});
    scan.odd.emplace(path, id);
  }
  scan.list.to_read.insert(scan.list.to_read.end(), more.begin(), more.end());
  return {};
}

}  // namespace belay
