#include "app/project_setup.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "app/state_files.h"
#include "app/version.h"
#include "base/path.h"
#include "base/text.h"
#include "codec/json.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostExclude = std::size_t{1} << 20U;
constexpr std::uint32_t kSharedMode = 0644;

constexpr std::string_view kBegin = "# belay: begin (belay init --remove takes this block out)\n";
// The text before the block didn't end with a line end.
constexpr std::string_view kBeginUnended =
    "# belay: begin (belay init --remove takes out this block and the line end before it)\n";
constexpr std::string_view kBeginMark = "# belay: begin";
constexpr std::string_view kEnd = "# belay: end\n";
constexpr std::string_view kEndMark = "# belay: end";

struct Span {
  std::size_t start;
  std::size_t end;
};

// Offset of the first line at or after `from` that starts with `mark`.
std::size_t FindLine(std::string_view text, std::string_view mark, std::size_t from) {
  for (std::size_t at = text.find(mark, from); at != std::string_view::npos;
       at = text.find(mark, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

Result<std::optional<Span>> FindBlock(std::string_view text) {
  const Error damaged{ErrorCode::kDamaged, "its \"# belay:\" lines don't form one block",
                      "remove those lines by hand, then try again"};
  const std::size_t start = FindLine(text, kBeginMark, 0);
  const std::size_t end_line = FindLine(text, kEndMark, 0);
  if (start == std::string_view::npos && end_line == std::string_view::npos) {
    return std::optional<Span>();
  }
  const bool in_order = start < end_line && end_line != std::string_view::npos;
  if (!in_order || FindLine(text, kBeginMark, start + 1) != std::string_view::npos ||
      FindLine(text, kEndMark, end_line + 1) != std::string_view::npos) {
    return damaged;
  }
  const std::size_t newline = text.find('\n', end_line);
  return std::optional<Span>(
      {start, newline == std::string_view::npos ? text.size() : newline + 1});
}

// The lines of a block that belay didn't write, each with its line end.
std::string ForeignLines(std::string_view block, const std::vector<std::string>& patterns) {
  std::string foreign;
  for (const std::string_view line : Split(block, '\n')) {
    const bool ours = line.empty() || line.starts_with(kBeginMark) || line.starts_with(kEndMark) ||
                      std::find(patterns.begin(), patterns.end(), line) != patterns.end();
    if (!ours) foreign.append(line).push_back('\n');
  }
  return foreign;
}

// What stands before the block, without the line end that was added for it. It stays if something
// was added behind the block: the line before must still end there.
std::string_view TextBefore(std::string_view text, const Span& block) {
  const bool added = text.substr(block.start).starts_with(kBeginUnended);
  const bool is_last = block.end == text.size();
  return text.substr(0, added && is_last && block.start > 0 ? block.start - 1 : block.start);
}

std::string BlockOf(const std::vector<std::string>& patterns, bool ends_line) {
  std::string block(ends_line ? kBegin : kBeginUnended);
  for (const std::string& pattern : patterns) block += pattern + "\n";
  return block.append(kEnd);
}

constexpr std::string_view kTemplateHead =
    R"(# Settings of belay for this project. Every key has a default;
# `belay config show` prints the values in force, `belay config check` finds mistakes.
#
)";
constexpr std::string_view kTemplateTail =
    R"(#   strategy: rebase          # rebase | squash | merge
#   slots: 2
#   gates:
#     - name: test
#       run: "make test"
#       timeout: 10m
#       retries: 1
)";
constexpr std::string_view kTemplateTarget = "merge:\n  target: ";

}  // namespace

Result<void> ProjectSetup::SetUp() {
  return RetryIfGone([&] { return SetUpOnce(); });
}

Result<void> ProjectSetup::Inspect() const {
  BELAY_TRY(CheckCanSetUp(files_, project_));
  BELAY_TRY(CheckConfigFile());
  BELAY_TRY(ExcludeAfter(true));
  BELAY_TRY(ProjectLedger(files_, clock_, project_).InspectRendering());
  if (wanted_ != nullptr) BELAY_TRY(wanted_->file->PlanInstall(hooks_wish_));
  return {};
}

Result<void> ProjectSetup::SetUpOnce() {
  BELAY_TRY(Inspect());
  BELAY_TRY(MakeFolder(project_.ClaudeFolder(), kSharedFolder, "configuration and state"));
  BELAY_TRY(MakeFolder(project_.Vault(), kPrivateFolder, "belay's memory"));
  if (dry_run_) return Make(std::nullopt);
  BELAY_TRY_ASSIGN(std::optional<ProjectLock> lock, ProjectLedger::Lock(files_, project_));
  // Another belay, perhaps a newer one, may have changed the project while we waited.
  BELAY_TRY(Inspect());
  BELAY_TRY(RemoveLeftovers());
  return Make(lock);
}

