#include "merge/guard_hook.h"

#include <fmt/core.h>

#include <optional>

#include "base/path.h"
#include "base/split.h"
#include "base/utf8.h"
#include "codec/shell_quote.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::string_view kName = "reference-transaction";
constexpr std::string_view kAside = "reference-transaction.before-belay";
constexpr std::uint32_t kScriptMode = 0755;
constexpr std::size_t kMostScript = std::size_t{1} << 20U;

constexpr std::string_view kStart =
    "#!/bin/sh\n"
    "# By belay merge-queue protect: asks belay before a protected branch moves.\n";
constexpr std::string_view kRepository = "# repository: ";

// PPID is git, which calls this.
constexpr std::string_view kRest = R"sh(before=$0.before-belay
if [ "$1" != prepared ]; then
  [ -x "$before" ] && exec "$before" "$@"
  exit 0
fi
[ -x "$belay" ] || belay=belay
if [ -x "$before" ]; then
  lines=$(cat; echo .)
  lines=${lines%.}
  printf %s "$lines" | "$before" "$@" || exit $?
fi
if ! command -v "$belay" >/dev/null; then
  echo "belay isn't there, so nothing guards this repository's branches: see $0" >&2
  exit 0
fi
if [ -x "$before" ]; then
  printf %s "$lines" | "$belay" ref-guard --no-color "$PPID"
else
  "$belay" ref-guard --no-color "$PPID"
fi
[ $? -ne 4 ]
)sh";

std::string PathOf(const GuardHook& hook) { return JoinPath(hook.folder, kName); }
std::string AsideOf(const GuardHook& hook) { return JoinPath(hook.folder, kAside); }

// Nothing when there is none.
Result<std::optional<FileInfo>> Look(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> info = files.Inspect(path);
  if (info) return std::optional<FileInfo>(*info);
  if (info.error().code == ErrorCode::kNotFound) return std::optional<FileInfo>();
  return info.error();
}

// What is there now.
struct Found {
  std::optional<FileInfo> info = {};
  std::string text = {};
  bool ours = false;
  bool aside = false;

  std::set<std::string> Repositories() const {
    std::set<std::string> names;
    if (!ours) return names;
    for (const std::string_view line : Split(text, '\n')) {
      if (line.starts_with(kRepository)) names.emplace(line.substr(kRepository.size()));
    }
    return names;
  }
};

Result<Found> LookAround(const FileSystem& files, const GuardHook& hook) {
  Found found;
  BELAY_TRY_ASSIGN(found.info, Look(files, PathOf(hook)));
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> aside, Look(files, AsideOf(hook)));
  found.aside = aside.has_value();
  if (!found.info || found.info->kind != FileKind::kFile || found.info->bytes > kMostScript) {
    return found;
  }
  BELAY_TRY_ASSIGN(found.text, files.Read(PathOf(hook), kMostScript));
  found.ours = found.text.starts_with(kStart);
  return found;
}

Result<void> MoveAside(FileSystem& files, const GuardHook& hook, const Found& found) {
  if (found.info->kind != FileKind::kFile && found.info->kind != FileKind::kLink) {
    return Error{ErrorCode::kRefused, fmt::format("{} is no file", PathOf(hook)), "move it away"};
  }
  if (found.aside) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} was replaced, and {} is still there", PathOf(hook), kAside),
                 "keep one of the two under the first name, move the other away, then try again"};
  }
  BELAY_TRY(files.RenameNew(PathOf(hook), AsideOf(hook)));
  return files.SyncFolder(hook.folder);
}

Result<void> WriteScript(FileSystem& files, const GuardHook& hook,
                         const std::set<std::string>& repositories) {
  BELAY_TRY(
      ReplaceFile(files, PathOf(hook), GuardHookText(hook.program, repositories), kScriptMode));
  BELAY_TRY_ASSIGN(const FileInfo info, files.Inspect(PathOf(hook)));
  if (info.IsExecutable()) return {};
  BELAY_TRY_ASSIGN(File file, files.OpenForReading(PathOf(hook)));
  return file.SetMode(kScriptMode);
}

}  // namespace

std::string GuardHookText(std::string_view program, const std::set<std::string>& repositories) {
  std::string text(kStart);
  text += "# A guard rail, not a wall. belay merge-queue unprotect takes it out again.\n";
  for (const std::string& repository : repositories) {
    text += fmt::format("{}{}\n", kRepository, repository);
  }
  text += fmt::format("belay={}\n", ShellQuoted(program));
  return text += kRest;
}

Result<HookChange> InstallGuardHook(FileSystem& files, const GuardHook& hook) {
  if (hook.repository.find('\n') != std::string::npos) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} has a line break in its name", Quote(hook.repository))};
  }
  BELAY_TRY(EnsureFolder(files, hook.folder, kSharedFolder));
  BELAY_TRY(RemoveLeftoversOf(files, PathOf(hook)));
  BELAY_TRY_ASSIGN(const Found found, LookAround(files, hook));
  std::set<std::string> repositories = found.Repositories();
  repositories.insert(hook.repository);
  const bool same = found.ours && found.info->IsExecutable() &&
                    found.text == GuardHookText(hook.program, repositories);
  if (same) return HookChange::kUnchanged;
  if (found.info && !found.ours) BELAY_TRY(MoveAside(files, hook, found));
  BELAY_TRY(WriteScript(files, hook, repositories));
  const bool chained = found.aside || (found.info && !found.ours);
  return chained ? HookChange::kChained : HookChange::kInstalled;
}

Result<HookChange> RemoveGuardHook(FileSystem& files, const GuardHook& hook) {
  BELAY_TRY(RemoveLeftoversOf(files, PathOf(hook)));
  BELAY_TRY_ASSIGN(const Found found, LookAround(files, hook));
  if (found.info && !found.ours) {
    return found.aside ? HookChange::kLeft : HookChange::kUnchanged;
  }
  if (!found.info && !found.aside) return HookChange::kUnchanged;
  std::set<std::string> others = found.Repositories();
  others.erase(hook.repository);
  if (!others.empty()) {
    BELAY_TRY(WriteScript(files, hook, others));
    return HookChange::kLeft;
  }
  if (found.aside) {
    BELAY_TRY(files.Rename(AsideOf(hook), PathOf(hook)));
  } else {
    BELAY_TRY(files.RemoveFile(PathOf(hook)));
  }
  BELAY_TRY(files.SyncFolder(hook.folder));
  return found.aside ? HookChange::kPutBack : HookChange::kRemoved;
}

Result<bool> IsGuardHookInForce(const FileSystem& files, const GuardHook& hook) {
  BELAY_TRY_ASSIGN(const Found found, LookAround(files, hook));
  return found.ours && found.info->IsExecutable() && found.Repositories().contains(hook.repository);
}

}  // namespace belay
