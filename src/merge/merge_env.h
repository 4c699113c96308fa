// What everything in the merge queue needs: access to the system, the project, its settings, and a
// way to report progress.

#ifndef BELAY_MERGE_MERGE_ENV_H_
#define BELAY_MERGE_MERGE_ENV_H_

#include <functional>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "engine/merge/settings.h"
#include "ledger/merge_ledger.h"
#include "merge/gate_run.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/file_system.h"
#include "os/random.h"
#include "store/layout.h"

namespace belay {

// The lock of the process that lands work in a project.
constexpr std::string_view kMergeRunLock = "merge-run";

struct MergeEnv {
  FileSystem& files;
  const Clock& clock;
  Random& random;
  const Layout& project;
  const MergeSettings& settings;
  const Git& git;             // in the main worktree
  std::string common_folder;  // of the repository
  const Environment& environment;
  EventLoop& loop;
  // For people: a notable line about an entry, and the present output of a gate.
  std::function<void(std::string_view)> say = [](std::string_view) {};
  std::function<void(std::string_view gate, const GateProgress&)> progress =
      [](std::string_view, const GateProgress&) {};
  // A gate with a `quality_gate` has judged an entry.
  std::function<void(const MergeEntry&, const GateRule&, const GateResult&)> judged =
      [](const MergeEntry&, const GateRule&, const GateResult&) {};
  // Whether to stop: called between two steps and before each gate. The callee also stops the loop
  // if it is running, which ends the gate.
  std::function<bool()> interrupted = [] { return false; };
};

// "refs/heads/main"
std::string BranchRef(std::string_view branch);
// A ref of an entry that keeps its objects: "refs/belay/merge/m7/head".
std::string EntryRef(const MergeEntry& entry, std::string_view what);

// Sends what needs attention to the user's inbox: `belay signal list person` shows it.

// A failure to write there is reported with `say`.
void NotifyPerson(const MergeEnv& env, const std::string& reason);

}  // namespace belay

#endif  // BELAY_MERGE_MERGE_ENV_H_
