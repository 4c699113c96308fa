// The table of commands. To add one: a row and a declaration here, commands/NAME.cc,
// commands/NAME.md, and the row of its operation (app/authority.h).

#include "cli/authorize.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "model/agent_host.h"
#include "model/agent_kind.h"

namespace belay {

Result<int> RunInit(const Invocation&, Services&);
Result<int> RunDoctor(const Invocation&, Services&);
Result<int> RunLog(const Invocation&, Services&);
Result<int> RunSpawn(const Invocation&, Services&);
Result<int> RunGuard(const Invocation&, Services&);
Result<int> RunAgents(const Invocation&, Services&);
Result<int> RunStop(const Invocation&, Services&);
Result<int> RunRelease(const Invocation&, Services&);
Result<int> RunWhy(const Invocation&, Services&);
Result<int> RunSnapshotTake(const Invocation&, Services&);
Result<int> RunSnapshotList(const Invocation&, Services&);
Result<int> RunSnapshotShow(const Invocation&, Services&);
Result<int> RunSnapshotRestore(const Invocation&, Services&);
Result<int> RunSnapshotPrune(const Invocation&, Services&);
Result<int> RunAttach(const Invocation&, Services&);
Result<int> RunLogs(const Invocation&, Services&);
Result<int> RunExecCommand(const Invocation&, Services&);
Result<int> RunEvent(const Invocation&, Services&);
Result<int> RunStatusline(const Invocation&, Services&);
Result<int> RunHookShow(const Invocation&, Services&);
Result<int> RunHookNote(const Invocation&, Services&);
Result<int> RunHookPhase(const Invocation&, Services&);
Result<int> RunSignalSend(const Invocation&, Services&);
Result<int> RunSignalList(const Invocation&, Services&);
Result<int> RunSend(const Invocation&, Services&);
Result<int> RunSignalWait(const Invocation&, Services&);
Result<int> RunMergeQueueAdd(const Invocation&, Services&);
Result<int> RunMergeQueueList(const Invocation&, Services&);
Result<int> RunMergeQueueStatus(const Invocation&, Services&);
Result<int> RunMergeQueueProcess(const Invocation&, Services&);
Result<int> RunMergeQueueRemove(const Invocation&, Services&);
Result<int> RunMergeQueueRetry(const Invocation&, Services&);
Result<int> RunMergeQueuePause(const Invocation&, Services&);
Result<int> RunMergeQueueUnpause(const Invocation&, Services&);
Result<int> RunMergeQueueProtect(const Invocation&, Services&);
Result<int> RunMergeQueueUnprotect(const Invocation&, Services&);
Result<int> RunRefGuard(const Invocation&, Services&);
Result<int> RunTaintMark(const Invocation&, Services&);
Result<int> RunTaintStatus(const Invocation&, Services&);
Result<int> RunConfigShow(const Invocation&, Services&);
Result<int> RunConfigCheck(const Invocation&, Services&);
Result<int> RunCompletion(const Invocation&, Services&);
Result<int> RunVersion(const Invocation&, Services&);

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
    {"--no-color", "", "print without colours, as with NO_COLOR"},
    {.name = "--help", .value = "", .help = "explain the command and its options", .letter = 'h'},
};

constexpr Option kInitOptions[] = {
    {"--agent", "KIND", "install the hooks for this kind of agent", kAgentChoices},
    {.name = "--remove",
     .value = "",
     .help = "remove what init installed, or with --agent only its hooks; work is kept",
     .operation = Operation::kRemove},
    {"--dry-run", "", "print what would be done and change nothing"},
    {"--yes", "", "answer yes to every question"},
};

constexpr Option kDoctorOptions[] = {
    {.name = "--repair",
     .value = "",
     .help = "repair damaged journals and restore lost or edited state files",
     .operation = Operation::kRepair},
};

constexpr Option kLogOptions[] = {
    {"--since", "WHEN", "show only later records: 2h, or 2026-11-15T06:36:00Z"},
    {.name = "--follow", .value = "", .help = "keep printing new records", .letter = 'f'},
};

