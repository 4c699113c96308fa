// Which hooks belay init has to put in: for which belay, and for the events that the installed
// Claude Code knows (adapters/claude/events.h says why that matters).

#ifndef BELAY_CLI_CLAUDE_WISH_H_
#define BELAY_CLI_CLAUDE_WISH_H_

#include <optional>
#include <string>

#include "adapters/claude/events.h"
#include "adapters/claude/settings.h"
#include "base/result.h"
#include "cli/services.h"

namespace belay {

// The events for a version; without one, those that every supported version knows.
std::vector<std::string> EventsFor(const std::optional<ClaudeVersion>& version);

// Where hooks will find this belay: as PATH has it, if that leads here, since that name outlives an
// update. One that isn't called `belay`, or whose path JSON can't say, is kRefused: its hooks
// couldn't be recognised or called.
Result<std::string> OwnProgram(const Services& services);

struct ClaudeWish {
  ClaudeHooksWish hooks;
  std::string remark = {};  // what a person should know
};

// A Claude Code that is too old to be supported is kRefused.
Result<ClaudeWish> WishForInstalledClaude(const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_CLAUDE_WISH_H_