Result<void> ProjectSetup::Make(const std::optional<ProjectLock>& lock) {
  BELAY_TRY(MakeFile(project_.FormatFile(), VaultFormatText(), kPrivateFile, "its version"));
  BELAY_TRY(MakeExclude());
  if (project_.InRepository()) {
    BELAY_TRY(
        MakeFile(project_.RootFile(), project_.Root() + "\n", kPrivateFile, "where the state is"));
  }
  BELAY_TRY_ASSIGN(const bool news, RecordSetUp(lock));
  BELAY_TRY(ShowState(lock, news));
  BELAY_TRY(MakeConfigFile());
  return wanted_ != nullptr ? MakeHooks(lock) : Result<void>();
}

// Once the file exists, it belongs to the user.
Result<void> ProjectSetup::MakeConfigFile() {
  const std::string path = project_.ConfigFile();
  if (!Exists(path)) return MakeFile(path, SettingsTemplate(target_), kSharedMode, "settings");
  Note(path, "unchanged", "settings");
  return dry_run_ ? Result<void>() : files_.SyncFolder(project_.ClaudeFolder());
}

// Users may keep their settings elsewhere and link them; but the link must lead to a readable file.
Result<void> ProjectSetup::CheckConfigFile() const {
  const std::string path = project_.ConfigFile();
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(files_.Inspect(path)));
  if (!info) return CheckCanCreate(files_, path);
  const Result<std::string> real = files_.Resolve(path);
  const Result<std::string> text = real ? files_.Read(*real, kMostExclude) : real;
  if (text) return {};
  // A dangling link still exists; a file that was removed just now doesn't.
  if (IsMissing(text) && !Exists(path)) return text.error();
  return Error{ErrorCode::kRefused,
               fmt::format("{} is not a valid settings file: {}", path, text.error().message),
               "fix it or move it away, then run belay init again"};
}

// The exclude file with or without our block; nothing when it needs no change.
Result<std::optional<std::string>> ProjectSetup::ExcludeAfter(bool with_block) const {
  const std::optional<std::string> path = project_.ExcludeFile();
  if (!path) return std::optional<std::string>();
  BELAY_TRY(CheckIsFolder(files_, std::string(ParentPath(*path))));
  Result<std::string> old = files_.Read(*path, kMostExclude);
  if (!old && !IsMissing(old)) {
    return Error{old.error().code, old.error().message,
                 fmt::format("add these lines to it yourself, or make it a regular file: {}",
                             fmt::join(Layout::OwnPatterns(), " "))};
  }
  const std::string text = old ? *old : std::string();
  const std::vector<std::string> patterns = Layout::OwnPatterns();
  Result<std::string> next =
      with_block ? WithExcludeBlock(text, patterns) : WithoutExcludeBlock(text, patterns);
  if (!next) return std::move(next).error().In(*path);
  if (*next == text) return std::optional<std::string>();
  // It is replaced by a new file beside it, so its folder must be writable.
  BELAY_TRY(CheckCanCreate(files_, JoinPath(ParentPath(*path), "exclude.new")));
  return std::optional<std::string>(*std::move(next));
}

Result<void> ProjectSetup::MakeFolder(const std::string& path, std::uint32_t mode,
                                      std::string_view about) {
  Note(path, Exists(path) ? "unchanged" : "created", about);
  return dry_run_ ? Result<void>() : EnsureFolder(files_, path, mode);
}

// Also updates it: the project may have been moved. A file that is already right is made durable
// too: the process that wrote it may have been killed before the sync.
Result<void> ProjectSetup::MakeFile(const std::string& path, std::string_view bytes,
                                    std::uint32_t mode, std::string_view about) {
  const Result<std::string> old = files_.Read(path, kMostExclude);
  const bool same = old && *old == bytes;
  Note(path, same ? "unchanged" : old ? "changed" : "created", about);
  if (dry_run_) return {};
  if (same) return files_.SyncFolder(std::string(ParentPath(path)));
  return ReplaceFile(files_, path, bytes, mode);
}

Result<void> ProjectSetup::MakeExclude() {
  const std::optional<std::string> path = project_.ExcludeFile();
  if (!path) return {};
  BELAY_TRY_ASSIGN(const std::optional<std::string> text, ExcludeAfter(true));
  Note(*path, text ? "changed" : "unchanged", "what git ignores");
  if (dry_run_) return {};
  return text ? WriteExclude(*text) : files_.SyncFolder(std::string(ParentPath(*path)));
}

