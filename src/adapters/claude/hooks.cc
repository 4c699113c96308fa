#include "adapters/claude/hooks.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/agent/agent_program.h"
#include "adapters/claude/adapter.h"
#include "adapters/claude/events.h"
#include "adapters/claude/sessions.h"
#include "adapters/claude/settings.h"
#include "base/path.h"
#include "base/text.h"
#include "codec/json.h"
#include "store/durable_file.h"
#include "store/rendering.h"
#include "store/vault.h"

namespace belay {
namespace {

std::string LineOf(const Json& answer) { return WriteJson(answer, JsonStyle::kCompact) + "\n"; }

class Hooks final : public AgentHooks {
 public:
  std::optional<EventKind> KindOf(std::string_view event) const override {
    const ClaudeEvent* known = FindClaudeEvent(event);
    return known == nullptr ? std::nullopt : std::optional(known->kind);
  }

  EventReport Digest(EventKind kind, std::string_view input) const override {
    return DigestClaudeHook(kind, input);
  }

  std::optional<FileEdit> ReadEdit(std::string_view input) const override {
    return ReadClaudeEdit(input);
  }

  std::optional<AncestorId> ProgramAbove(std::span<const AncestorId> above,
                                         const Environment& environment) const override {
    return ClaudeAbove(above, environment.Get("CLAUDE_PID"));
  }

  std::optional<std::string> ProjectFolder(const Environment& environment) const override {
    return environment.Get("CLAUDE_PROJECT_DIR");
  }

  // For Stop the text is the reason to go on; for the others it is context.
  std::string GiveText(EventKind kind, const std::string& text) const override {
    if (kind == EventKind::kTurnEnded) {
      return LineOf(MakeObject({{"decision", "block"}, {"reason", text}}));
    }
    return LineOf(MakeObject(
        {{"hookSpecificOutput",
          MakeObject({{"hookEventName", NameOfClaudeEvent(kind)}, {"additionalContext", text}})}}));
  }

  // Versions that don't set CLAUDE_PID silently drop the context of PreToolUse.
  bool CarriesMessages(EventKind kind, const Environment& environment) const override {
    if (kind == EventKind::kToolStarting) return environment.Get("CLAUDE_PID").has_value();
    return kind == EventKind::kToolFinished || kind == EventKind::kPromptSubmitted ||
           kind == EventKind::kTurnEnded;
  }

  std::vector<std::string> SettingsFiles(const Layout& project) const override {
    return {JoinPath(project.ClaudeFolder(), "settings.json"),
            JoinPath(project.ClaudeFolder(), "settings.local.json")};
  }

  std::string Refuse(const std::string& reason) const override {
    return LineOf(
        MakeObject({{"hookSpecificOutput",
                     MakeObject({{"hookEventName", NameOfClaudeEvent(EventKind::kToolStarting)},
                                 {"permissionDecision", "deny"},
                                 {"permissionDecisionReason", reason}})}}));
  }

  Result<HooksWish> Wish(std::string program, Programs& programs) const override {
    return WishForInstalledClaude(std::move(program), programs);
  }

  std::unique_ptr<HooksFile> OpenFile(FileSystem& files, const Layout& project) const override {
    return std::make_unique<ClaudeHooksFile>(files, project);
  }

  std::vector<Check> CheckInstalled(const HookEnv& env) const override { return CheckClaude(env); }

  HookVisibility FindVisibility(const FileSystem& files, const Layout& project,
                                const Identity& identity,
                                const Environment::Variables& environment) const override {
    return FindClaudeHookVisibility(files, project, identity, environment);
  }

  std::string ForWorktree(const FileSystem& files, const Layout& project,
                          const std::string& folder) const override {
    return ClaudeHooksForWorktree(files, project, folder);
  }
};

constexpr std::size_t kMostSettings = std::size_t{4} << 20U;

struct FoundHooks {
  bool hooks = false;
  bool off = false;
};

// belay's own plugin, from any marketplace: {"enabledPlugins": {"belay@NAME": true}}.
bool EnablesPlugin(const std::string& text) {
  const Result<Json> settings = ParseJson(text);
  const Json* plugins = settings ? settings->Find("enabledPlugins") : nullptr;
  if (plugins == nullptr || plugins->AsObject() == nullptr) return false;
  return std::ranges::any_of(*plugins->AsObject(), [](const JsonMember& plugin) {
    return plugin.key.starts_with("belay@") && plugin.value.AsBool() != nullptr &&
           *plugin.value.AsBool();
  });
}

Result<std::string> ReadSettingsText(const FileSystem& files, const std::string& path) {
  const Result<std::string> real = files.Resolve(path);
  return real ? files.Read(*real, kMostSettings) : real;
}

void LookInto(const FileSystem& files, const std::string& path, FoundHooks& found) {
  const Result<std::string> text = ReadSettingsText(files, path);
  const Result<ClaudeSettings> settings = text ? ClaudeSettings::Open(*text) : text.error();
  if (!settings) return;
  found.off = found.off || settings->HooksAreOff();
  found.hooks = found.hooks || !settings->OurHooks().empty() || EnablesPlugin(*text);
}

bool BringsItsOwn(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    return word == "--settings" || word.starts_with("--settings=") || word == "--plugin-dir" ||
           word.starts_with("--plugin-dir=");
  });
}

