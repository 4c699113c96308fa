#include "cli/initialiser.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "cli/exclude_block.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr std::uint32_t kSharedFolder = 0755;
constexpr std::uint32_t kSharedFile = 0644;

constexpr std::string_view kTemplate =
    R"(# Settings of belay for this project. Every key has a default;
# `belay config show` prints the values in force, `belay config check` finds mistakes.
#
# merge:
#   target: main
#   strategy: rebase          # rebase | squash | merge
#   slots: 2
#   gates:
#     - name: test
#       run: "make test"
#       timeout: 10m
#       retries: 1
)";

Error Refused(std::string message, std::string hint) {
  return {ErrorCode::kRefused, std::move(message), std::move(hint)};
}

bool IsMissing(const Error& error) { return error.code == ErrorCode::kNotFound; }

}  // namespace

Result<void> Initialiser::SetUp() {
  BELAY_TRY(CheckOwner());
  for (const std::string& folder :
       {project_.ClaudeFolder(), project_.StateRoot(), project_.Vault()}) {
    BELAY_TRY(CheckFolder(folder));
  }
  BELAY_TRY(CheckConfigFile());
  for (const std::string& path : {project_.StateRoot(), project_.Vault(), project_.ConfigFile()}) {
    BELAY_TRY(CheckCanBeMade(path));
  }
  BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(true));
  BELAY_TRY(WriteExclude(exclude));
  BELAY_TRY(MakeFolder(project_.ClaudeFolder(), kSharedFolder, "configuration and state"));
  BELAY_TRY(MakeFolder(project_.Vault(), kPrivateFolder, "belay's memory"));
  if (project_.InRepository()) {
    BELAY_TRY(WriteRootFile());
  }
  BELAY_TRY(MakeFolder(project_.StateRoot(), kPrivateFolder, "what belay shows"));
  return MakeFile(project_.ConfigFile(), kTemplate, kSharedFile, "settings");
}

Result<void> Initialiser::Remove() {
  BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(false));
  BELAY_TRY(RemoveFolder(project_.StateRoot(), "it holds state"));
  BELAY_TRY(RemoveFileIfAsMade(project_.RootFile(), RootText()));
  BELAY_TRY(RemoveFolder(project_.Vault(), "it holds belay's memory of this project"));
  BELAY_TRY(RemoveFileIfAsMade(project_.ConfigFile(), kTemplate));
  BELAY_TRY(RemoveFolder(project_.ClaudeFolder(), "others use it too"));
  if (!exclude) return {};
  if (!OwnFoldersRemain()) return WriteExclude(exclude);
  Note(*project_.ExcludeFile(), "kept", "folders it names are still there");
  return {};
}

// State that belongs to somebody else would be closed to them, or to us.
Result<void> Initialiser::CheckOwner() const {
  BELAY_TRY_ASSIGN(const FileInfo info, files_.Inspect(project_.Root()));
  if (info.ours) return {};
  return Refused(fmt::format("{} belongs to user {}", project_.Root(), info.owner),
                 "run belay as that user");
}

Result<void> Initialiser::CheckFolder(const std::string& path) const {
  const Result<FileInfo> info = files_.Inspect(path);
  if (!info && IsMissing(info.error())) {
    // ENOTDIR too is "missing": then something above it is no folder.
    const std::string parent(ParentPath(path));
    return parent == project_.Root() || files_.Inspect(parent) ? Result<void>()
                                                               : CheckFolder(parent);
  }
  if (!info) return info.error();
  if (info->kind == FileKind::kFolder) return {};
  return Refused(fmt::format("{} is {}, and belay needs a folder there", path,
                             info->kind == FileKind::kLink ? "a link" : "no folder"),
                 "move it away, then run belay init again");
}

// People may keep their settings elsewhere and link them; but something must be there to read.
Result<void> Initialiser::CheckConfigFile() const {
  const std::string path = project_.ConfigFile();
  const Result<FileInfo> info = files_.Inspect(path);
  if (!info && IsMissing(info.error())) return {};
  if (!info) return info.error();
  const Result<std::string> real = files_.Resolve(path);
  const Result<std::string> text = real ? files_.Read(*real, kMostBytes) : real;
  if (text) return {};
  return Refused(fmt::format("{} can't be read as settings: {}", path, text.error().message),
                 "mend it or move it away, then run belay init again");
}

// Whether `path` is there, or the nearest folder above it lets us make it.
Result<void> Initialiser::CheckCanBeMade(const std::string& path) const {
  std::string there = path;
  while (there != "/" && !files_.Inspect(there)) there = std::string(ParentPath(there));
  if (there == path || files_.IsWritable(there)) return {};
  return Error{ErrorCode::kFailed, fmt::format("make {}: {} is not writable", path, there),
               fmt::format("give yourself the right to write in it (chmod u+w), then try again")};
}

