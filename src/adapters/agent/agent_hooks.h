// The hooks of an agent program: which events call them, their input, their answers, and how they
// are installed in the program's settings. An adapter without hooks has none of this.
//
// The first five are on the hook path (`belay event`): they read no files except in /proc.

#ifndef BELAY_ADAPTERS_AGENT_AGENT_HOOKS_H_
#define BELAY_ADAPTERS_AGENT_AGENT_HOOKS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/health_check.h"
#include "base/result.h"
#include "model/agent_event.h"
#include "model/identity.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/file_system.h"
#include "os/process_tree.h"
#include "os/program.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// belay's hooks in a settings file of an agent program, as steps of belay init: planning reports
// what would be done, and changes nothing.
//
// The file belongs to the user, so it is handled with care. A symbolic link isn't followed: it may
// lead to settings shared by all projects. A file that isn't ours, isn't writable or can't be
// parsed is left alone; each case is an error with a hint.
//
// Installing: a copy of the file goes into the vault (Layout::EditedFolder), then a note with what
// is needed to remove our hooks without a trace (note_path), then the file is replaced. Removing: a
// copy, the file, and finally the note. After a kill between any two steps the next run completes
// them. A file that holds only our hooks needs no copy.

struct HooksWish {
  std::string program;                     // belay: absolute, UTF-8, its name is `belay`
  std::vector<std::string> events;         // one hook for each, by the agent program's names
  std::vector<std::string> unwanted = {};  // events from which our hooks are removed
  std::string remark = {};                 // for the user
};

struct HooksPlan {
  std::optional<std::string> old_text = {};  // nullopt: there is no file
  std::optional<std::string> text = {};      // nullopt: the file is removed
  // the note about the file as it was before; nullopt: no note
  std::optional<std::string> old_note = {};
  std::optional<std::string> note = {};
  bool note_first = false;  // write the note before the file is replaced
  bool copy = false;        // keep old_text

  bool ChangesFile() const { return text != old_text; }
  bool Changes() const { return ChangesFile() || note != old_note; }
  std::string_view What() const;  // "created", "changed", "removed" or "unchanged"
};

class HooksFile {
 public:
  virtual ~HooksFile() = default;

  virtual std::string path() const = 0;
  virtual std::string note_path() const = 0;
  virtual Result<HooksPlan> PlanInstall(const HooksWish& wish) const = 0;
  virtual Result<HooksPlan> PlanRemoval() const = 0;
  // Whether a file that can't be parsed might still hold our hooks.
  virtual bool MayHoldOurs() const = 0;
  // Returns the path of the copy, if one was kept.
  virtual Result<std::optional<std::string>> CarryOut(const StateLock& project_lock,
                                                      const HooksPlan& plan) = 0;
};

// Set to 1, it makes `belay event` print kProbeAnswer and record nothing.
constexpr const char* kProbeVariable = "BELAY_EVENT_PROBE";
constexpr std::string_view kProbeAnswer = R"({"belay":"probe"})";

// Whether an agent will run belay's hooks, judged by the settings that it will read.
enum class HookVisibility {
  kNotAsked,   // its kind has no hooks
  kInstalled,  // in the settings of its worktree, its user or the machine, or given with its
               // command
  kUnknown,    // its command brings settings or plugins of its own
  kNotGiven,   // only the main worktree has them, and its command takes no settings
  kNone,       // nowhere, or they are switched off
};

struct HookEnv {
  const FileSystem& files;
  Programs& programs;
  const Clock& clock;
  const Environment& environment;
  const Layout& project;
};

// What a tool call would write, as far as its input shows it.
struct FileEdit {
  struct Replacement {
    std::string old_text;
    std::string new_text;
    bool all = false;
  };
  std::string path = {};
  std::optional<std::string> content = {};  // of the whole file
  std::vector<Replacement> replacements = {};
  std::string command = {};  // of a shell; then nothing else is set
};

class AgentHooks {
 public:
  virtual ~AgentHooks() = default;

  // The kind of an event by the program's name for it; nullopt: belay has no such hook.
  virtual std::optional<EventKind> KindOf(std::string_view event) const = 0;
  // The input of a hook, or of a status line for kStatusShown. Unknown members are ignored.
  virtual EventReport Digest(EventKind kind, std::string_view input) const = 0;
  // The edit in the input of a tool call; nothing for a tool that doesn't write. Parses the whole
  // input: only for calls that may matter.
  virtual std::optional<FileEdit> ReadEdit(std::string_view input) const = 0;
  // The program whose hook this is: one of the processes above it. The hook's environment names the
  // project.
  virtual std::optional<AncestorId> ProgramAbove(std::span<const AncestorId> above,
                                                 const Environment& environment) const = 0;
  virtual std::optional<std::string> ProjectFolder(const Environment& environment) const = 0;

  // The answer of a hook that passes a text to the model; at the end of a turn it makes the model
  // go on.
  virtual std::string GiveText(EventKind kind, const std::string& text) const = 0;
  // Whether such an answer reaches the model while it works.
  virtual bool CarriesMessages(EventKind kind, const Environment& environment) const = 0;
  // The files in the project that decide which hooks run.
  virtual std::vector<std::string> SettingsFiles(const Layout& project) const = 0;
  // The answer that refuses a tool call, with the reason for the model.
  virtual std::string Refuse(const std::string& reason) const = 0;

  // The hooks that the installed program supports, for a belay at this path. A program too old to
  // be supported is kRefused.
  virtual Result<HooksWish> Wish(std::string program, Programs& programs) const = 0;
  virtual std::unique_ptr<HooksFile> OpenFile(FileSystem& files, const Layout& project) const = 0;
  // Whether the hooks are installed, are read, and are called. The commands in the settings are run
  // as the program runs them, with kProbeVariable. Empty if there is neither a program nor one of
  // our hooks.
  virtual std::vector<Check> CheckInstalled(const HookEnv& env) const = 0;
  // `environment` is the agent's.
  virtual HookVisibility FindVisibility(const FileSystem& files, const Layout& project,
                                        const Identity& identity,
                                        const Environment::Variables& environment) const = 0;
  // The content of a settings file with belay's hooks for an agent in a linked worktree, or in a
  // folder below one; empty when it needs none: it works in the main worktree, its own settings
  // have belay's hooks, or none are installed.
  virtual std::string ForWorktree(const FileSystem& files, const Layout& project,
                                  const std::string& folder) const = 0;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_AGENT_HOOKS_H_
