// Who may do what: one table of all operations. A command is checked before it runs
// (cli/authorize.h), a peer of a socket (the guardian's, an agent's terminal) before its requests
// are read. docs/authority.md shows the same table.
//
// The rows keep agents from acting outside their own work, by mistake or because a text asked for
// it. They are not a security boundary: a process with the user's own rights can edit files
// (app/caller.h).

#ifndef BELAY_APP_AUTHORITY_H_
#define BELAY_APP_AUTHORITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "app/caller.h"
#include "app/env.h"
#include "base/result.h"

namespace belay {

enum class Operation {
  kInit,
  kRemove,
  kDoctor,
  kRepair,
  kReadHistory,
  kSnapshotTake,
  kSnapshotRead,
  kSnapshotRestore,
  kSnapshotPrune,
  kSpawn,
  kGuard,
  kServiceUnit,
  kAgents,
  kStop,
  kRelease,
  kAttach,
  kLogs,
  kExec,
  kHookEvent,
  kHookShow,
  kHookNote,
  kHookPhase,
  kSend,
  kSignalSend,
  kSignalList,
  kSignalWait,
  kMergeAdd,
  kMergeRead,
  kMergeProcess,
  kMergeRemove,
  kMergeRetry,
  kMergeGatesChange,
  kMergePause,
  kMergeUnpause,
  kMergeProtect,
  kMergeUnprotect,
  kMergeOverride,
  kRefGuard,
  kTaintMark,
  kTaintStatus,
  kTaskAdd,
  kTaskWave,
  kTaskRead,
  kTaskClaim,
  kTaskDone,
  kTaskSuspend,
  kTaskResume,
  kTaskReopen,
  kTaskSweep,
  kResumptionRead,
  kResumptionWrite,
  kConfig,
  kExplain,
};

// The kind of caller, and whose things the request is about.
enum class Standing : std::uint8_t {
  kPerson = 1,
  kGuardian = 2,     // the guardian, and the programs that it starts for itself
  kAgentOwn = 4,     // an agent, about its own things or those of no agent or person yet
  kAgentOthers = 8,  // an agent, about things of another agent, a person, or the whole project
  kUnknown = 16,     // the caller can't be determined
};

struct AuthorityRule {
  Operation operation;
  std::string_view name;         // as the command is called: "stop", "init --remove"
  std::uint8_t allowed;          // Standing bits
  std::string_view act = {};     // "NAME may not ...": set in every row that refuses something
  std::string_view reason = {};  // why, or what to do instead
  // Also refused to an incarnation that has ended (CheckFence).
  bool fenced = false;

