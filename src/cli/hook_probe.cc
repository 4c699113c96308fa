#include "cli/hook_probe.h"

#include <fmt/core.h>

#include <chrono>

#include "base/utf8.h"
#include "codec/json.h"

namespace belay {
namespace {

constexpr auto kLimit = std::chrono::seconds(5);
constexpr const char* kName = "claude hooks called";
constexpr const char* kEvent = "PreToolUse";

std::string Event(const Layout& project) {
  return WriteJson(MakeObject({{"session_id", "belay-doctor"},
                               {"transcript_path", ""},
                               {"cwd", project.Root()},
                               {"hook_event_name", kEvent},
                               {"tool_name", "Bash"},
                               {"tool_input", MakeObject({{"command", "true"}})},
                               {"tool_use_id", "belay-doctor"}}));
}

Check Broken(std::string found) {
  return {kName, Verdict::kBroken, std::move(found), "belay doesn't hear what Claude Code does",
          "belay init --agent claude puts this belay's path in; try the command by hand"};
}

Check Judge(const std::string& command, const ProgramResult& result, std::int64_t milliseconds) {
  if (result.exit_code != 0) {
    return Broken(
        fmt::format("{} ends with exit code {}: {}", command, result.exit_code, Quote(result.err)));
  }
  const bool silent = result.out.find_first_not_of(" \t\r\n") == std::string::npos;
  const Result<Json> answer = ParseJson(result.out);
  if (!silent && (!answer || answer->AsObject() == nullptr)) {
    return Broken(fmt::format("{} prints {}, which is no JSON object", command, Quote(result.out)));
  }
  if (silent || WriteJson(*answer) != kProbeAnswer) {
    return {kName, Verdict::kLacking, fmt::format("{} answers, but not as belay does", command),
            "it may be another program, or a belay too old to tell",
            "belay init --agent claude puts this belay's path in"};
  }
  return {kName, Verdict::kFine, fmt::format("{} answers in {} ms", command, milliseconds)};
}

}  // namespace

Check ProbeHook(const std::string& program, const Layout& project, const Services& services) {
  const std::string command = fmt::format("{} event {}", program, kEvent);
  Environment::Variables variables = services.environment.variables();
  variables.insert_or_assign(kProbeVariable, std::string("1"));
  variables["CLAUDE_PROJECT_DIR"] = project.Root();
  const MonotonicTime start = services.clock.Monotonic();
  const Result<ProgramResult> result = services.programs.Run({.command = {"sh", "-c", command},
                                                              .limit = kLimit,
                                                              .folder = project.Root(),
                                                              .environment = variables,
                                                              .input = InputOf(Event(project))});
  if (!result) return Broken(fmt::format("{}: {}", command, result.error().message));
  const auto taken = services.clock.Monotonic() - start;
  return Judge(command, *result, std::chrono::ceil<std::chrono::milliseconds>(taken).count());
}

}  // namespace belay
