// belay's hooks in ROOT/.claude/settings.json, as steps of belay init: looking says what would be
// done, and changes nothing.
//
// The file is other people's, so it is looked at with care. A link isn't followed: it may lead to
// settings of every project. A file that isn't ours or isn't writable is left alone, and so is what
// can't be parsed; each is an error that says what to do.
//
// Putting in: a copy of the file as it was goes into the vault (Layout::EditedFolder), then what
// has to be known to take our hooks out again without a trace (Layout::ClaudeSettingsBefore), then
// the file is replaced. Taking out: a copy, the file, and at last that knowledge. A kill between
// any two leaves what the next run completes. A file that holds nothing but ours needs no copy.

#ifndef BELAY_CLI_CLAUDE_HOOKS_FILE_H_
#define BELAY_CLI_CLAUDE_HOOKS_FILE_H_

#include <optional>
#include <string>

#include "adapters/claude/settings.h"
#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

struct HooksPlan {
  std::optional<std::string> old_text = {};  // nothing: there is no file
  std::optional<std::string> text = {};      // nothing: there shall be none
  std::optional<std::string> old_note = {};  // the text of FoundBefore; nothing: no file
  std::optional<std::string> note = {};
  bool note_first = false;  // before the file is replaced
  bool copy = false;        // keep old_text

  bool ChangesFile() const { return text != old_text; }
  bool Changes() const { return ChangesFile() || note != old_note; }
  std::string_view What() const;  // "created", "changed", "removed" or "unchanged"
};

class ClaudeHooksFile {
 public:
  ClaudeHooksFile(FileSystem& files, const Layout& project) : files_(files), project_(project) {}

  Result<HooksPlan> PlanInstall(const ClaudeHooksWish& wish) const;
  Result<HooksPlan> PlanRemoval() const;
  // Whether a file that can't be understood might hold something of ours all the same.
  bool MayHoldOurs() const;

  // Gives the path of the copy, if one was to be kept.
  Result<std::optional<std::string>> CarryOut(const StateLock& project_lock, const HooksPlan& plan);

 private:
  Result<std::optional<std::string>> ReadFile() const;
  Result<std::optional<std::string>> ReadNote() const;
  Result<void> CheckWritable(const HooksPlan& plan) const;
  Result<void> WriteNote(const HooksPlan& plan);
  Result<void> Remove(const std::string& path);

  FileSystem& files_;
  const Layout& project_;
};

}  // namespace belay

#endif  // BELAY_CLI_CLAUDE_HOOKS_FILE_H_