  constexpr bool Allows(Standing standing) const {
    return (allowed & static_cast<std::uint8_t>(standing)) != 0;
  }
  // Then the caller needn't be determined.
  constexpr bool AllowsAll() const {
    for (const Standing standing : {Standing::kPerson, Standing::kGuardian, Standing::kAgentOwn,
                                    Standing::kAgentOthers, Standing::kUnknown}) {
      if (!Allows(standing)) return false;
    }
    return true;
  }
  // Then the owner of the things must be known.
  constexpr bool DependsOnOwner() const {
    return Allows(Standing::kAgentOwn) != Allows(Standing::kAgentOthers);
  }
};

namespace authority {

constexpr std::uint8_t Bits(auto... standings) {
  return static_cast<std::uint8_t>((0U | ... | static_cast<unsigned>(standings)));
}
constexpr std::uint8_t kPeople = Bits(Standing::kPerson);
constexpr std::uint8_t kPeopleAndGuardian = Bits(Standing::kPerson, Standing::kGuardian);
constexpr std::uint8_t kPeopleAndOwner = Bits(Standing::kPerson, Standing::kAgentOwn);
constexpr std::uint8_t kKnown =
    Bits(Standing::kPerson, Standing::kGuardian, Standing::kAgentOwn, Standing::kAgentOthers);
constexpr std::uint8_t kAll = Bits(kKnown, Standing::kUnknown);
constexpr std::string_view kPersonDoes = "run it yourself, outside any agent";
constexpr std::string_view kAskPerson =
    R"(ask a person: belay signal send ESCALATE --to person --payload '{"reason":"..."}')";

}  // namespace authority

// One row for each operation, in its order.
// clang-format off
inline constexpr AuthorityRule kAuthorityRules[] = {
    {Operation::kInit, "init", authority::kAll},
    {Operation::kRemove, "init --remove", authority::kPeople,
     "remove belay's setup", authority::kPersonDoes},
    {Operation::kDoctor, "doctor", authority::kAll},
    {Operation::kRepair, "doctor --repair", authority::kPeople,
     "repair belay's records", authority::kPersonDoes},
    {Operation::kReadHistory, "log, why", authority::kAll},
    {Operation::kSnapshotTake, "snapshot take", authority::kAll},
    {Operation::kSnapshotRead, "snapshot list, snapshot show", authority::kAll},
    {Operation::kSnapshotRestore, "snapshot restore", authority::kPeopleAndOwner,
     "restore into the worktree of", "go to your own worktree, or add --into DIR with a folder outside all worktrees", true},
    {Operation::kSnapshotPrune, "snapshot prune", authority::kPeople,
     "delete snapshots", authority::kPersonDoes},
    {Operation::kSpawn, "spawn", authority::kPeopleAndOwner,
     "start", "choose a new --name, and your own worktree or --new-worktree BRANCH", true},
    {Operation::kGuard, "guard", authority::kPeople,
     "run the guardian", "start it outside any agent"},
    {Operation::kServiceUnit, "guard --systemd-unit", authority::kAll},
    {Operation::kAgents, "agents", authority::kAll},
    {Operation::kStop, "stop", authority::kPeopleAndOwner,
     "stop", authority::kAskPerson, true},
    {Operation::kRelease, "release", authority::kPeople,
     "release an agent", authority::kPersonDoes},
    {Operation::kAttach, "attach", authority::kPeopleAndGuardian,
     "type into an agent's terminal", "belay logs shows what an agent writes"},
    {Operation::kLogs, "logs", authority::kAll},
    {Operation::kExec, "exec", authority::kAll},
    {Operation::kHookEvent, "event, statusline", authority::kAll},
    {Operation::kHookShow, "hook show", authority::kAll},
    {Operation::kHookNote, "hook note", authority::kPeopleAndOwner,
     "write the hook of", "an agent may write only its own; send a signal instead", true},
    {Operation::kHookPhase, "hook phase", authority::kPeopleAndOwner,
     "write the hook of", "an agent may write only its own; send a signal instead", true},
    {Operation::kSend, "send", authority::kPeople,
     "send messages to agents", authority::kAskPerson},
    {Operation::kSignalSend, "signal send", authority::kKnown},
    {Operation::kSignalList, "signal list", authority::kAll},
    {Operation::kSignalWait, "signal wait", authority::kPeopleAndOwner,
     "take signals of", "an agent may take only its own", true},
    {Operation::kMergeAdd, "merge-queue add", authority::kPeopleAndOwner | authority::kPeopleAndGuardian,
     "queue the work of", "switch to the branch in your own worktree, or let a person add it", true},
    {Operation::kMergeRead, "merge-queue list, merge-queue status", authority::kAll},
    {Operation::kMergeProcess, "merge-queue process", authority::kPeopleAndGuardian,
     "process the queue", "belay signal send MERGE_READY --to guardian asks for a merge"},
    {Operation::kMergeRemove, "merge-queue remove", authority::kPeopleAndOwner,
     "change an entry of", "an agent may change only its own entries", true},
    {Operation::kMergeRetry, "merge-queue retry", authority::kPeopleAndOwner,
     "change an entry of", "an agent may change only its own entries", true},
    {Operation::kMergeGatesChange, "merge-queue add, retry --gates-change", authority::kPeople,
     "approve work that changes the gates", authority::kPersonDoes},
    {Operation::kMergePause, "merge-queue pause", authority::kPeople,
     "pause the queue", authority::kPersonDoes},
    {Operation::kMergeUnpause, "merge-queue unpause", authority::kPeople,
     "unpause the queue", authority::kPersonDoes},
    {Operation::kMergeProtect, "merge-queue protect", authority::kPeople,
     "protect a target", authority::kPersonDoes},
    {Operation::kMergeUnprotect, "merge-queue unprotect", authority::kPeople,
     "unprotect a target", authority::kPersonDoes},
    {Operation::kMergeOverride, "BELAY_OVERRIDE=1 git ...", authority::kPeople,
     "move a protected target", authority::kPersonDoes},
    {Operation::kRefGuard, "ref-guard", authority::kAll},
    {Operation::kTaintMark, "taint mark", authority::kPeopleAndOwner,
     "taint", "an agent may mark only itself: omit --agent", true},
    {Operation::kTaintStatus, "taint status", authority::kAll},
    {Operation::kTaskAdd, "task add", authority::kKnown},
    {Operation::kTaskWave, "task wave", authority::kPeopleAndOwner,
     "set the deadline of a wave with a task of", authority::kAskPerson, true},
    {Operation::kTaskRead, "task list", authority::kAll},
    {Operation::kTaskClaim, "task claim", authority::kPeopleAndOwner,
     "claim a task for", "an agent claims only for itself: omit --worker", true},
    {Operation::kTaskDone, "task done", authority::kPeopleAndOwner,
     "finish a task of", "an agent finishes only its own", true},
    {Operation::kTaskSuspend, "task suspend", authority::kPeopleAndOwner,
     "suspend a task of", "an agent suspends only its own", true},
    {Operation::kTaskResume, "task resume", authority::kPeopleAndOwner,
     "resume a task in the worktree of", "--worktree PATH names your own worktree", true},
    {Operation::kTaskReopen, "task reopen", authority::kPeople,
     "reopen a task", authority::kPersonDoes},
    {Operation::kTaskSweep, "task sweep", authority::kKnown},
    {Operation::kResumptionRead, "resumption show, check, brief", authority::kAll},
    {Operation::kResumptionWrite, "resumption update, migrate, ack", authority::kKnown,
     "change the resumption section of", "an agent that has ended changes nothing", true},
    {Operation::kConfig, "config show, config check", authority::kAll},
    {Operation::kExplain, "explain, completion, version, help", authority::kAll},
};
// clang-format on

constexpr const AuthorityRule& RuleOf(Operation operation) {
  return kAuthorityRules[static_cast<std::size_t>(operation)];
}

// Whose things an agent's request is about. Without a name they have no particular owner.
struct Owner {
  bool is_caller = false;
  std::string name = {};  // "worker-a", "a person"
};

// kRefused with the row's reason. An unknown caller is passed in as the error that explains it.
Result<void> CheckAuthority(Operation operation, const Result<Caller>& caller,
                            const Owner& owner = {});

// For an operation that all callers may do and that needs to know the caller.
Result<Caller> CallerOf(const Env& env, const Layout& project, const IdentityBook& book);

// Whether the process at the other end of the socket of an agent's terminal may use it.
bool MayAttach(FileSystem& files, const Clock& clock, const Layout& project, const Peer& peer);

}  // namespace belay

#endif  // BELAY_APP_AUTHORITY_H_
