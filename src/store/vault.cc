#include "store/vault.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "store/timeline.h"

namespace belay {
namespace {

constexpr std::size_t kLongestFormat = 32;

Error Wrong(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<void> CheckKind(const std::string& path, const FileInfo& info) {
  if (info.kind == FileKind::kFolder) return {};
  return Wrong(fmt::format("{} is {}; belay needs a folder there", path,
                           info.kind == FileKind::kLink ? "a link" : "not a folder"),
               "move it away, then run belay init");
}

Result<void> CheckOwner(const std::string& path, const FileInfo& info) {
  if (info.ours) return {};
  return Wrong(fmt::format("{} belongs to user {}", path, info.owner),
               "run belay as that user, or give the folder back: chown");
}

Result<void> CheckMount(const FileSystem& files, const std::string& path, VaultUse use) {
  BELAY_TRY_ASSIGN(const MountInfo mount, files.InspectMount(path));
  if (mount.network) {
    return Wrong(fmt::format("{} is on a disk shared over the network ({})", path, mount.type),
                 "keep the repository on a local disk: locks don't work across machines");
  }
  if (use == VaultUse::kWrite && mount.read_only) {
    return Wrong(fmt::format("{} is on a read-only disk", path), "mount it writable");
  }
  return {};
}

Result<void> CheckWritable(const FileSystem& files, const std::string& path) {
  if (files.IsWritable(path)) return {};
  // It may have just been removed.
  const Result<FileInfo> info = files.Inspect(path);
  if (IsMissing(info)) return info.error();
  return Wrong(fmt::format("{} is not writable", path),
               "make it writable (chmod u+w), then try again");
}

// Whether it and its content can be read. Root always can.
Result<void> CheckReadable(const FileSystem& files, const std::string& path) {
  const Result<std::vector<std::string>> names = files.List(path);
  const Result<FileInfo> inside = files.Inspect(JoinPath(path, "."));
  if (names && inside) return {};
  const Error& error = names ? inside.error() : names.error();
  if (error.code == ErrorCode::kNotFound) return error;
  return Wrong(error.message, fmt::format("make it readable: chmod u+rwx {}", path));
}

// Missing is fine: it is created when it is needed.
Result<void> CheckPart(const FileSystem& files, const std::string& path, FileKind kind) {
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(files.Inspect(path)));
  if (!info) return {};
  const bool folder = kind == FileKind::kFolder;
  if (info->kind != kind) {
    return Error{ErrorCode::kDamaged,
                 fmt::format("{} is not a {}", path, folder ? "folder" : "file"),
                 "move it away, then run belay init"};
  }
  return folder ? CheckReadable(files, path) : Result<void>();
}

// Readers need neither the lock nor the path of the root.
Result<void> CheckParts(const FileSystem& files, const Layout& project, VaultUse use) {
  for (const std::string& path :
       {project.JournalFolder(), project.LockFolder(), project.EditedFolder()}) {
    BELAY_TRY(CheckPart(files, path, FileKind::kFolder));
    const bool there = files.Inspect(path).ok();
    if (there && use == VaultUse::kWrite) BELAY_TRY(CheckWritable(files, path));
  }
  if (use == VaultUse::kRead) return {};
  const std::string lock = project.LockFile(kProjectJournal);
  BELAY_TRY(CheckPart(files, project.RootFile(), FileKind::kFile));
  BELAY_TRY(CheckPart(files, lock, FileKind::kFile));
  return files.Inspect(lock) ? CheckWritable(files, lock) : Result<void>();
}

// As belay writes it, digit for digit: anything else may be a format that this belay doesn't know.
std::optional<std::uint64_t> VersionIn(std::string_view text) {
  std::uint64_t version = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), version);
  const bool as_written = version > 0 && text == fmt::format("{}\n", version);
  return as_written ? std::optional(version) : std::nullopt;
}

Error NewerVault(const Layout& project, std::uint64_t version) {
  return {ErrorCode::kDamaged,
          fmt::format("{}: written by a newer belay (version {} of the vault, this one knows {})",
                      project.Vault(), version, kVaultVersion),
          "use that version of belay, or a newer one"};
}