// With these options Claude Code runs no hooks at all.
bool SwitchesHooksOff(const std::vector<std::string>& command) {
  return std::ranges::any_of(
      command, [](const std::string& word) { return word == "--bare" || word == "--safe-mode"; });
}

// The words of the command, also inside `sh -c 'claude ...'`.
std::vector<std::string> WordsOf(const Identity& identity) {
  const std::optional<ShellInvocation> shell = ReadShellInvocation(identity.command);
  return shell ? shell->words : identity.command;
}

std::vector<ClaudeHook> OursIn(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = ReadSettingsText(files, path);
  const Result<ClaudeSettings> settings = text ? ClaudeSettings::Open(*text) : text.error();
  if (!settings || settings->HooksAreOff()) return {};
  return settings->OurHooks();
}

}  // namespace

const AgentHooks& ClaudeHooks() {
  static const Hooks hooks;
  return hooks;
}

namespace {

// A hook's parent is its shell, or Claude Code itself if the shell replaced itself with the hook.
constexpr std::size_t kNearest = 2;

bool LooksLikeIt(const AncestorId& process) {
  const std::string file = ProgramFileOf(process.pid);
  const std::string_view name = FileName(file);
  return name == "claude" || name == "claude.exe" || name == "node" || name == "bun" ||
         file.find("/claude/versions/") != std::string::npos;
}

}  // namespace

std::optional<AncestorId> ClaudeAbove(std::span<const AncestorId> above,
                                      const std::optional<std::string>& claim) {
  if (!claim) {
    const auto near = above.first(std::min(above.size(), kNearest));
    const auto found = std::ranges::find_if(near, LooksLikeIt);
    return found != near.end() ? std::optional(*found) : std::nullopt;
  }
  const auto pid = ParseNumber<pid_t>(*claim);
  if (!pid) return std::nullopt;
  const auto found = std::ranges::find(above, *pid, &AncestorId::pid);
  return found != above.end() ? std::optional(*found) : std::nullopt;
}

HookVisibility FindClaudeHookVisibility(const FileSystem& files, const Layout& project,
                                        const Identity& identity,
                                        const Environment::Variables& environment) {
  const std::vector<std::string> words = WordsOf(identity);
  const std::string worktree = WorkFolderOf(identity.command, identity.worktree_path);
  std::vector<std::string> paths = {JoinPath(worktree, ".claude/settings.json"),
                                    JoinPath(worktree, ".claude/settings.local.json"),
                                    "/etc/claude-code/managed-settings.json"};
  const std::string config = ClaudeConfigFolder(environment, worktree);
  if (!config.empty()) paths.push_back(JoinPath(config, "settings.json"));
  FoundHooks found;
  for (const std::string& path : paths) LookInto(files, path, found);
  if (found.off || SwitchesHooksOff(words)) return HookVisibility::kNone;
  if (found.hooks) return HookVisibility::kInstalled;
  const bool elsewhere = !ClaudeHooksForWorktree(files, project, worktree).empty();
  const bool given = ClaudeAdapter().TakesSettings(identity.command);
  if (elsewhere && given) return HookVisibility::kInstalled;
  if (BringsItsOwn(words)) return HookVisibility::kUnknown;
  return elsewhere ? HookVisibility::kNotGiven : HookVisibility::kNone;
}

std::string ClaudeHooksForWorktree(const FileSystem& files, const Layout& project,
                                   const std::string& folder) {
  if (folder == project.Root()) return {};
  const std::vector<ClaudeHook> wanted = OursIn(files, ClaudeSettingsPath(project));
  if (wanted.empty()) return {};
  for (const char* name : {".claude/settings.json", ".claude/settings.local.json"}) {
    if (!OursIn(files, JoinPath(folder, name)).empty()) return {};
  }
  HooksWish wish{wanted.front().command.program, {}};
  for (const ClaudeHook& hook : wanted) {
    if (std::ranges::find(wish.events, hook.event) == wish.events.end()) {
      wish.events.push_back(hook.event);
    }
  }
  Result<ClaudeSettings> settings = ClaudeSettings::Open("");
  FoundBefore nothing;
  if (!settings || !settings->Install(wish, nothing)) return {};
  return settings->Text();
}

namespace {

constexpr std::size_t kMostSettingsFile = std::size_t{1} << 20U;
constexpr std::uint32_t kSharedFile = 0644;

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
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(files_.Inspect(path)));
  if (!info) return std::optional<std::string>();
  if (info->kind == FileKind::kLink) return IsLink(files_, path);
  if (info->kind != FileKind::kFile) {
    return Error{ErrorCode::kRefused, fmt::format("{} is not a regular file", path),
                 "move it away"};
  }
  BELAY_TRY_ASSIGN(std::string text, files_.Read(path, kMostSettingsFile));
  return std::optional(std::move(text));
}

Result<std::optional<std::string>> ClaudeHooksFile::ReadNote() const {
  return IfThere(files_.Read(note_path(), kMostSettingsFile));
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
