#include "cli/claude_wish.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/find_program.h"

namespace belay {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

std::vector<std::string> EventsSince(const ClaudeVersion& version) {
  std::vector<std::string> names;
  for (const ClaudeEvent& event : ClaudeEvents()) {
    if (event.since > version) names.emplace_back(event.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> EventsFor(const std::optional<ClaudeVersion>& version) {
  std::vector<std::string> names;
  for (const ClaudeEvent& event : ClaudeEvents()) {
    if (event.since <= version.value_or(kOldestClaude)) names.emplace_back(event.name);
  }
  return names;
}

Result<std::string> OwnProgram(const Services& services) {
  BELAY_TRY_ASSIGN(std::string here, services.files.Resolve(kThisProgram));
  const Result<std::string> named =
      FindProgram(services.files, services.environment, services.current_folder, "belay");
  const Result<std::string> real = named ? services.files.Resolve(*named) : named;
  if (real && *real == here) here = *named;
  if (FileName(here) != "belay") {
    return Error{ErrorCode::kRefused, fmt::format("this program is called {}", Quote(here)),
                 "hooks of belay's are recognised by its name: call it belay, then try again"};
  }
  if (FindInvalidUtf8(here) != std::string_view::npos) {
    return Error{ErrorCode::kRefused,
                 fmt::format("the path of belay can't be written as JSON: {}", Quote(here)),
                 "put belay into a folder whose path is UTF-8"};
  }
  return here;
}

Result<ClaudeWish> WishForInstalledClaude(const Services& services) {
  ClaudeWish wish;
  BELAY_TRY_ASSIGN(wish.hooks.program, OwnProgram(services));
  const Result<ClaudeVersion> version = AskClaudeVersion(services.programs);
  if (!version) {
    wish.hooks.events = EventsFor(std::nullopt);
    wish.remark = fmt::format(
        "The version of Claude Code can't be told ({}), so only the events that every version "
        "since "
        "{} knows are asked for; run belay init --agent claude again when it is in PATH.",
        version.error().message, kOldestClaude.text());
    return wish;
  }
  if (*version < kOldestClaude) {
    return Error{ErrorCode::kRefused,
                 fmt::format("Claude Code {} is older than {}, the oldest that belay supports",
                             version->text(), kOldestClaude.text()),
                 "update it: claude update"};
  }
  wish.hooks.events = EventsFor(*version);
  wish.hooks.unwanted = EventsSince(*version);
  if (!wish.hooks.unwanted.empty()) {
    wish.remark = fmt::format(
        "Claude Code {} doesn't know all events; run belay init --agent claude again when it was "
        "updated.",
        version->text());
  }
  return wish;
}

}  // namespace belay
