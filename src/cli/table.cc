// The table of commands. Adding one: a row and a declaration here, commands/NAME.cc,
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
    {"--json", "", "the outcome as JSON, for scripts"},
    {"--root", "DIR", "the project (default: the repository around the current folder)"},
    {"--config", "FILE", "the configuration (default: $BELAY_CONFIG, or .claude/belay.yml)"},
    {"--quiet", "", "no talk on the standard error but errors"},
    {"--no-color", "", "no colours; so does NO_COLOR"},
    {.name = "--help", .value = "", .help = "what the command does and takes", .letter = 'h'},
};

constexpr Option kInitOptions[] = {
    {"--agent", "KIND", "install hooks for this kind of agent", kAgentChoices},
    {.name = "--remove",
     .value = "",
     .help = "take out what init put in, or with --agent only its hooks; work is kept",
     .operation = Operation::kRemove},
    {"--dry-run", "", "say what would be done, and change nothing"},
    {"--yes", "", "answer every question with yes"},
};

constexpr Option kDoctorOptions[] = {
    {.name = "--repair",
     .value = "",
     .help = "mend what can be mended: damaged journals, lost or edited state files",
     .operation = Operation::kRepair},
};

constexpr Option kLogOptions[] = {
    {"--since", "WHEN", "only what is younger: 2h, or 2026-11-15T06:36:00Z"},
    {.name = "--follow",
     .value = "",
     .help = "go on, and print what happens when it happens",
     .letter = 'f'},
};

constexpr Option kSpawnOptions[] = {
    {"--name", "NAME", "what the agent is called, always needed: a-z, 0-9, _ and single dashes"},
    {"--role", "ROLE", "what it is (default: orchestrator)"},
    {"--node", "NODE", "the node of a plan that it works on"},
    {"--bead", "ID", "the issue that it works on"},
    {"--worktree", "PATH", "where it works (default: the worktree around the current folder)", "",
     "--new-worktree"},
    {"--new-worktree", "BRANCH", "make it a worktree on this branch, beside the project"},
    {"--host", "HOST", "where it runs (default: process; tmux isn't built yet)", kHostChoices},
    {"--agent", "KIND", "the kind of agent (default: found out by the command)", kAgentChoices},
    {"--prompt", "TEXT", "its task", "", "--prompt-file"},
    {"--prompt-file", "FILE", "its task, from a file"},
    {"--continue", "", "continue the task and the conversation of the last agent of that name"},
    {"--no-respawn", "", "don't bring it back when it falls", "", "--respawn"},
    {"--respawn", "",
     "bring it back after a crash (default); with --continue: also one that had "
     "--no-respawn"},
    {"--no-wait", "", "don't wait until it runs"},
};
constexpr Operand kSpawnCommand[] = {
    {"COMMAND",
     "the program and its arguments, behind --; with --continue: another command than before", "",
     false, true, true}};
constexpr Option kGuardOptions[] = {
    {"--once", "", "do all that is due, then end"},
    {.name = "--systemd-unit",
     .value = "",
     .help = "print a unit for systemd's user manager",
     .excludes = "--once",
     .operation = Operation::kServiceUnit},
};
constexpr Option kAgentsOptions[] = {
    {"--all", "", "also those that ended long ago, and earlier incarnations"},
    {"--watch", "", "keep showing them as they change, until q or Ctrl-C"},
};
constexpr Option kStopOptions[] = {
    {"--now", "", "kill it at once, without asking it to end"},
};

constexpr Option kSnapshotTakeOptions[] = {
    {"--message", "TEXT", "why it is taken"},
};
constexpr Option kSnapshotListOptions[] = {
    {"--all", "", "those of all worktrees of the repository"},
};
constexpr Option kSnapshotShowOptions[] = {
    {"--diff", "", "the changes themselves, as git shows them"},
};
constexpr Option kSnapshotRestoreOptions[] = {
    {"--into", "DIR", "all of the worktree as it was, into a new or empty folder"},
    {"--merge", "", "merge what changed since, if all of it merges cleanly", "", "--into"},
    {"--dry-run", "", "say what would be done, and change nothing", "", "--into"},
};
constexpr Option kSnapshotPruneOptions[] = {
    {"--keep", "N", "how many of each worktree stay (default: snapshot.keep_count)"},
    {"--older-than", "AGE", "what is older goes (default: snapshot.keep_age)"},
    {"--dry-run", "", "say what would go, and delete nothing"},
};

