#include "cli/doctor_claude.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "adapters/claude/settings.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/claude_wish.h"
#include "cli/hook_probe.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr const char* kHooks = "claude hooks";
constexpr const char* kInstall = "belay init --agent claude";

// The settings as Claude Code reads them, which follows links. No file counts as an empty one.
Result<ClaudeSettings> ReadSettings(const Layout& project, const FileSystem& files) {
  const std::string path = project.ClaudeSettings();
  const Result<std::string> real = files.Resolve(path);
  if (!real && real.error().code == ErrorCode::kNotFound) return ClaudeSettings::Open("");
  if (!real) return real.error();
  BELAY_TRY_ASSIGN(const std::string text, files.Read(*real, kMostBytes));
  Result<ClaudeSettings> settings = ClaudeSettings::Open(text);
  if (!settings) return std::move(settings).error().In(RelativeTo(project.Root(), path));
  return settings;
}

Check CheckProgram(const Result<ClaudeVersion>& version) {
  const std::string cost =
      "which events it knows can't be told, so the later ones aren't asked for";
  if (!version)
    return {"claude", Verdict::kLacking, version.error().message, cost, "put it into PATH"};
  if (*version >= kOldestClaude) return {"claude", Verdict::kFine, version->text()};
  return {"claude", Verdict::kLacking,
          fmt::format("{}, older than {}", version->text(), kOldestClaude.text()),
          "it may ignore belay's hooks", "update it: claude update"};
}

bool IsOurEvent(const std::vector<ClaudeHook>& hooks, std::string_view event) {
  return std::ranges::find(hooks, event, &ClaudeHook::event) != hooks.end();
}

// An event that makes the whole file count for nothing.
std::optional<Check> FatalEvent(const ClaudeSettings& settings, const std::vector<ClaudeHook>& ours,
                                const ClaudeVersion& version) {
  for (const std::string& event : settings.Events()) {
    if (!IsFatalEvent(event, version)) continue;
    return Check{kHooks,
                 Verdict::kBroken,
                 fmt::format("the settings name the event {}, which Claude Code {} doesn't know",
                             Quote(event), version.text()),
                 "it ignores the whole file without a word, permission rules included",
                 IsOurEvent(ours, event)
                     ? fmt::format("{}, which takes out its own; or update Claude Code", kInstall)
                     : "take it out of .claude/settings.json, or update Claude Code",
                 ErrorCode::kUsage};
  }
  return std::nullopt;
}

std::optional<Check> GoneProgram(const std::vector<ClaudeHook>& ours, const FileSystem& files) {
  for (const ClaudeHook& hook : ours) {
    if (hook.command.by_hand || files.Resolve(hook.command.program)) continue;
    return Check{kHooks, Verdict::kBroken,
                 fmt::format("they call {}, which isn't there", hook.command.program),
                 "belay doesn't hear what Claude Code does, which complains at every step",
                 fmt::format("{} puts this belay's path in", kInstall)};
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
  const std::string cost = "belay doesn't hear what Claude Code does here";
  if (ours.empty()) {
    return {kHooks, Verdict::kLacking, "none", cost,
            fmt::format("{}, unless you use belay's plugin", kInstall)};
  }
  if (const auto gone = GoneProgram(ours, files)) return *gone;
  if (settings.HooksAreOff()) {
    return {kHooks, Verdict::kLacking, "switched off: disableAllHooks in .claude/settings.json",
            cost, "take disableAllHooks out"};
  }
  const std::vector<std::string> missing = MissingEvents(ours, version);
  if (!missing.empty()) {
    return {kHooks, Verdict::kLacking, fmt::format("missing: {}", fmt::join(missing, ", ")),
            "belay doesn't hear of these",
            fmt::format("{} adds what this Claude Code knows", kInstall)};
  }
  return {kHooks, Verdict::kFine,
          fmt::format("{}, calling {}", ours.size(), ours[0].command.program)};
}

// Each program that is named, once.
std::vector<Check> CheckCalls(const Layout& project, const std::vector<ClaudeHook>& ours,
                              const Services& services) {
  std::vector<Check> checks;
  std::vector<std::string> asked;
  for (const ClaudeHook& hook : ours) {
    if (std::ranges::find(asked, hook.command.word) != asked.end()) continue;
    asked.push_back(hook.command.word);
    checks.push_back(ProbeHook(hook.command.word, project, services));
  }
  return checks;
}

}  // namespace

std::vector<Check> CheckClaude(const Layout& project, const Services& services) {
  const Result<ClaudeVersion> version = AskClaudeVersion(services.programs);
  const Result<ClaudeSettings> settings = ReadSettings(project, services.files);
  const bool no_program = !version && version.error().code == ErrorCode::kNotFound;
  if (no_program && settings && settings->OurHooks().empty()) return {};
  std::vector<Check> checks = {CheckProgram(version)};
  if (!settings) {
    checks.push_back({kHooks, Verdict::kBroken, settings.error().message,
                      "Claude Code can't read it either, and belay can't add its hooks",
                      "mend the file", settings.error().code});
    return checks;
  }
  checks.push_back(CheckInstalled(*settings, version, services.files));
  for (Check& check : CheckCalls(project, settings->OurHooks(), services)) {
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace belay
