// Installs, repairs and removes belay's hooks in the text of a Claude Code settings file.
// Everything else in the file stays byte for byte and in order (codec/json_edit.h); a second run
// changes nothing.
//
//   {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
//     {"type": "command", "command": "'/usr/bin/belay' event PreToolUse", "timeout": 10}]}]}}
//
// Which hooks are ours is defined below. A hook that the user changed (another matcher, another
// time limit) is left alone, except that its path is kept up to date.
//
// To restore the exact bytes from before, removal needs facts that the text doesn't show: whether
// an empty list was there before or was made for our hook. FoundBefore holds them.

#ifndef BELAY_ADAPTERS_CLAUDE_SETTINGS_H_
#define BELAY_ADAPTERS_CLAUDE_SETTINGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_hooks.h"
#include "base/result.h"
#include "codec/json_edit.h"

namespace belay {

// The command of one of our hooks in a settings file: '/usr/bin/belay' event Stop
//
// A command is ours if its first word, as a shell reads it, names a file called `belay` in any
// folder, followed by `event`, a name made of letters, and nothing else. It doesn't matter who
// wrote it: belay init, an older belay elsewhere, or the user. With anything more on the line (a
// pipe, a redirection, another argument) it is not ours.

struct HookCommand {
  std::string word;     // the first one, as spelled
  std::string rest;     // everything after it, as spelled
  std::string program;  // the first word as the shell reads it; a leading $ is not expanded
  std::string event;
  // The user wrote it: found in PATH, or through a variable. We don't change its path.
  bool by_hand = false;
};

// Nullopt when it isn't ours.
std::optional<HookCommand> ReadHookCommand(std::string_view command);

std::string WriteHookCommand(std::string_view program, std::string_view event);

struct ClaudeHook {
  std::string event;  // the key that it is listed under; should equal the event in the command
  HookCommand command;
};

// The state of the file before our first hook was installed.
struct FoundBefore {
  bool no_file = false;
  std::optional<std::string> blank = {};  // it held only this white space
  std::vector<std::string> empty = {};    // "hooks", and the events whose list was there and empty

  bool SaysSomething() const { return no_file || blank || !empty.empty(); }
  bool operator==(const FoundBefore&) const = default;

  std::string Text() const;
  static FoundBefore Parse(std::string_view text);  // default values for any other text
};

class ClaudeSettings {
 public:
  // An empty text, or one of white space, counts as {}. Text that isn't a JSON object is kDamaged,
  // with line and column.
  static Result<ClaudeSettings> Open(std::string_view text);

  std::string Text() const { return editor_.Text(); }

  std::vector<ClaudeHook> OurHooks() const;
  std::vector<std::string> Events() const;  // all event names, also of hooks that aren't ours
  bool HooksAreOff() const;                 // "disableAllHooks"

  // `before` is what is known already, and is updated; when none of our hooks is here, only its
  // `no_file` counts. A part of the wrong type where our hooks belong is kDamaged, with line and
  // column; then the text must not be used any more.
  Result<void> Install(const HooksWish& wish, FoundBefore& before);
  // Removes all our hooks, and the lists that become empty unless they were empty before. Returns
  // the new text of the file; nullopt when the file should be removed.
  Result<std::optional<std::string>> TakeOut(const FoundBefore& before);

 private:
  struct Found {
    ClaudeHook hook;
    JsonPlace place;
  };

  ClaudeSettings(JsonEditor editor, std::optional<std::string> blank)
      : editor_(std::move(editor)), blank_(std::move(blank)) {}

  Error Wrong(const JsonPlace& place, std::string_view what, std::string_view wanted) const;
  std::vector<Found> FindOurs() const;
  Result<void> TakeOutIf(const FoundBefore& before, const std::vector<std::string>* only);
  Result<void> TakeOutOne(const Found& found, const FoundBefore& before);
  Result<void> RemoveIfEmpty(const JsonPlace& place, std::string_view name,
                             const FoundBefore& before);
  Result<void> FixPaths(const std::string& program);
  Result<void> Add(const std::string& program, const std::string& event, FoundBefore& before);

  JsonEditor editor_;
  std::optional<std::string> blank_;  // the whole text, if it was only white space
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_SETTINGS_H_