constexpr Operand kAgent[] = {
    {"AGENT", "the agent or worktree, by name (default: this worktree)", "", false}};
constexpr Option kSignalSendOptions[] = {
    {"--to", "WHO", "the recipient: guardian, person, or an agent"},
    {"--payload", "JSON", "an object with what belongs to it"},
};
constexpr Option kSignalWaitOptions[] = {
    {"--type", "TYPE", "only a signal of this type"},
    {"--timeout", "SECONDS", "give up after this time, with exit code 124"},
};
constexpr Option kTaintMarkOptions[] = {
    {"--source", "PATH", "what was read"},
    {"--tool", "NAME", "what it was read with"},
    {"--agent", "AGENT", "whose session (default: that of whoever runs this)"},
};
constexpr Option kTaintStatusOptions[] = {
    {"--agent", "AGENT", "whose session (default: that of whoever runs this)"},
};
constexpr Option kSendOptions[] = {
    {"--file", "FILE", "read the text from a file; - is the standard input"},
    {"--wait", "", "wait until it is delivered"},
    {"--timeout", "SECONDS", "with --wait: give up after this time, with exit code 124"},
};
constexpr Operand kSendWhat[] = {{"AGENT", "the agent, as belay agents shows it"},
                                 {"TEXT", "what to say to it", "", false, true}};
constexpr Operand kHookAgent[] = {{"AGENT", "the agent: role-name, or name"}};
constexpr Operand kHookNote[] = {{"AGENT", "the agent: role-name, or name"},
                                 {"TEXT", "the note; its first line becomes the summary"}};
constexpr Operand kHookPhase[] = {
    {"AGENT", "the agent: role-name, or name"},
    {"PHASE", "where the work is", "investigation|planning|implementation|testing|completion"}};
constexpr Operand kSignalType[] = {{"TYPE", "what it says, such as GUIDANCE or NEEDS_INPUT"}};
constexpr Operand kSignalListWho[] = {
    {"WHO", "guardian, person, or an agent (default: yourself)", "", false}};
constexpr Operand kSignalWaitWho[] = {{"WHO", "guardian, person, or an agent"}};

constexpr Operand kSnapshotId[] = {
    {"ID", "the snapshot: main/7, 7 in its worktree, or its commit"}};
constexpr Option kLogsOptions[] = {
    {.name = "--follow",
     .value = "",
     .help = "go on, and print what it writes when it writes it",
     .letter = 'f'},
};
constexpr Operand kAgentOrEntry[] = {
    {"AGENT|ENTRY", "the agent, as belay agents shows it; or an entry of the merge queue: m7"}};
constexpr Operand kNamedAgent[] = {{"AGENT", "the agent, as belay agents shows it"}};
constexpr Operand kAgentId[] = {{"AGENT_ID", "the incarnation to run: role-name#3"}};

constexpr Option kMergeAddOptions[] = {
    {"--agent", "AGENT", "whose work it is (default: whoever runs this)"},
    {"--head", "SHA", "the commit that was checked; if the branch has moved since, that is said"},
    {"--target", "BRANCH", "where it is to land (default: merge.target)"},
    {"--priority", "N", "-100 to 100, more is sooner (default: 0)"},
    {"--after", "ENTRY", "only when this one has landed"},
    {"--node", "NODE", "the node of a plan that it belongs to"},
    {"--bead", "ID", "the issue that it belongs to"},
    {"--pr", "N", "its pull request"},
    {"--worktree", "PATH", "where it was made"},
    {.name = "--gates-change",
     .value = "",
     .help = "let it change .claude/belay.yml, which only a person may",
     .operation = Operation::kMergeGatesChange},
};
constexpr Option kMergeRetryOptions[] = {
    {.name = "--gates-change",
     .value = "",
     .help = "let it change .claude/belay.yml, which only a person may",
     .operation = Operation::kMergeGatesChange}};
