// The hooks of an agent program: what they are called for, what they are given, how they answer,
// and how they are put into the program's settings. An adapter without hooks has none of this.
//
// The first four are on the hook path (`belay event`): they read no file but those of /proc.

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

// belay's hooks in a settings file of an agent program, as steps of belay init: looking says what
// would be done, and changes nothing.
//
// The file is other people's, so it is looked at with care. A link isn't followed: it may lead to
// settings of every project. A file that isn't ours or isn't writable is left alone, and so is what
// can't be parsed; each is an error that says what to do.
//
// Putting in: a copy of the file as it was goes into the vault (Layout::EditedFolder), then what
// has to be known to take our hooks out again without a trace (note_path), then the file is
// replaced. Taking out: a copy, the file, and at last that knowledge. A kill between any two leaves
// what the next run completes. A file that holds nothing but ours needs no copy.

struct HooksWish {
  std::string program;                     // belay: absolute, UTF-8, its name is `belay`
  std::vector<std::string> events;         // a hook for each, as the agent program names them
  std::vector<std::string> unwanted = {};  // ours have to go from these
  std::string remark = {};                 // what a person should know
};

struct HooksPlan {
  std::optional<std::string> old_text = {};  // nothing: there is no file
  std::optional<std::string> text = {};      // nothing: there shall be none
  std::optional<std::string> old_note = {};  // what is known of the file before; nothing: no file
  std::optional<std::string> note = {};
  bool note_first = false;  // before the file is replaced
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
  // Whether a file that can't be understood might hold something of ours all the same.
  virtual bool MayHoldOurs() const = 0;
  // Gives the path of the copy, if one was to be kept.
  virtual Result<std::optional<std::string>> CarryOut(const StateLock& project_lock,
                                                      const HooksPlan& plan) = 0;
};

// Set to 1, it makes `belay event` print kProbeAnswer and record nothing.
constexpr const char* kProbeVariable = "BELAY_EVENT_PROBE";
constexpr std::string_view kProbeAnswer = R"({"belay":"probe"})";

// Whether an agent will run belay's hooks, by the settings that it will read.
enum class HookSight {
  kNotAsked,   // its kind has no hooks
  kInstalled,  // in the settings of its worktree, its user or the machine, or given with its
               // command
  kUnknown,    // its command brings settings or plugins of its own
  kNotGiven,   // only the main worktree has them, and its command takes no settings of belay's
  kNone,       // nowhere, or they are switched off
};

struct HookDoors {
  const FileSystem& files;
  Programs& programs;
  const Clock& clock;
  const Environment& environment;
  const Layout& project;
};

class AgentHooks {
 public:
  virtual ~AgentHooks() = default;

  // What a name of the program's means; nothing: belay has no hook of that name.
  virtual std::optional<EventKind> KindOf(std::string_view event) const = 0;
  // What a hook was given, or for kStatusShown a status line. Unknown members are ignored.
  virtual EventReport Digest(EventKind kind, std::string_view input) const = 0;
  // Whose hook it is: of the processes above it, and the project by the hook's environment.
  virtual std::optional<ProcessAbove> ProgramAbove(std::span<const ProcessAbove> above,
                                                   const Environment& environment) const = 0;
  virtual std::optional<std::string> ProjectFolder(const Environment& environment) const = 0;

  // The answer of a hook that gives the model a text; at the end of a turn it makes it go on.
  virtual std::string GiveText(EventKind kind, const std::string& text) const = 0;
  // Whether such an answer reaches the model while it works.
  virtual bool CarriesMessages(EventKind kind, const Environment& environment) const = 0;
  // The answer that refuses a tool call, with the reason for the model.
  virtual std::string Refuse(const std::string& reason) const = 0;

  // Which hooks the installed program can have, for a belay at this path. One that is too old to be
  // supported is kRefused.
  virtual Result<HooksWish> Wish(std::string program, Programs& programs) const = 0;
  virtual std::unique_ptr<HooksFile> OpenFile(FileSystem& files, const Layout& project) const = 0;
  // Whether the hooks are there, are read, and are called. The commands in the settings are run as
  // the program runs them, with kProbeVariable. Nothing without a program and a hook of ours.
  virtual std::vector<Check> CheckInstalled(const HookDoors& doors) const = 0;
  // `environment`: that the agent has.
  virtual HookSight FindSight(const FileSystem& files, const Layout& project,
                              const Identity& identity,
                              const Environment::Variables& environment) const = 0;
  // The content of a settings file with belay's hooks for an agent that works in a linked worktree,
  // or in a folder below one; empty when it needs none: it works in the main worktree, its own
  // settings have belay's hooks, or none are installed.
  virtual std::string ForWorktree(const FileSystem& files, const Layout& project,
                                  const std::string& folder) const = 0;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_AGENT_HOOKS_H_
