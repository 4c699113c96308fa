#include "adapters/claude/hooks_file.h"

#include <fmt/core.h>

#include "adapters/claude/settings.h"
#include "base/path.h"
#include "base/text.h"
#include "store/durable_file.h"
#include "store/rendering.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostSettingsFile = std::size_t{1} << 20U;
constexpr std::uint32_t kSharedFile = 0644;

template <class T>
bool IsMissing(const Result<T>& result) {
  return !result && result.error().code == ErrorCode::kNotFound;
}

Error IsLink(const FileSystem& files, const std::string& path) {
  const Result<std::string> target = files.ReadLink(path);
  const Result<std::string> real = files.Resolve(path);
  return {ErrorCode::kRefused,
          fmt::format("{} is a symbolic link to {}, and belay doesn't edit files through links",
                      path, target ? *target : "somewhere"),
          fmt::format("make it a file of this project (cp --remove-destination {} {}), or use "
                      "belay's plugin for Claude Code instead",
                      ShellQuoted(real ? *real : "TARGET"), ShellQuoted(path))};
}

Error CannotEdit(Error error, const std::string& path) {
  error = std::move(error).In(path);
  error.hint = "nothing was changed; fix the file, then try again";
  return error;
}

}  // namespace

std::string ClaudeSettingsPath(const Layout& project) {
  return JoinPath(project.ClaudeFolder(), "settings.json");
}

Result<std::optional<std::string>> ClaudeHooksFile::ReadFile() const {
  const std::string path = this->path();
  const Result<FileInfo> info = files_.Inspect(path);
  if (IsMissing(info)) return std::optional<std::string>();
  if (!info) return info.error();
  if (info->kind == FileKind::kLink) return IsLink(files_, path);
  if (info->kind != FileKind::kFile) {
    return Error{ErrorCode::kRefused, fmt::format("{} is not a regular file", path),
                 "move it away"};
  }
  BELAY_TRY_ASSIGN(std::string text, files_.Read(path, kMostSettingsFile));
  return std::optional(std::move(text));
}

Result<std::optional<std::string>> ClaudeHooksFile::ReadNote() const {
  Result<std::string> text = files_.Read(note_path(), kMostSettingsFile);
  if (IsMissing(text)) return std::optional<std::string>();
  if (!text) return std::move(text).error();
  return std::optional(*std::move(text));
}

// Replacing a file needs write access only to the folder; but a read-only file was made so on
// purpose, and the new file would belong to us.
Result<void> ClaudeHooksFile::CheckWritable(const HooksPlan& plan) const {
  if (!plan.ChangesFile()) return {};
  const std::string path = this->path();
  if (plan.old_text) {
    BELAY_TRY_ASSIGN(const FileInfo info, files_.Inspect(path));
    if (!info.ours) {
      return Error{ErrorCode::kUsage, fmt::format("{} belongs to user {}", path, info.owner),
                   "run belay as that user, or change the owner with chown"};
    }
    if (!files_.IsWritable(path)) {
      return Error{ErrorCode::kUsage, fmt::format("{} is not writable", path),
                   "make it writable (chmod u+w), then try again"};
    }
  }
  return CheckCanCreate(files_, JoinPath(ParentPath(path), "settings.json.new"));
}

Result<HooksPlan> ClaudeHooksFile::PlanInstall(const HooksWish& wish) const {
  HooksPlan plan{.note_first = true};
  BELAY_TRY_ASSIGN(plan.old_note, ReadNote());
  BELAY_TRY_ASSIGN(plan.old_text, ReadFile());
  const std::string path = this->path();
  Result<ClaudeSettings> settings = ClaudeSettings::Open(plan.old_text.value_or(""));
  if (!settings) return CannotEdit(settings.error(), path);
  FoundBefore before = FoundBefore::Parse(plan.old_note.value_or(""));
  if (settings->OurHooks().empty()) before.no_file = !plan.old_text;
  const Result<void> installed = settings->Install(wish, before);
  if (!installed) return CannotEdit(installed.error(), path);
  plan.text = settings->Text();
  if (before.SaysSomething()) plan.note = before.Text();
  plan.copy = plan.old_text && plan.ChangesFile();
  BELAY_TRY(CheckWritable(plan));
  return plan;
}

Result<HooksPlan> ClaudeHooksFile::PlanRemoval() const {
  HooksPlan plan;
  BELAY_TRY_ASSIGN(plan.old_note, ReadNote());
  BELAY_TRY_ASSIGN(plan.old_text, ReadFile());
  if (!plan.old_text) return plan;
  const std::string path = this->path();
  Result<ClaudeSettings> settings = ClaudeSettings::Open(*plan.old_text);
  if (!settings) return CannotEdit(settings.error(), path);
  Result<std::optional<std::string>> text =
      settings->TakeOut(FoundBefore::Parse(plan.old_note.value_or("")));
  if (!text) return CannotEdit(text.error(), path);
  plan.text = *std::move(text);
  plan.copy = plan.text && plan.ChangesFile();
  BELAY_TRY(CheckWritable(plan));
  return plan;
}

bool ClaudeHooksFile::MayHoldOurs() const {
  const Result<std::string> real = files_.Resolve(path());
  const Result<std::string> text = real ? files_.Read(*real, kMostSettingsFile) : real;
  const Result<std::optional<std::string>> note = ReadNote();
  return !note || *note || (text && text->find("belay") != std::string::npos);
}

Result<std::optional<std::string>> ClaudeHooksFile::CarryOut(const StateLock&,
                                                             const HooksPlan& plan) {
  const std::string path = this->path();
  std::optional<std::string> copy;
  if (plan.copy) {
    BELAY_TRY_ASSIGN(copy, KeepEdited(files_, path, project_.EditedFolder()));
  }
  if (plan.note_first) BELAY_TRY(WriteNote(plan));
  if (plan.ChangesFile() && plan.text)
    BELAY_TRY(ReplaceFile(files_, path, *plan.text, kSharedFile));
  if (plan.ChangesFile() && !plan.text) BELAY_TRY(Remove(path));
  if (!plan.note_first) BELAY_TRY(WriteNote(plan));
  return copy;
}

Result<void> ClaudeHooksFile::WriteNote(const HooksPlan& plan) {
  if (plan.note == plan.old_note) return {};
  const std::string path = note_path();
  return plan.note ? ReplaceFile(files_, path, *plan.note) : Remove(path);
}

Result<void> ClaudeHooksFile::Remove(const std::string& path) {
  const Result<void> removed = files_.RemoveFile(path);
  if (!removed && !IsMissing(removed)) return removed.error();
  return files_.SyncFolder(std::string(ParentPath(path)));
}

}  // namespace belay