constexpr Option kMergeProcessOptions[] = {
    {"--next", "", "only the next one (default)"},
    {"--all", "", "one after the other, until nobody is in line", "", "--next"},
    {"--target", "BRANCH", "where they land (default: merge.target)"},
    {"--no-gates", "", "land untested"},
};
constexpr Option kMergeListOptions[] = {{"--all", "", "also what has landed or was removed"}};
constexpr Option kMergeTargetOptions[] = {
    {"--target", "BRANCH", "of which target (default: merge.target)"}};
constexpr Operand kMergeBranch[] = {
    {"BRANCH", "the local branch that is done (default: of the worktree)", "", false}};
constexpr Operand kMergeEntry[] = {{"ENTRY", "the entry: m7"}};
constexpr Operand kMergeEntryIfAny[] = {{"ENTRY", "one entry: m7 (default: the queue)", "", false}};

constexpr Operand kGitProcess[] = {{"PID", "the git that asks"}};
constexpr Operand kEventName[] = {{"NAME", "the event, as the agent names it: PreToolUse"}};

constexpr Operand kShell[] = {{"SHELL", "the shell to complete in", "bash|zsh|fish"}};
constexpr Operand kHelpTopic[] = {{"COMMAND", "the command to explain", "", false, true}};

constexpr Command kCommands[] = {
    {"init", "set up belay in this repository", kInitOptions, {}, RunInit, Operation::kInit},
    {"doctor",
     "check what belay needs, and say how to mend what is missing",
     kDoctorOptions,
     {},
     RunDoctor,
     Operation::kDoctor},
    {"log",
     "what belay did and saw in this project",
     kLogOptions,
     {},
     RunLog,
     Operation::kReadHistory},
    {"snapshot take", "keep the uncommitted work of a worktree, touching nothing",
     kSnapshotTakeOptions, kAgent, RunSnapshotTake, Operation::kSnapshotTake},
    {"snapshot list", "the snapshots of a worktree", kSnapshotListOptions, kAgent, RunSnapshotList,
     Operation::kSnapshotRead},
    {"snapshot show", "what a snapshot holds", kSnapshotShowOptions, kSnapshotId, RunSnapshotShow,
     Operation::kSnapshotRead},
    {"snapshot restore", "bring the work in a snapshot back, overwriting nothing newer",
     kSnapshotRestoreOptions, kSnapshotId, RunSnapshotRestore, Operation::kSnapshotRestore,
     OwnerOfRestored},
    {"snapshot prune",
     "delete snapshots that are old, or too many",
     kSnapshotPruneOptions,
     {},
     RunSnapshotPrune,
     Operation::kSnapshotPrune},
    {"spawn", "start an agent, and keep track of it", kSpawnOptions, kSpawnCommand, RunSpawn,
     Operation::kSpawn, OwnerOfNewAgent},
    {"guard",
     "watch over the agents, and bring back those that fall",
     kGuardOptions,
     {},
     RunGuard,
     Operation::kGuard},
    {"agents", "all agents, and how they are", kAgentsOptions, {}, RunAgents, Operation::kAgents},
    {"stop", "end an agent, keeping its work", kStopOptions, kNamedAgent, RunStop, Operation::kStop,
     OwnerOfAgentOperand},
    {"release",
     "continue an agent that has ended, crashed or is quarantined",
     {},
     kNamedAgent,
     RunRelease,
     Operation::kRelease},
    {"why",
     "what happened to an agent, or to its work, and what will",
     {},
     kAgentOrEntry,
     RunWhy,
     Operation::kReadHistory},
    {"attach",
     "your terminal becomes an agent's, until you detach",
     {},
     kNamedAgent,
     RunAttach,
     Operation::kAttach},
    {"logs", "what an agent wrote to its terminal", kLogsOptions, kNamedAgent, RunLogs,
     Operation::kLogs},
    {"exec",
     "run an agent, for belay itself",
     {},
     kAgentId,
     RunExecCommand,
     Operation::kExec,
     nullptr,
     true},
    {"event", "what an agent's hook calls", {}, kEventName, RunEvent, Operation::kHookEvent},
    {"statusline", "a status line for Claude Code", {}, {}, RunStatusline, Operation::kHookEvent},
    {"hook show", "what an agent is working on", {}, kHookAgent, RunHookShow, Operation::kHookShow},
    {"hook note",
     "add a note to it",
     {},
     kHookNote,
     RunHookNote,
     Operation::kHookNote,
     OwnerOfAgentOperand},
    {"hook phase",
     "say where its work is",
     {},
     kHookPhase,
     RunHookPhase,
     Operation::kHookPhase,
     OwnerOfAgentOperand},
    {"send", "say something to a running agent", kSendOptions, kSendWhat, RunSend,
     Operation::kSend},
    {"signal send", "tell an agent, the guardian or a person something", kSignalSendOptions,
     kSignalType, RunSignalSend, Operation::kSignalSend},
    {"signal list",
     "the signals that wait for somebody",
     {},
     kSignalListWho,
     RunSignalList,
     Operation::kSignalList},
    {"signal wait", "wait for the next signal, and take it", kSignalWaitOptions, kSignalWaitWho,
     RunSignalWait, Operation::kSignalWait, OwnerOfInbox},
    {"merge-queue add", "finished work is to land", kMergeAddOptions, kMergeBranch,
     RunMergeQueueAdd, Operation::kMergeAdd, OwnerOfQueuedWork},
    {"merge-queue list",
     "what is to land, in its order",
     kMergeListOptions,
     {},
     RunMergeQueueList,
     Operation::kMergeRead},
    {"merge-queue status",
     "the queue, or all about one entry",
     {},
     kMergeEntryIfAny,
     RunMergeQueueStatus,
     Operation::kMergeRead},
    {"merge-queue process",
     "land what is next: rebased, tested, then merged",
     kMergeProcessOptions,
     {},
     RunMergeQueueProcess,
     Operation::kMergeProcess},
    {"merge-queue remove",
     "take an entry out, also while it is tested",
     {},
     kMergeEntry,
     RunMergeQueueRemove,
     Operation::kMergeRemove,
     OwnerOfEntry},
    {"merge-queue retry", "put a parked entry into line again", kMergeRetryOptions, kMergeEntry,
     RunMergeQueueRetry, Operation::kMergeRetry, OwnerOfEntry},
    {"merge-queue pause",
     "let nothing land",
     kMergeTargetOptions,
     {},
     RunMergeQueuePause,
     Operation::kMergePause},
    {"merge-queue unpause",
     "let it go on",
     kMergeTargetOptions,
     {},
     RunMergeQueueUnpause,
     Operation::kMergeUnpause},
    {"merge-queue protect",
     "a guard rail: let git refuse direct merges into the target",
     kMergeTargetOptions,
     {},
     RunMergeQueueProtect,
     Operation::kMergeProtect},
    {"merge-queue unprotect",
     "let git move the target again",
     kMergeTargetOptions,
     {},
     RunMergeQueueUnprotect,
     Operation::kMergeUnprotect},
    {"ref-guard",
     "what git's hook asks, for belay itself",
     {},
     kGitProcess,
     RunRefGuard,
     Operation::kRefGuard,
     nullptr,
     true},
    {"taint mark",
     "record that a session has read something sensitive",
     kTaintMarkOptions,
     {},
     RunTaintMark,
     Operation::kTaintMark,
     OwnerOfTaint},
    {"taint status",
     "whether a session has",
     kTaintStatusOptions,
     {},
     RunTaintStatus,
     Operation::kTaintStatus},
    {"config show",
     "the settings in force, and where each came from",
     {},
     {},
     RunConfigShow,
     Operation::kConfig},
    {"config check",
     "find mistakes in the configuration",
     {},
     {},
     RunConfigCheck,
     Operation::kConfig},
    {"completion",
     "print a completion script for your shell",
     {},
     kShell,
     RunCompletion,
     Operation::kExplain},
    {"version", "print the version", {}, {}, RunVersion, Operation::kExplain},
    {"help", "explain belay, or one command", {}, kHelpTopic, RunHelp, Operation::kExplain},
};

// What only the owner may do, besides people, needs to be known of whom it is.
constexpr bool OwnersAreFound() {
  for (const Command& command : kCommands) {
    if (RuleOf(command.operation.value).DependsOnOwner() != (command.owner != nullptr))
      return false;
  }
  return true;
}
static_assert(OwnersAreFound());

}  // namespace

std::string_view FullName(std::string_view noun) { return noun == "mq" ? "merge-queue" : noun; }

std::span<const Command> Commands() { return kCommands; }
std::span<const Option> CommonOptions() { return kCommonOptions; }

}  // namespace belay
