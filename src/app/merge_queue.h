// Operations on the merge queue: adding work, landing it, changing entries and targets. Without a
// target they use merge.target.

#ifndef BELAY_APP_MERGE_QUEUE_H_
#define BELAY_APP_MERGE_QUEUE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/authority.h"
#include "app/env.h"
#include "app/program_outcome.h"
#include "base/result.h"
#include "engine/merge/settings.h"
#include "merge/enqueue.h"
#include "merge/merge_env.h"
#include "merge/protect.h"
#include "model/identity_book.h"
#include "model/merge_entry.h"
#include "store/layout.h"
#include "store/vault.h"

namespace belay {

// What a merge queue command works with: the project, its repository, its settings.

struct MergePlace {
  Layout project;
  MergeSettings settings;
  Git git;
  std::string common_folder;
  std::unique_ptr<EventLoop> loop;

  // Borrows from this place and from the env.
  MergeEnv MakeEnv(Env& env) const;
};

// The settings are those of the main worktree, never of the branch that will land. Outside a
// repository: kUsage.
Result<MergePlace> FindMergePlace(Env& env, VaultUse use);

// "belay merge-queue unpause", with --target if needed.
std::string UnpauseCommand(const MergePlace& place, const std::string& target);

// The only agent that has the branch checked out in a worktree of its own; nullptr: none, or
// several.
const Identity* WhoWorksOn(const FileSystem& files, const Layout& project, const IdentityBook& book,
                           std::string_view branch);

// Why no entry lands, and what to do: no gates are configured. Empty when there are some, or when
// the settings can't be read, which `belay config check` reports.
std::string WhyNothingLands(const Env& env, const Layout& project);
std::string WhyNothingLands(const MergeSettings& settings);

struct QueueReadOutcome {
  MergeBook book;
  std::string nothing_lands;  // why no entry lands; empty: entries can land
  std::string for_person;     // a line about messages that wait for a person; empty: none
};
Result<QueueReadOutcome> ReadQueue(Env& env);

struct QueueAddRequest {
  std::optional<std::string> branch = {};  // nothing: the one checked out where the work was made
  std::optional<std::string> target = {};
  std::optional<std::string> agent = {};  // the owner of the work; nothing: the caller
  EnqueueRequest entry;                   // the rest; branch, target and owner are filled in
};
struct QueueAddOutcome {
  Enqueued added;
  MergeBook book;             // the queue with the new entry
  std::string nothing_lands;  // why; empty: it can land
};
// Whose work an agent's request would queue. Its own is the branch that is checked out in its
// worktree, or was before and is in no other one; never what another has in the queue, and not in
// the name, the worktree, the node or the bead of another. A branch that doesn't exist is left to
// AddToQueue to refuse.
Result<Owner> WhoseWork(Env& env, const MergePlace& place, const IdentityBook& book,
                        const AgentId& agent, const QueueAddRequest& request);

// The guardian adds for the agent that it names, with that agent's rights (kRefused); when it names
// none, for a person. A person's entry for the branch of a single agent reports to that agent.
Result<QueueAddOutcome> AddToQueue(Env& env, QueueAddRequest request);

struct QueueProcessRequest {
  std::optional<std::string> target = {};
  bool all = false;  // until no entry is left whose turn can come
  bool no_gates = false;
  std::function<void(std::string_view gate, const GateProgress&)> progress;
};
struct QueueProcessOutcome : ProcessOutcome {
  int signal = 0;  // the signal that stopped it
  std::string target = {};
  std::string unpause = {};  // the command
  MergeBook book = {};       // the queue afterwards
};
// Lands under the landing lock (kBusy), and reports the end of each entry at once. SIGINT and
// SIGTERM don't end this process while it lands: the current entry stays queued. First finishes
// what a killed run left. Without gates: kRefused.
Result<QueueProcessOutcome> ProcessQueue(Env& env, const QueueProcessRequest& request);

enum class EntryChange { kRemove, kRetry };
struct QueueChangeRequest {
  EntryChange change;
  std::uint64_t number;
  bool gates_change = false;
};
Result<MergeEntry> ChangeQueueEntry(Env& env, const QueueChangeRequest& request);

struct QueuePauseRequest {
  std::optional<std::string> target = {};
  bool paused;
};
struct QueuePauseOutcome {
  MergeTarget target;
  std::string unpause = {};  // the command
};
// A target branch that is gone can be unpaused, but not paused (kNotFound).
Result<QueuePauseOutcome> PauseQueue(Env& env, const QueuePauseRequest& request);

struct QueueProtectRequest {
  std::optional<std::string> target = {};
  bool protect;
};
// Makes git ask belay before the target moves, or stops that (merge/protect.h).
Result<Protection> ProtectQueueTarget(Env& env, const QueueProtectRequest& request);

}  // namespace belay

#endif  // BELAY_APP_MERGE_QUEUE_H_
