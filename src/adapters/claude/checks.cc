#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "adapters/claude/events.h"
#include "adapters/claude/hooks.h"
#include "adapters/claude/settings.h"
#include "base/path.h"
#include "base/utf8.h"
#include "codec/json.h"

namespace belay {
namespace {

constexpr std::size_t kMostClaudeSettings = std::size_t{1} << 20U;
constexpr const char* kHooksCheck = "claude hooks";
constexpr const char* kInstall = "belay init --agent claude";

// The settings as Claude Code reads them: it follows links. A missing file counts as empty.
Result<ClaudeSettings> ReadSettings(const Layout& project, const FileSystem& files) {
  const std::string path = ClaudeSettingsPath(project);
  BELAY_TRY_ASSIGN(const std::optional<std::string> real, IfThere(files.Resolve(path)));
  if (!real) return ClaudeSettings::Open("");
  BELAY_TRY_ASSIGN(const std::string text, files.Read(*real, kMostClaudeSettings));
  Result<ClaudeSettings> settings = ClaudeSettings::Open(text);
  if (!settings) return std::move(settings).error().In(RelativeTo(project.Root(), path));
  return settings;
}

Check CheckProgram(const Result<ClaudeVersion>& version) {
  const std::string cost = "its version is unknown, so hooks for newer events aren't installed";
  if (!version)
    return {"claude", Verdict::kLacking, version.error().message, cost, "add it to PATH"};
  if (*version >= kOldestClaude) return {"claude", Verdict::kFine, version->text()};
  return {"claude", Verdict::kLacking,
          fmt::format("{}, older than {}", version->text(), kOldestClaude.text()),
          "it may ignore belay's hooks", "update it: claude update"};
}

bool IsOurEvent(const std::vector<ClaudeHook>& hooks, std::string_view event) {
  return std::ranges::find(hooks, event, &ClaudeHook::event) != hooks.end();
}

// An event that makes Claude Code ignore the whole file.
std::optional<Check> FatalEvent(const ClaudeSettings& settings, const std::vector<ClaudeHook>& ours,
                                const ClaudeVersion& version) {
  for (const std::string& event : settings.Events()) {
    if (!IsFatalEvent(event, version)) continue;
    return Check{kHooksCheck,
                 Verdict::kBroken,
                 fmt::format("the settings name the event {}, which is unknown to Claude Code {}",
                             Quote(event), version.text()),
                 "it silently ignores the whole file, permission rules included",
                 IsOurEvent(ours, event)
                     ? fmt::format("{} removes belay's own hook; or update Claude Code", kInstall)
                     : "remove it from .claude/settings.json, or update Claude Code",
                 ErrorCode::kUsage};
  }
  return std::nullopt;
}

std::optional<Check> GoneProgram(const std::vector<ClaudeHook>& ours, const FileSystem& files) {
  for (const ClaudeHook& hook : ours) {
    if (hook.command.by_hand || files.Resolve(hook.command.program)) continue;
    return Check{kHooksCheck, Verdict::kBroken,
                 fmt::format("they call {}, which doesn't exist", hook.command.program),
                 "belay gets no events from Claude Code, which reports an error at every step",
                 fmt::format("{} sets this belay's path", kInstall)};
  }
  return std::nullopt;
}

std::vector<std::string> MissingEvents(const std::vector<ClaudeHook>& ours,
                                       const Result<ClaudeVersion>& version) {
  std::vector<std::string> missing = EventsFor(version ? std::optional(*version) : std::nullopt);
  std::erase_if(missing, [&](const std::string& event) {
    return std::ranges::any_of(ours, [&](const ClaudeHook& hook) {
      return hook.event == event && hook.command.event == event;
    });
  });
  return missing;
}

Check CheckInstalled(const ClaudeSettings& settings, const Result<ClaudeVersion>& version,
                     const FileSystem& files) {
  const std::vector<ClaudeHook> ours = settings.OurHooks();
  if (version) {
    if (const auto fatal = FatalEvent(settings, ours, *version)) return *fatal;
  }
  const std::string cost = "belay gets no events from Claude Code in this project";
  if (ours.empty()) {
    return {kHooksCheck, Verdict::kLacking, "none", cost,
            fmt::format("run {}, unless you use belay's plugin", kInstall)};
  }
  if (const auto gone = GoneProgram(ours, files)) return *gone;
  if (settings.HooksAreOff()) {
    return {kHooksCheck, Verdict::kLacking, "disabled: disableAllHooks in .claude/settings.json",
            cost, "remove disableAllHooks"};
  }
  const std::vector<std::string> missing = MissingEvents(ours, version);
  if (!missing.empty()) {
    return {kHooksCheck, Verdict::kLacking, fmt::format("missing: {}", fmt::join(missing, ", ")),
            "belay doesn't get these events",
            fmt::format("{} adds those that this Claude Code supports", kInstall)};
  }
  return {kHooksCheck, Verdict::kFine,
          fmt::format("{}, calling {}", ours.size(), ours[0].command.program)};
}

// Checks each program in the hook commands once.
std::vector<Check> CheckCalls(const std::vector<ClaudeHook>& ours, const HookEnv& env) {
  std::vector<Check> checks;
  std::vector<std::string> asked;
  for (const ClaudeHook& hook : ours) {
    if (std::ranges::find(asked, hook.command.word) != asked.end()) continue;
    asked.push_back(hook.command.word);
    checks.push_back(ProbeHook(hook.command.word, env));
  }
  return checks;
}

}  // namespace

std::vector<Check> CheckClaude(const HookEnv& env) {
  const Result<ClaudeVersion> version = AskClaudeVersion(env.programs);
  const Result<ClaudeSettings> settings = ReadSettings(env.project, env.files);
  const bool no_program = IsMissing(version);
  if (no_program && settings && settings->OurHooks().empty()) return {};
  std::vector<Check> checks = {CheckProgram(version)};
  if (!settings) {
    checks.push_back({kHooksCheck, Verdict::kBroken, settings.error().message,
                      "Claude Code can't read it either, and belay can't add its hooks",
                      "fix the file", settings.error().code});
    return checks;
  }
  checks.push_back(CheckInstalled(*settings, version, env.files));
  for (Check& check : CheckCalls(settings->OurHooks(), env)) {
    checks.push_back(std::move(check));
  }
  return checks;
}

namespace {

constexpr auto kProbeLimit = std::chrono::seconds(5);
constexpr const char* kProbeCheck = "claude hooks called";
constexpr const char* kProbeEvent = "PreToolUse";

std::string ProbeInput(const std::string& root) {
  return WriteJson(MakeObject({{"session_id", "belay-doctor"},
                               {"transcript_path", ""},
                               {"cwd", root},
                               {"hook_event_name", kProbeEvent},
                               {"tool_name", "Bash"},
                               {"tool_input", MakeObject({{"command", "true"}})},
                               {"tool_use_id", "belay-doctor"}}));
}

Check Broken(std::string found) {
  return {kProbeCheck, Verdict::kBroken, std::move(found), "belay gets no events from Claude Code",
          "belay init --agent claude sets this belay's path; try the command by hand"};
}

Check JudgeProbe(const std::string& command, const ProgramResult& result,
                 std::int64_t milliseconds) {
  if (result.exit_code != 0) {
    return Broken(
        fmt::format("{} exits with code {}: {}", command, result.exit_code, Quote(result.err)));
  }
  const bool silent = result.out.find_first_not_of(" \t\r\n") == std::string::npos;
  const Result<Json> answer = ParseJson(result.out);
  if (!silent && (!answer || answer->AsObject() == nullptr)) {
    return Broken(
        fmt::format("{} prints {}, which isn't a JSON object", command, Quote(result.out)));
  }
  if (silent || WriteJson(*answer) != kProbeAnswer) {
    return {kProbeCheck, Verdict::kLacking, fmt::format("{} answers, but not like belay", command),
            "it may be another program, or an old belay without this check",
            "belay init --agent claude sets this belay's path"};
  }
  return {kProbeCheck, Verdict::kFine, fmt::format("{} answers in {} ms", command, milliseconds)};
}

}  // namespace

Check ProbeHook(const std::string& program, const HookEnv& env) {
  const std::string command = fmt::format("{} event {}", program, kProbeEvent);
  const std::string root = env.project.Root();
  Environment::Variables variables = env.environment.variables();
  variables.insert_or_assign(kProbeVariable, std::string("1"));
  variables["CLAUDE_PROJECT_DIR"] = root;
  const MonotonicTime start = env.clock.Monotonic();
  const Result<ProgramResult> result = env.programs.Run({.command = {"sh", "-c", command},
                                                         .limit = kProbeLimit,
                                                         .folder = root,
                                                         .environment = variables,
                                                         .input = InputOf(ProbeInput(root))});
  if (!result) return Broken(fmt::format("{}: {}", command, result.error().message));
  const auto taken = env.clock.Monotonic() - start;
  return JudgeProbe(command, *result, std::chrono::ceil<std::chrono::milliseconds>(taken).count());
}

}  // namespace belay