std::string WriteFormatHint(const std::string& path) {
  return fmt::format("if this version of belay made the vault: echo {} > {}", kVaultVersion,
                     ShellQuoted(path));
}

// A vault that is being made or removed has no format and no journal.
Result<void> CheckHoldsNothing(const FileSystem& files, const Layout& project) {
  const Result<std::vector<std::string>> names = JournalNames(files, project.JournalFolder());
  if (!names || names->empty()) return {};
  return Error{ErrorCode::kDamaged,
               fmt::format("{} is missing, and the vault holds records", project.FormatFile()),
               WriteFormatHint(project.FormatFile())};
}

}  // namespace

Result<void> CheckIsFolder(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> info = files.Inspect(path);
  return info ? CheckKind(path, *info) : Result<void>();
}

// The format file in the vault decides, not what is written beside it.
Result<void> CheckFormat(const FileSystem& files, const Layout& project) {
  const std::string path = project.FormatFile();
  const Result<std::string> text = files.Read(path, kLongestFormat);
  if (IsMissing(text)) return CheckHoldsNothing(files, project);
  if (!text && text.error().code == ErrorCode::kFailed) return text.error();
  const std::optional<std::uint64_t> version = text ? VersionIn(*text) : std::nullopt;
  if (version && *version <= kVaultVersion) return {};
  if (version) return NewerVault(project, *version);
  return Error{ErrorCode::kDamaged,
               fmt::format("{} doesn't contain a version: {}", path,
                           text ? Quote(*text) : text.error().message),
               WriteFormatHint(path)};
}

Result<void> CheckNotNewer(const FileSystem& files, const Layout& project) {
  const Result<std::string> text = files.Read(project.FormatFile(), kLongestFormat);
  const std::uint64_t version = text ? VersionIn(*text).value_or(0) : 0;
  return version > kVaultVersion ? NewerVault(project, version) : Result<void>();
}

std::string VaultFormatText() { return fmt::format("{}\n", kVaultVersion); }

Result<void> CheckOwnFolder(const FileSystem& files, const std::string& path, VaultUse use) {
  BELAY_TRY_ASSIGN(const FileInfo info, files.Inspect(path));
  BELAY_TRY(CheckKind(path, info));
  BELAY_TRY(CheckOwner(path, info));
  BELAY_TRY(CheckMount(files, path, use));
  if (use == VaultUse::kWrite) BELAY_TRY(CheckWritable(files, path));
  return CheckReadable(files, path);
}

Result<void> CheckCanCreate(const FileSystem& files, const std::string& path) {
  std::string there = path;
  while (there != "/" && !files.Inspect(there)) there = std::string(ParentPath(there));
  BELAY_TRY_ASSIGN(const FileInfo info, files.Inspect(there));
  BELAY_TRY(CheckKind(there, info));
  BELAY_TRY(CheckMount(files, there, VaultUse::kWrite));
  return CheckWritable(files, there);
}

Result<void> CheckCanSetUp(const FileSystem& files, const Layout& project) {
  BELAY_TRY_ASSIGN(const FileInfo root, files.Inspect(project.Root()));
  BELAY_TRY(CheckOwner(project.Root(), root));
  // Shared with other programs, but a link would redirect our state.
  BELAY_TRY(CheckIsFolder(files, project.ClaudeFolder()));
  for (const std::string& path : {project.StateRoot(), project.Vault()}) {
    Result<void> folder = CheckOwnFolder(files, path, VaultUse::kWrite);
    if (!folder && !IsMissing(folder)) return folder;
    if (!folder) BELAY_TRY(CheckCanCreate(files, path));
  }
  BELAY_TRY(CheckParts(files, project, VaultUse::kWrite));
  return CheckFormat(files, project);
}

Result<void> CheckVault(const FileSystem& files, const Layout& project, VaultUse use) {
  const Result<void> vault = CheckOwnFolder(files, project.Vault(), use);
  if (IsMissing(vault)) {
    return Error{ErrorCode::kNotFound, fmt::format("belay isn't set up in {}", project.Root()),
                 "run belay init"};
  }
  BELAY_TRY(vault);
  BELAY_TRY(CheckParts(files, project, use));
  return CheckFormat(files, project);
}

}  // namespace belay