// The exclude file with or without our block; nothing when it needs no change.
Result<std::optional<std::string>> Initialiser::ExcludeAfter(bool with_block) const {
  const std::optional<std::string> path = project_.ExcludeFile();
  if (!path) return std::optional<std::string>();
  Result<std::string> old = files_.Read(*path, kMostBytes);
  if (!old && !IsMissing(old.error())) {
    return Error{old.error().code, old.error().message,
                 fmt::format("put these lines into it yourself, or make it a plain file: {}",
                             fmt::join(Layout::OwnPatterns(), " "))};
  }
  const std::string text = old ? *old : std::string();
  const std::vector<std::string> patterns = Layout::OwnPatterns();
  Result<std::string> next =
      with_block ? WithExcludeBlock(text, patterns) : WithoutExcludeBlock(text, patterns);
  if (!next) return std::move(next).error().In(*path);
  if (*next == text) return std::optional<std::string>();
  // It is replaced by a new file beside it, so its folder counts.
  BELAY_TRY(CheckCanBeMade(JoinPath(ParentPath(*path), "exclude.new")));
  return std::optional<std::string>(*std::move(next));
}

Result<void> Initialiser::WriteExclude(const std::optional<std::string>& text) {
  const std::optional<std::string> path = project_.ExcludeFile();
  if (!path) return {};
  Note(*path, text ? "changed" : "unchanged", "what git leaves alone");
  if (dry_run_ || !text) return {};
  BELAY_TRY(EnsureFolder(files_, std::string(ParentPath(*path)), kSharedFolder));
  return ReplaceFile(files_, *path, *text, kSharedFile);
}

Result<void> Initialiser::MakeFolder(const std::string& path, std::uint32_t mode,
                                     std::string_view about) {
  Note(path, Exists(path) ? "unchanged" : "created", about);
  return dry_run_ ? Result<void>() : EnsureFolder(files_, path, mode);
}

Result<void> Initialiser::MakeFile(const std::string& path, std::string_view bytes,
                                   std::uint32_t mode, std::string_view about) {
  const bool there = Exists(path);
  Note(path, there ? "unchanged" : "created", about);
  return dry_run_ || there ? Result<void>() : ReplaceFile(files_, path, bytes, mode);
}

// Brought up to date when the project was moved.
Result<void> Initialiser::WriteRootFile() {
  const Result<std::string> old = files_.Read(project_.RootFile(), kMostBytes);
  const bool same = old && *old == RootText();
  Note(project_.RootFile(), same ? "unchanged" : old ? "changed" : "created", "where the state is");
  return dry_run_ || same ? Result<void>() : ReplaceFile(files_, project_.RootFile(), RootText());
}

Result<void> Initialiser::RemoveFolder(const std::string& path, std::string_view why_kept) {
  if (!Exists(path)) return {};
  if (!IsEmptyFolder(path)) {
    Note(path, "kept", why_kept);
    return {};
  }
  Note(path, "removed");
  gone_.insert(path);
  if (dry_run_) return {};
  BELAY_TRY(files_.RemoveEmptyFolder(path));
  return files_.SyncFolder(std::string(ParentPath(path)));
}

Result<void> Initialiser::RemoveFileIfAsMade(const std::string& path, std::string_view bytes) {
  if (!Exists(path)) return {};
  // The note of where the state is stays as long as there is any.
  if (path == project_.RootFile() && files_.List(project_.Vault())->size() > 1) return {};
  const Result<std::string> text = files_.Read(path, kMostBytes);
  if (!text || *text != bytes) {
    Note(path, "kept", "it was changed since init wrote it");
    return {};
  }
  Note(path, "removed");
  gone_.insert(path);
  return dry_run_ ? Result<void>() : files_.RemoveFile(path);
}

// In a dry run nothing goes, but what would have gone counts as gone. What can't be looked at is
// there.
bool Initialiser::Exists(const std::string& path) const {
  if (gone_.contains(path)) return false;
  const Result<FileInfo> info = files_.Inspect(path);
  return info || !IsMissing(info.error());
}

bool Initialiser::IsEmptyFolder(const std::string& path) const {
  const Result<FileInfo> info = files_.Inspect(path);
  if (!info || info->kind != FileKind::kFolder) return false;
  const Result<std::vector<std::string>> names = files_.List(path);
  return names && std::none_of(names->begin(), names->end(), [&](const std::string& name) {
           return Exists(JoinPath(path, name));
         });
}

bool Initialiser::OwnFoldersRemain() const {
  const std::vector<std::string> folders = project_.OwnFolders();
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return Exists(folder); });
}

std::string Initialiser::RootText() const { return project_.Root() + "\n"; }

void Initialiser::Note(const std::string& path, std::string what, std::string_view about) {
  changes_.push_back(
      {std::string(RelativeTo(project_.Root(), path)), std::move(what), std::string(about)});
}

}  // namespace belay