Result<void> ProjectSetup::WriteExclude(const std::string& text) {
  const std::string path = *project_.ExcludeFile();
  BELAY_TRY(EnsureFolder(files_, std::string(ParentPath(path)), kSharedFolder));
  return ReplaceFile(files_, path, text, kSharedMode);
}

// Whether there is something to record.
Result<bool> ProjectSetup::RecordSetUp(const std::optional<ProjectLock>& lock) {
  BELAY_TRY_ASSIGN(const ProjectState state, ledger_.Load());
  const bool same = state.IsAt(project_.Root());
  Note(project_.JournalFile(kProjectJournal),
       same                  ? "unchanged"
       : state.initialised() ? "changed"
                             : "created",
       "what happened here");
  if (lock) BELAY_TRY(ledger_.RecordSetUp(*lock, kBelayVersion));
  return !same;
}

// In a dry run nothing new is recorded yet, so the file still agrees with the journal.
Result<void> ProjectSetup::ShowState(const std::optional<ProjectLock>& lock, bool news) {
  BELAY_TRY(MakeFolder(project_.StateRoot(), kPrivateFolder, "what belay shows"));
  const std::string path = project_.JournalRendering(kProjectJournal);
  BELAY_TRY_ASSIGN(const RenderingState before, ledger_.InspectRendering());
  Note(path,
       before == RenderingState::kMissing            ? "created"
       : before == RenderingState::kCurrent && !news ? "unchanged"
                                                     : "changed",
       "the project, for scripts");
  if (!lock) return {};
  BELAY_TRY_ASSIGN(const Rendered rendered, ledger_.RenderNoting(*lock));
  if (rendered.kept_as) {
    remarks_.push_back(fmt::format("{} was edited by hand; belay keeps the edited file in {}",
                                   RelativeTo(project_.Root(), path), *rendered.kept_as));
  }
  return {};
}

// What can't be inspected counts as existing.
bool ProjectSetup::Exists(const std::string& path) const {
  if (gone_.contains(path)) return false;
  const Result<FileInfo> info = files_.Inspect(path);
  return !IsMissing(info);
}

// When a step is retried, what the first try made still counts as made.
void ProjectSetup::Note(const std::string& path, std::string what, std::string_view about) {
  InitChange change = {std::string(RelativeTo(project_.Root(), path)), std::move(what),
                       std::string(about)};
  const auto old = std::ranges::find(changes_, change.path, &InitChange::path);
  if (old == changes_.end()) {
    changes_.push_back(std::move(change));
  } else if (change.what != "unchanged") {
    *old = std::move(change);
  }
}

std::string SettingsTemplate(std::string_view target) {
  std::string text(kTemplateHead);
  if (target.empty()) {
    text += "# merge:\n#   target: main\n";
  } else {
    text += kTemplateTarget;
    AppendJson(Json(target), text);
    text += "\n";
  }
  return text.append(kTemplateTail);
}

bool IsSettingsTemplate(std::string_view text) {
  if (text == SettingsTemplate("")) return true;
  const std::string start = std::string(kTemplateHead).append(kTemplateTarget);
  if (!text.starts_with(start)) return false;
  const std::string_view rest = text.substr(start.size());
  const Result<Json> target = ParseJson(rest.substr(0, rest.find('\n')));
  const std::string* const name = target ? target->AsString() : nullptr;
  return name != nullptr && text == SettingsTemplate(*name);
}

Result<std::string> WithExcludeBlock(std::string_view text,
                                     const std::vector<std::string>& patterns) {
  BELAY_TRY_ASSIGN(const std::optional<Span> old, FindBlock(text));
  if (!old) {
    const bool ends_line = text.empty() || text.ends_with('\n');
    return std::string(text).append(ends_line ? "" : "\n").append(BlockOf(patterns, ends_line));
  }
  const std::string_view block = text.substr(old->start, old->end - old->start);
  return std::string(text.substr(0, old->start))
      .append(BlockOf(patterns, !block.starts_with(kBeginUnended)))
      .append(ForeignLines(block, patterns))
      .append(text.substr(old->end));
}

Result<std::string> WithoutExcludeBlock(std::string_view text,
                                        const std::vector<std::string>& patterns) {
  BELAY_TRY_ASSIGN(const std::optional<Span> old, FindBlock(text));
  if (!old) return std::string(text);
  const std::string foreign =
      ForeignLines(text.substr(old->start, old->end - old->start), patterns);
  return std::string(foreign.empty() ? TextBefore(text, *old) : text.substr(0, old->start))
      .append(foreign)
      .append(text.substr(old->end));
}

}  // namespace belay