constexpr Option kSpawnOptions[] = {
    {"--name", "NAME", "the agent's name (required): a-z, 0-9, _ and single dashes"},
    {"--role", "ROLE", "the agent's role (default: orchestrator)"},
    {"--node", "NODE", "the plan node that it works on"},
    {"--bead", "ID", "the issue that it works on"},
    {"--worktree", "PATH", "the worktree to work in (default: the one you are in)", "",
     "--new-worktree"},
    {"--new-worktree", "BRANCH", "create a worktree on this branch, next to the project"},
    {"--host", "HOST", "where it runs (default: process; tmux isn't built yet)", kHostChoices},
    {"--agent", "KIND", "the kind of agent (default: detected from the command)", kAgentChoices},
    {"--prompt", "TEXT", "the task", "", "--prompt-file"},
    {"--prompt-file", "FILE", "read the task from a file"},
    {"--continue", "", "continue the task and conversation of the last agent with that name"},
    {"--no-respawn", "", "don't restart it after a crash", "", "--respawn"},
    {"--respawn", "",
     "restart it after a crash (default); with --continue, this undoes an earlier "
     "--no-respawn"},
    {"--no-wait", "", "don't wait until it runs"},
};
constexpr Operand kSpawnCommand[] = {
    {"COMMAND",
     "the program and its arguments, after --; with --continue, it replaces the old command", "",
     false, true, true}};
