// The table of commands. To add one: a row and a declaration here, commands/NAME.cc,
// commands/NAME.md, and the row of its operation (app/authority.h).

#include <fmt/core.h>

#include "cli/authorize.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "model/agent_host.h"
#include "model/agent_kind.h"
#include "model/task.h"

namespace belay {

// Each in the file of its command.
RunFunction RunInit, RunDoctor, RunLog, RunSpawn, RunGuard, RunAgents, RunStop, RunRelease, RunWhy,
    RunSnapshotTake, RunSnapshotList, RunSnapshotShow, RunSnapshotRestore, RunSnapshotPrune,
    RunAttach, RunLogs, RunExecCommand, RunEvent, RunStatusline, RunHookShow, RunHookNote,
    RunHookPhase, RunSignalSend, RunSignalList, RunSend, RunSignalWait, RunMergeQueueAdd,
    RunMergeQueueList, RunMergeQueueStatus, RunMergeQueueProcess, RunMergeQueueRemove,
    RunMergeQueueRetry, RunMergeQueuePause, RunMergeQueueUnpause, RunMergeQueueProtect,
    RunMergeQueueUnprotect, RunRefGuard, RunTaintMark, RunTaintStatus, RunTaskAdd, RunTaskList,
    RunTaskClaim, RunTaskDone, RunTaskWave, RunTaskSuspend, RunTaskResume, RunTaskReopen,
    RunTaskSweep, RunExplain, RunResumptionShow, RunResumptionUpdate, RunResumptionCheck,
    RunResumptionBrief, RunResumptionMigrate, RunResumptionAck, RunConfigShow, RunConfigCheck,
    RunCompletion, RunVersion;

namespace {

// "process|tmux": the hosts that belay launches agents in.
constexpr std::array kHostChoiceText = [] {
  std::array<char, 128> text{};
  std::size_t size = 0;
  for (const HostFacts& facts : kHosts) {
    if (!facts.launched) continue;
    if (size != 0) text[size++] = '|';
    for (const char letter : facts.name) text[size++] = letter;
  }
  return text;
}();
constexpr std::string_view kHostChoices = kHostChoiceText.data();

constexpr Option kCommonOptions[] = {
    {"--json", "", "print the outcome as JSON"},
    {"--root", "DIR", "the project (default: the repository you are in)"},
    {"--config", "FILE", "the settings (default: $BELAY_CONFIG or .claude/belay.yml)"},
    {"--quiet", "", "print only results and errors"},
    {"--no-color", "", "don't use colours, as with NO_COLOR"},
    {.name = "--help", .value = "", .help = "explain the command and its options", .letter = 'h'},
};

constexpr Option kInitOptions[] = {
    {"--agent", "KIND", "install the hooks for this kind of agent", kAgentChoices},
    {.name = "--remove",
     .value = "",
     .help = "remove what init installed, or with --agent only the hooks; keeps your work",
     .operation = Operation::kRemove},
    {"--dry-run", "", "print what would be done and change nothing"},
    {"--yes", "", "also add the reminder line for agents that init otherwise offers"},
    {"--force", "", "with --remove: even while agents run"},
};

constexpr Option kDoctorOptions[] = {
    {.name = "--repair",
     .value = "",
     .help = "repair damaged journals and restore lost or edited state files",
     .operation = Operation::kRepair},
};

constexpr Option kLogOptions[] = {
    {"--since", "WHEN", "show only records since then: 2h, or 2026-11-15T06:36:00Z"},
    {.name = "--follow", .value = "", .help = "keep printing new records", .letter = 'f'},
};

constexpr Option kSpawnOptions[] = {
    {"--name", "NAME", "the agent's name (required): a-z, 0-9, _ and single dashes"},
    {"--role", "ROLE", "the agent's role (default: orchestrator)"},
    {"--node", "NODE", "the plan node to work on"},
    {"--bead", "ID", "the issue to work on"},
    {"--worktree", "PATH", "the worktree to work in (default: the one you are in)", "",
     "--new-worktree"},
    {"--new-worktree", "BRANCH", "create a worktree on this branch, next to the project"},
    {"--host", "HOST", "where it runs (default: process; tmux isn't supported yet)", kHostChoices},
    {"--agent", "KIND", "the kind of agent (default: detected from the command)", kAgentChoices},
    {"--prompt", "TEXT", "the task", "", "--prompt-file"},
    {"--prompt-file", "FILE", "read the task from a file"},
    {"--continue", "", "continue the task and conversation of the last agent with that name"},
    {"--no-respawn", "", "don't restart it after a crash", "", "--respawn"},
    {"--respawn", "",
     "restart it after a crash (default); with --continue, undoes an earlier --no-respawn"},
    {"--task", "ID", "claim this task for it, and restore its work if it was suspended"},
    {"--deadline", "TIME", "when its work must be suspended: 30m, or 2026-11-18T14:30:00Z"},
    {"--no-wait", "", "don't wait until it is running"},
};
constexpr Operand kSpawnCommand[] = {
    {"COMMAND",
     "the program and its arguments, after --; with --continue, replaces the old command", "",
     false, true, true}};
constexpr Operand kExplainedLine[] = {{"COMMAND",
                                       "the command line, after --; or a program and its arguments",
                                       "", true, true, true}};
constexpr Option kGuardOptions[] = {
    {"--once", "", "do what is due, then exit"},
    {.name = "--systemd-unit",
     .value = "",
     .help = "print a unit for systemd's user manager",
     .excludes = "--once",
     .operation = Operation::kServiceUnit},
};
constexpr Option kAgentsOptions[] = {
    {"--all", "", "include earlier incarnations and agents that ended more than a day ago"},
    {"--watch", "", "keep the list up to date until q or Ctrl-C"},
};
constexpr Option kStopOptions[] = {
    {"--now", "", "kill it at once instead of asking it to exit"},
};

constexpr Option kSnapshotTakeOptions[] = {
    {"--message", "TEXT", "the reason for the snapshot"},
};
constexpr Option kSnapshotListOptions[] = {
    {"--all", "", "list the snapshots of all worktrees"},
};
constexpr Option kSnapshotShowOptions[] = {
    {"--diff", "", "print the changes as a git diff"},
};
constexpr Option kSnapshotRestoreOptions[] = {
    {"--into", "DIR", "restore the whole worktree into a new or empty folder"},
    {"--merge", "", "merge with later changes, if all of them merge cleanly", "", "--into"},
    {"--dry-run", "", "print what would be done and change nothing", "", "--into"},
};
constexpr Option kSnapshotPruneOptions[] = {
    {"--keep", "N", "keep this many per worktree (default: snapshot.keep_count)"},
    {"--older-than", "AGE", "delete older ones (default: snapshot.keep_age)"},
    {"--dry-run", "", "print what would be deleted and delete nothing"},
};

constexpr Operand kAgent[] = {
    {"AGENT", "the name of an agent or worktree (default: this worktree)", "", false}};
constexpr Option kSignalSendOptions[] = {
    {"--to", "WHO", "the recipient: guardian, person, or an agent"},
    {"--payload", "JSON", "the content, a JSON object"},
};
constexpr Option kSignalWaitOptions[] = {
    {"--type", "TYPE", "wait for a signal of this type only"},
    {"--timeout", "SECONDS", "give up after this time with exit code 124"},
};
constexpr Option kTaintMarkOptions[] = {
    {"--source", "PATH", "the file that was read"},
    {"--tool", "NAME", "the tool that read it"},
    {"--agent", "AGENT", "the agent whose session it is (default: the caller)"},
};
constexpr Option kTaintStatusOptions[] = {
    {"--agent", "AGENT", "the agent whose session it is (default: the caller)"},
};
constexpr Option kSendOptions[] = {
    {"--file", "FILE", "read the text from a file; - is standard input"},
    {"--wait", "", "wait until the message is delivered"},
    {"--timeout", "SECONDS", "with --wait: give up after this time with exit code 124"},
};
constexpr Operand kSendWhat[] = {{"AGENT", "the agent, as belay agents shows it"},
                                 {"TEXT", "the message", "", false, true}};
constexpr Operand kHookAgent[] = {{"AGENT", "the agent: role-name, or name"}};
constexpr Operand kHookNote[] = {{"AGENT", "the agent: role-name, or name"},
                                 {"TEXT", "the note; its first line becomes the summary"}};
constexpr Operand kHookPhase[] = {
    {"AGENT", "the agent: role-name, or name"},
    {"PHASE", "the phase of the work", "investigation|planning|implementation|testing|completion"}};
constexpr Operand kSignalType[] = {{"TYPE", "the type, such as GUIDANCE or NEEDS_INPUT"}};
constexpr Operand kSignalListWho[] = {
    {"WHO", "guardian, person, or an agent (default: you)", "", false}};
constexpr Operand kSignalWaitWho[] = {{"WHO", "guardian, person, or an agent"}};

constexpr Operand kSnapshotId[] = {
    {"ID", "the snapshot: main/7, 7 in its own worktree, or its commit"}};
constexpr Option kLogsOptions[] = {
    {.name = "--follow", .value = "", .help = "keep printing new output", .letter = 'f'},
};
constexpr Operand kAgentOrEntry[] = {
    {"AGENT|ENTRY", "an agent, as belay agents shows it, or a merge-queue entry: m7"}};
constexpr Operand kNamedAgent[] = {{"AGENT", "the agent, as belay agents shows it"}};
constexpr Operand kAgentId[] = {{"AGENT_ID", "the incarnation to run: role-name#3"}};

constexpr Option kMergeAddOptions[] = {
    {"--agent", "AGENT", "the agent that did the work (default: the caller)"},
    {"--head", "SHA", "the commit that was checked; belay warns if the branch has moved since"},
    {"--target", "BRANCH", "the branch to land on (default: merge.target)"},
    {"--priority", "N", "-100 to 100; higher goes first (default: 0)"},
    {"--after", "ENTRY", "wait until this entry has landed"},
    {"--node", "NODE", "the plan node it belongs to"},
    {"--bead", "ID", "the issue it belongs to"},
    {"--pr", "N", "its pull request"},
    {"--worktree", "PATH", "the worktree with the work"},
    {.name = "--gates-change",
     .value = "",
     .help = "allow it to change .claude/belay.yml (people only)",
     .operation = Operation::kMergeGatesChange},
};
constexpr Option kMergeRetryOptions[] = {
    {.name = "--gates-change",
     .value = "",
     .help = "allow it to change .claude/belay.yml (people only)",
     .operation = Operation::kMergeGatesChange}};
constexpr Option kMergeProcessOptions[] = {
    {"--next", "", "process only the next entry (default)"},
    {"--all", "", "process until the queue is empty", "", "--next"},
    {"--target", "BRANCH", "the branch to land on (default: merge.target)"},
    {"--no-gates", "", "land without running the gates"},
};
constexpr Option kMergeListOptions[] = {
    {"--all", "", "include entries that have landed or were removed"}};
constexpr Option kMergeTargetOptions[] = {
    {"--target", "BRANCH", "the target branch (default: merge.target)"}};
constexpr Operand kMergeBranch[] = {
    {"BRANCH", "the finished local branch (default: the worktree's)", "", false}};
constexpr Operand kMergeEntry[] = {{"ENTRY", "the entry: m7"}};
constexpr Operand kMergeEntryIfAny[] = {
    {"ENTRY", "the entry: m7 (default: the whole queue)", "", false}};

constexpr Operand kGitProcess[] = {{"PID", "the git process that wants to move a branch"}};
constexpr Option kTaskAddOptions[] = {
    {"--id", "ID", "the id of the task (default: t1, t2, ...)"},
    {"--files", "FILE...", "the files that it is about, separated by commas or blanks"},
    {"--description", "TEXT", "what to do; a list after \"File Ownership:\" names files too"},
    {"--after", "ID", "the task that must be completed first; several with commas"},
    {"--arc", "ID", "the arc that it belongs to"},
    {"--wave", "WAVE", "the wave that it runs in"},
    {"--deadline", "TIME", "when it must be suspended: 30m from now, or 2026-11-18T14:30:00Z"},
};
constexpr Option kTaskWorkerOptions[] = {
    {"--worker", "WORKER", "whose task it is: role-name or name", "", "--agent"},
    {"--agent", "WORKER", "the same as --worker"},
};
constexpr Option kTaskClaimOptions[] = {
    {"--worker", "WORKER", "who works on it: role-name or name (default: the caller)", "",
     "--agent"},
    {"--agent", "WORKER", "the same as --worker"},
    {"--worktree", "PATH", "where it works (default: the agent's, or the one around here)"},
};
constexpr Option kTaskWaveOptions[] = {
    {"--deadline", "TIME", "when the wave ends: 30m from now, or 2026-11-18T14:30:00Z"},
};
constexpr Option kTaskSuspendOptions[] = {
    {"--reason", "REASON", "why it is suspended (default: signal)", kSuspendReasons},
    {"--last-action", "TEXT", "what the worker did last, at most 200 characters"},
    {"--state-file", "FILE", "the working state, for the worker that continues"},
    {"--worker", "WORKER",
     "who worked on it: role-name or name (default: the caller, or the owner)", "", "--agent"},
    {"--agent", "WORKER", "the same as --worker"},
    {"--worktree", "PATH", "where its worktree was moved to (default: where it was claimed)"},
};
constexpr Option kTaskResumeOptions[] = {
    {"--worktree", "PATH", "where to put the work (default: where it was)"},
};
constexpr Operand kTaskTitle[] = {{"TITLE", "the title of the task"},
                                  {"FILE", "more files, after --files", "", false, true}};
constexpr Operand kTaskId[] = {{"TASK", "the id of the task, as belay task list shows it"}};
constexpr Operand kTaskWave[] = {{"WAVE", "the name of the wave"}};

constexpr Option kResumptionFile = {"--file", "FILE",
                                    "the document (default: the nearest ORCHESTRATION.yaml)"};
constexpr Option kKeepV1Keys = {"--keep-v1-keys", "",
                                "also write last_checkpoint and next_step for old readers"};
constexpr Option kResumptionOptions[] = {kResumptionFile};
constexpr Option kResumptionMigrateOptions[] = {kResumptionFile, kKeepV1Keys};
constexpr Option kResumptionUpdateOptions[] = {
    {.name = "--set",
     .value = "FIELD=VALUE",
     .help = "a field of recovery_state; may be repeated",
     .repeated = true},
    {"--data", "JSON", "the data of the trigger"},
    {"--event", "ID", "apply it only once under this id"},
    kResumptionFile,
    kKeepV1Keys,
};
constexpr Operand kTriggerName[] = {{"TRIGGER", "T1 to T8", "T1|T2|T3|T4|T5|T6|T7|T8"}};
constexpr Operand kCompactionName[] = {{"CX-ID", "the compaction: CX-001"}};

constexpr Operand kEventName[] = {{"NAME", "the event, as the agent names it: PreToolUse"}};

constexpr Operand kShell[] = {{"SHELL", "the shell", "bash|zsh|fish"}};
constexpr Operand kHelpTopic[] = {{"COMMAND", "the command to explain", "", false, true}};

// What a noun with several verbs is for.
constexpr Noun kNouns[] = {
    {"signal", "Exchange signals with agents"},
    {"snapshot", "Save uncommitted work"},
    {"hook", "Show and record what an agent is working on"},
    {"taint", "Track which sessions have read secrets"},
    {"resumption", "Keep a workflow's resumption section up to date"},
    {"merge-queue", "Test and land finished branches, one at a time"},
    {"config", "Show and check the settings"},
    {"task", "Hand out work, suspend it and continue it"},
};

constexpr std::span<const Option> kNoOptions;
constexpr std::span<const Operand> kNoOperands;
using enum Group;

constexpr Command kCommands[] = {
    {"init", kStart, "Set up belay in this repository", kInitOptions, kNoOperands, RunInit,
     Operation::kInit},
    {"guard", kStart, "Watch the agents and restart them after a crash", kGuardOptions, kNoOperands,
     RunGuard, Operation::kGuard},
    {"spawn", kStart, "Start an agent and keep track of it", kSpawnOptions, kSpawnCommand, RunSpawn,
     Operation::kSpawn, OwnerOfNewAgent},
    {"stop", kStart, "Stop an agent and keep its work", kStopOptions, kNamedAgent, RunStop,
     Operation::kStop, OwnerOfAgentOperand},
    {"agents", kWatch, "List the agents and their status", kAgentsOptions, kNoOperands, RunAgents,
     Operation::kAgents},
    {"why", kWatch, "Explain what happened to an agent or a queued branch", kNoOptions,
     kAgentOrEntry, RunWhy, Operation::kReadHistory},
    {"attach", kWatch, "Connect your terminal to an agent's", kNoOptions, kNamedAgent, RunAttach,
     Operation::kAttach},
    {"logs", kWatch, "Print what an agent wrote to its terminal", kLogsOptions, kNamedAgent,
     RunLogs, Operation::kLogs},
    {"log", kWatch, "Show what belay did and observed in this project", kLogOptions, kNoOperands,
     RunLog, Operation::kReadHistory},
    {"send", kWatch, "Send a message to a running agent", kSendOptions, kSendWhat, RunSend,
     Operation::kSend},
    {"signal send", kWatch, "Send a signal to an agent, the guardian or a person",
     kSignalSendOptions, kSignalType, RunSignalSend, Operation::kSignalSend},
    {"signal list", kWatch, "List the signals in an inbox", kNoOptions, kSignalListWho,
     RunSignalList, Operation::kSignalList},
    {"signal wait", kWatch, "Wait for the next signal and take it", kSignalWaitOptions,
     kSignalWaitWho, RunSignalWait, Operation::kSignalWait, OwnerOfInbox},
    {"snapshot take", kKeep, "Save the uncommitted work of a worktree without touching it",
     kSnapshotTakeOptions, kAgent, RunSnapshotTake, Operation::kSnapshotTake},
    {"snapshot list", kKeep, "List the snapshots of a worktree", kSnapshotListOptions, kAgent,
     RunSnapshotList, Operation::kSnapshotRead},
    {"snapshot show", kKeep, "Show what a snapshot contains", kSnapshotShowOptions, kSnapshotId,
     RunSnapshotShow, Operation::kSnapshotRead},
    {"snapshot restore", kKeep, "Restore the work in a snapshot without overwriting newer changes",
     kSnapshotRestoreOptions, kSnapshotId, RunSnapshotRestore, Operation::kSnapshotRestore,
     OwnerOfRestored},
    {"snapshot prune", kKeep, "Delete snapshots that are too old or too many",
     kSnapshotPruneOptions, kNoOperands, RunSnapshotPrune, Operation::kSnapshotPrune},
    {"hook show", kKeep, "Show what an agent is working on", kNoOptions, kHookAgent, RunHookShow,
     Operation::kHookShow},
    {"hook note", kKeep, "Add a note about an agent's work", kNoOptions, kHookNote, RunHookNote,
     Operation::kHookNote, OwnerOfAgentOperand},
    {"hook phase", kKeep, "Set the phase of an agent's work", kNoOptions, kHookPhase, RunHookPhase,
     Operation::kHookPhase, OwnerOfAgentOperand},
    {"taint mark", kKeep, "Record that a session has read something sensitive", kTaintMarkOptions,
     kNoOperands, RunTaintMark, Operation::kTaintMark, OwnerOfTaint},
    {"taint status", kKeep, "Show whether a session has read something sensitive",
     kTaintStatusOptions, kNoOperands, RunTaintStatus, Operation::kTaintStatus},
    {"resumption show", kKeep, "Print the resumption section of a workflow", kResumptionOptions,
     kNoOperands, RunResumptionShow, Operation::kResumptionRead},
    {"resumption update", kKeep, "Bring the section up to date after a state transition",
     kResumptionUpdateOptions, kTriggerName, RunResumptionUpdate, Operation::kResumptionWrite},
    {"resumption check", kKeep, "Report whether the section is fresh, stale or critical",
     kResumptionOptions, kNoOperands, RunResumptionCheck, Operation::kResumptionRead},
    {"resumption brief", kKeep, "Print what a new session needs to continue", kResumptionOptions,
     kNoOperands, RunResumptionBrief, Operation::kResumptionRead},
    {"resumption migrate", kKeep, "Bring a section of version 1 to version 2",
     kResumptionMigrateOptions, kNoOperands, RunResumptionMigrate, Operation::kResumptionWrite},
    {"resumption ack", kKeep, "Acknowledge a compaction", kResumptionOptions, kCompactionName,
     RunResumptionAck, Operation::kResumptionWrite},
    {"task add", kWork, "Add a task", kTaskAddOptions, kTaskTitle, RunTaskAdd, Operation::kTaskAdd},
    {"task list", kWork, "List the tasks and their status", kNoOptions, kNoOperands, RunTaskList,
     Operation::kTaskRead},
    {"task claim", kWork, "Take a task, so that no other worker can", kTaskClaimOptions, kTaskId,
     RunTaskClaim, Operation::kTaskClaim, OwnerOfClaim},
    {"task done", kWork, "Report that a task is done", kTaskWorkerOptions, kTaskId, RunTaskDone,
     Operation::kTaskDone, OwnerOfTask},
    {"task wave", kWork, "Set the deadline of a wave of tasks", kTaskWaveOptions, kTaskWave,
     RunTaskWave, Operation::kTaskWave, OwnerOfWave},
    {"task suspend", kWork, "Store the work of a task and clean its worktree", kTaskSuspendOptions,
     kTaskId, RunTaskSuspend, Operation::kTaskSuspend, OwnerOfTask},
    {"task resume", kWork, "Restore the work of a suspended task and print its context",
     kTaskResumeOptions, kTaskId, RunTaskResume, Operation::kTaskResume, OwnerOfResumed},
    {"task reopen", kWork, "Let a task go on that failed or is stuck", kNoOptions, kTaskId,
     RunTaskReopen, Operation::kTaskReopen},
    {"task sweep", kWork, "Finish interrupted suspensions and reset abandoned tasks", kNoOptions,
     kNoOperands, RunTaskSweep, Operation::kTaskSweep},
    {"merge-queue add", kLand, "Queue a finished branch for merging", kMergeAddOptions,
     kMergeBranch, RunMergeQueueAdd, Operation::kMergeAdd, OwnerOfQueuedWork},
    {"merge-queue list", kLand, "List the queued and parked entries in order", kMergeListOptions,
     kNoOperands, RunMergeQueueList, Operation::kMergeRead},
    {"merge-queue status", kLand, "Show the state of the queue or of one entry", kNoOptions,
     kMergeEntryIfAny, RunMergeQueueStatus, Operation::kMergeRead},
    {"merge-queue process", kLand, "Rebase, test and land the next entry", kMergeProcessOptions,
     kNoOperands, RunMergeQueueProcess, Operation::kMergeProcess},
    {"merge-queue remove", kLand, "Remove an entry, even while it is being tested", kNoOptions,
     kMergeEntry, RunMergeQueueRemove, Operation::kMergeRemove, OwnerOfEntry},
    {"merge-queue retry", kLand, "Queue a parked entry again", kMergeRetryOptions, kMergeEntry,
     RunMergeQueueRetry, Operation::kMergeRetry, OwnerOfEntry},
    {"merge-queue pause", kLand, "Stop landing work on a target", kMergeTargetOptions, kNoOperands,
     RunMergeQueuePause, Operation::kMergePause},
    {"merge-queue unpause", kLand, "Resume landing work on a target", kMergeTargetOptions,
     kNoOperands, RunMergeQueueUnpause, Operation::kMergeUnpause},
    {"merge-queue protect", kLand, "Make git refuse direct merges into a target",
     kMergeTargetOptions, kNoOperands, RunMergeQueueProtect, Operation::kMergeProtect},
    {"merge-queue unprotect", kLand, "Allow direct merges into a target again", kMergeTargetOptions,
     kNoOperands, RunMergeQueueUnprotect, Operation::kMergeUnprotect},
    {"doctor", kRepair, "Check what belay needs and show how to fix problems", kDoctorOptions,
     kNoOperands, RunDoctor, Operation::kDoctor},
    {"release", kRepair, "Continue a finished, crashed or quarantined agent", kNoOptions,
     kNamedAgent, RunRelease, Operation::kRelease},
    {"config show", kAbout, "Show the effective settings and where each comes from", kNoOptions,
     kNoOperands, RunConfigShow, Operation::kConfig},
    {"config check", kAbout, "Find mistakes in the settings", kNoOptions, kNoOperands,
     RunConfigCheck, Operation::kConfig},
    {"explain", kAbout, "List what a shell command line would do, without running it", kNoOptions,
     kExplainedLine, RunExplain, Operation::kExplain},
    {"completion", kAbout, "Print a completion script for your shell", kNoOptions, kShell,
     RunCompletion, Operation::kExplain},
    {"version", kAbout, "Print the version", kNoOptions, kNoOperands, RunVersion,
     Operation::kExplain},
    {"help", kAbout, "Explain belay or one command", kNoOptions, kHelpTopic, RunHelp,
     Operation::kExplain},
    {"event", kMachines, "Record an event that an agent's hook reports", kNoOptions, kEventName,
     RunEvent, Operation::kHookEvent},
    {"exec", kMachines, "Run an agent as its parent process", kNoOptions, kAgentId, RunExecCommand,
     Operation::kExec},
    {"ref-guard", kMachines, "Decide whether git may move a protected branch", kNoOptions,
     kGitProcess, RunRefGuard, Operation::kRefGuard},
    {"statusline", kMachines, "Print a status line for Claude Code", kNoOptions, kNoOperands,
     RunStatusline, Operation::kHookEvent},
};

constexpr std::string_view SummaryOfNoun(std::string_view noun) {
  for (const Noun& row : kNouns) {
    if (row.name == noun) return row.summary;
  }
  return {};
}

// The verbs of a noun are in one group, and the noun has a summary of its own.
constexpr bool NounsAreWhole() {
  for (const Command& one : kCommands) {
    if ((one.noun() == one.name) != SummaryOfNoun(one.noun()).empty()) return false;
    for (const Command& other : kCommands) {
      if (other.noun() == one.noun() && other.group.value != one.group.value) return false;
    }
  }
  return true;
}
static_assert(NounsAreWhole());

// An operation that is allowed to the owner needs a way to find the owner.
constexpr bool OwnersAreFound() {
  for (const Command& command : kCommands) {
    if (RuleOf(command.operation.value).DependsOnOwner() != (command.owner != nullptr))
      return false;
  }
  return true;
}
static_assert(OwnersAreFound());

}  // namespace

std::string_view NounSummary(const Command& command) {
  return command.name == command.noun() ? command.summary : SummaryOfNoun(command.noun());
}

std::string_view FullName(std::string_view noun) { return noun == "mq" ? "merge-queue" : noun; }

std::span<const Command> Commands() { return kCommands; }
std::span<const Option> CommonOptions() { return kCommonOptions; }

namespace {

std::string OptionUsage(const Option& option) {
  if (option.value.empty()) return fmt::format("[{}]", option.name);
  return fmt::format("[{} {}]", option.name,
                     option.choices.empty() ? option.value : option.choices);
}

std::string OperandUsage(const Operand& operand) {
  const std::string name(operand.choices.empty() ? operand.name : operand.choices);
  const std::string dots = operand.repeated ? "..." : "";
  return operand.required ? fmt::format("{}{}", name, dots) : fmt::format("[{}{}]", name, dots);
}

std::string ForeignUsage(const Operand& operand) {
  const std::string words = fmt::format("-- {}...", operand.name);
  return operand.required ? words : fmt::format("[{}]", words);
}

std::vector<std::string> UsageParts(const Command& command) {
  std::vector<std::string> parts;
  for (const Operand& operand : command.operands) {
    if (!operand.foreign) parts.push_back(OperandUsage(operand));
  }
  for (const Option& option : command.options) parts.push_back(OptionUsage(option));
  for (const Operand& operand : command.operands) {
    if (operand.foreign) parts.push_back(ForeignUsage(operand));
  }
  return parts;
}

}  // namespace

std::string UsageLine(const Command& command) {
  std::string line = fmt::format("belay {}", command.name);
  for (const std::string& part : UsageParts(command)) line += " " + part;
  return line;
}

std::string UsageLines(const Command& command, std::size_t columns) {
  std::string line = fmt::format("belay {}", command.name);
  const std::string indent(line.size(), ' ');
  std::string lines;
  for (const std::string& part : UsageParts(command)) {
    if (line != indent && line.size() + 1 + part.size() > columns) {
      lines += line + "\n";
      line = indent;
    }
    line += " " + part;
  }
  return lines + line + "\n";
}

std::string OptionLabel(const Option& option) {
  std::string label;
  if (option.letter != '\0') label = fmt::format("-{}, ", option.letter);
  label += option.name;
  if (!option.value.empty()) label += fmt::format(" {}", option.value);
  return label;
}

std::vector<const Command*> CommandsOf(std::string_view noun) {
  std::vector<const Command*> found;
  for (const Command& command : Commands()) {
    if (command.noun() == noun) found.push_back(&command);
  }
  return found;
}

}  // namespace belay
