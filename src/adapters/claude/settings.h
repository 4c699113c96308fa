// belay's hooks in the text of a settings file of Claude Code: put in, mended, taken out. Whatever
// else is in the file stays byte for byte and in order (codec/json_edit.h); doing the same again
// changes nothing.
//
//   {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
//     {"type": "command", "command": "'/usr/bin/belay' event PreToolUse", "timeout": 10}]}]}}
//
// Which hooks are ours is said below. One that a person changed (another matcher,
// another time limit) is left as it is, only its path is kept right.
//
// To give back the very bytes from before, removal has to know what can't be told from the text:
// whether an empty list was there or was made for our hook. That is FoundBefore.

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

// The command of a hook of ours, as it stands in a settings file: '/usr/bin/belay' event Stop
//
// Ours is a command whose first word, as a shell reads it, names a file called `belay`, wherever
// that is, followed by `event`, a name made of letters, and nothing else. However it came there: by
// belay init, by an older belay elsewhere, or written by a person. Anything more on the line (a
// pipe, a redirection, another argument) makes it somebody else's.

struct HookCommand {
  std::string word;     // the first one, as it is spelled
  std::string rest;     // what is spelled behind it
  std::string program;  // the first word as the shell reads it; what begins with $ is left as it is
  std::string event;
  // A person wrote it so: found in PATH, or through a variable. Its path isn't ours to change.
  bool by_hand = false;
};

// Nothing when it isn't ours.
std::optional<HookCommand> ReadHookCommand(std::string_view command);

std::string WriteHookCommand(std::string_view program, std::string_view event);

struct ClaudeHook {
  std::string event;  // under which it stands, which should be the one that it names
  HookCommand command;
};

// The file before the first of our hooks was put in.
struct FoundBefore {
  bool no_file = false;
  std::optional<std::string> blank = {};  // it held nothing but this white space
  std::vector<std::string> empty = {};    // "hooks", and the events whose list was there and empty

  bool SaysSomething() const { return no_file || blank || !empty.empty(); }
  bool operator==(const FoundBefore&) const = default;

  std::string Text() const;
  static FoundBefore Parse(std::string_view text);  // of anything else: it says nothing
};

class ClaudeSettings {
 public:
  // An empty text, or one of white space, counts as {}. What isn't JSON, or is no object, is
  // kDamaged, with line and column.
  static Result<ClaudeSettings> Open(std::string_view text);

  std::string Text() const { return editor_.Text(); }

  std::vector<ClaudeHook> OurHooks() const;
  std::vector<std::string> Events() const;  // all that are named, whosever the hooks are
  bool HooksAreOff() const;                 // "disableAllHooks"

  // `before` is what is known already, and is brought up to date; when none of ours is here, only
  // its `no_file` counts. A part of the wrong type where
  // our hooks have to go is kDamaged, with line and column; then the text is of no use any more.
  Result<void> Install(const HooksWish& wish, FoundBefore& before);
  // All of ours, and the lists that are empty then unless they were so before. Gives the text of
  // the file after that; nothing when there should be none.
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
  Result<void> MendPaths(const std::string& program);
  Result<void> Add(const std::string& program, const std::string& event, FoundBefore& before);

  JsonEditor editor_;
  std::optional<std::string> blank_;  // the whole text, if it was white space
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_SETTINGS_H_