constexpr Option kGuardOptions[] = {
    {"--once", "", "do what is due, then exit"},
    {.name = "--systemd-unit",
     .value = "",
     .help = "print a unit for systemd's user manager",
     .excludes = "--once",
     .operation = Operation::kServiceUnit},
};
constexpr Option kAgentsOptions[] = {
    {"--all", "", "include earlier incarnations and agents that ended long ago"},
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
    {"--agent", "AGENT", "the agent of the session (default: the caller)"},
};
constexpr Option kTaintStatusOptions[] = {
    {"--agent", "AGENT", "the agent of the session (default: the caller)"},
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
    {"--agent", "AGENT", "the agent whose work it is (default: the caller)"},
    {"--head", "SHA", "the commit that was checked; belay warns if the branch has moved since"},
    {"--target", "BRANCH", "the branch to land on (default: merge.target)"},
    {"--priority", "N", "-100 to 100; higher goes first (default: 0)"},
    {"--after", "ENTRY", "wait until this entry has landed"},
    {"--node", "NODE", "the plan node that it belongs to"},
    {"--bead", "ID", "the issue that it belongs to"},
    {"--pr", "N", "its pull request"},
    {"--worktree", "PATH", "the worktree it was made in"},
    {.name = "--gates-change",
     .value = "",
     .help = "allow it to change .claude/belay.yml; only a person may say so",
     .operation = Operation::kMergeGatesChange},
};
constexpr Option kMergeRetryOptions[] = {
    {.name = "--gates-change",
     .value = "",
     .help = "allow it to change .claude/belay.yml; only a person may say so",
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

constexpr Operand kGitProcess[] = {{"PID", "the git process that asks"}};
constexpr Operand kEventName[] = {{"NAME", "the event, as the agent names it: PreToolUse"}};

constexpr Operand kShell[] = {{"SHELL", "the shell to complete in", "bash|zsh|fish"}};
constexpr Operand kHelpTopic[] = {{"COMMAND", "the command to explain", "", false, true}};

// What a noun with several verbs is for.
constexpr Noun kNouns[] = {
    {"signal", "Exchange signals with agents"},
    {"snapshot", "Save uncommitted work"},
    {"hook", "Show what an agent works on"},
    {"taint", "Track who has read secrets"},
    {"merge-queue", "Test and land finished branches, one at a time"},
    {"config", "Print the settings"},
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
    {"log", kWatch, "Show what belay did and saw in this project", kLogOptions, kNoOperands, RunLog,
     Operation::kReadHistory},
    {"send", kWatch, "Send a message to a running agent", kSendOptions, kSendWhat, RunSend,
     Operation::kSend},
    {"signal send", kWatch, "Send a signal to an agent, the guardian or a person",
     kSignalSendOptions, kSignalType, RunSignalSend, Operation::kSignalSend},
    {"signal list", kWatch, "List the signals that wait in an inbox", kNoOptions, kSignalListWho,
     RunSignalList, Operation::kSignalList},
    {"signal wait", kWatch, "Wait for the next signal and take it", kSignalWaitOptions,
     kSignalWaitWho, RunSignalWait, Operation::kSignalWait, OwnerOfInbox},
    {"snapshot take", kKeep, "Save the uncommitted work of a worktree without touching it",
     kSnapshotTakeOptions, kAgent, RunSnapshotTake, Operation::kSnapshotTake},
    {"snapshot list", kKeep, "List the snapshots of a worktree", kSnapshotListOptions, kAgent,
     RunSnapshotList, Operation::kSnapshotRead},
    {"snapshot show", kKeep, "Show what a snapshot holds", kSnapshotShowOptions, kSnapshotId,
     RunSnapshotShow, Operation::kSnapshotRead},
    {"snapshot restore", kKeep, "Restore the work in a snapshot without overwriting newer changes",
     kSnapshotRestoreOptions, kSnapshotId, RunSnapshotRestore, Operation::kSnapshotRestore,
     OwnerOfRestored},
    {"snapshot prune", kKeep, "Delete snapshots that are too old or too many",
     kSnapshotPruneOptions, kNoOperands, RunSnapshotPrune, Operation::kSnapshotPrune},
    {"hook show", kKeep, "Show what an agent is working on", kNoOptions, kHookAgent, RunHookShow,
     Operation::kHookShow},
    {"hook note", kKeep, "Add a note to what an agent is working on", kNoOptions, kHookNote,
     RunHookNote, Operation::kHookNote, OwnerOfAgentOperand},
    {"hook phase", kKeep, "Set the phase of an agent's work", kNoOptions, kHookPhase, RunHookPhase,
     Operation::kHookPhase, OwnerOfAgentOperand},
    {"taint mark", kKeep, "Record that a session has read something sensitive", kTaintMarkOptions,
     kNoOperands, RunTaintMark, Operation::kTaintMark, OwnerOfTaint},
    {"taint status", kKeep, "Show whether a session has read something sensitive",
     kTaintStatusOptions, kNoOperands, RunTaintStatus, Operation::kTaintStatus},
    {"merge-queue add", kLand, "Queue a finished branch for merging", kMergeAddOptions,
     kMergeBranch, RunMergeQueueAdd, Operation::kMergeAdd, OwnerOfQueuedWork},
    {"merge-queue list", kLand, "List the queued and parked entries in their order",
     kMergeListOptions, kNoOperands, RunMergeQueueList, Operation::kMergeRead},
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
    {"merge-queue unpause", kLand, "Land work on a target again", kMergeTargetOptions, kNoOperands,
     RunMergeQueueUnpause, Operation::kMergeUnpause},
    {"merge-queue protect", kLand, "Make git refuse direct merges into a target",
     kMergeTargetOptions, kNoOperands, RunMergeQueueProtect, Operation::kMergeProtect},
    {"merge-queue unprotect", kLand, "Let git move a target directly again", kMergeTargetOptions,
     kNoOperands, RunMergeQueueUnprotect, Operation::kMergeUnprotect},
    {"doctor", kRepair, "Check what belay needs and say how to fix what is missing", kDoctorOptions,
     kNoOperands, RunDoctor, Operation::kDoctor},
    {"release", kRepair, "Continue a finished, crashed or quarantined agent", kNoOptions,
     kNamedAgent, RunRelease, Operation::kRelease},
    {"config show", kAbout, "Show the settings in force and where each comes from", kNoOptions,
     kNoOperands, RunConfigShow, Operation::kConfig},
    {"config check", kAbout, "Find mistakes in the settings", kNoOptions, kNoOperands,
     RunConfigCheck, Operation::kConfig},
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

}  // namespace belay
