// The table of commands. Adding one: a row here, commands/NAME.cc, commands/NAME.md.

#include "cli/command.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

constexpr Option kCommonOptions[] = {
    {"--json", "", "the outcome as JSON, for scripts"},
    {"--root", "DIR", "the project (default: the repository around the current folder)"},
    {"--config", "FILE", "the configuration (default: $BELAY_CONFIG, or .claude/belay.yml)"},
    {"--quiet", "", "no talk on the standard error but errors"},
    {"--no-color", "", "no colours; so does NO_COLOR"},
    {.name = "--help", .value = "", .help = "what the command does and takes", .letter = 'h'},
};

constexpr Option kInitOptions[] = {
    {"--agent", "KIND", "install hooks for this kind of agent", "claude|codex|generic"},
    {"--remove", "", "take out what init put in, or with --agent only its hooks; work is kept"},
    {"--dry-run", "", "say what would be done, and change nothing"},
    {"--yes", "", "answer every question with yes"},
};

constexpr Option kDoctorOptions[] = {
    {"--repair", "", "mend what can be mended: damaged journals, lost or edited state files"},
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
    {"--host", "HOST", "where it runs (default: process; tmux isn't built yet)", "process|tmux"},
    {"--agent", "KIND", "the kind of agent (default: found out by the command)",
     "claude|codex|generic"},
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
    {"--systemd-unit", "", "print a unit for systemd's user manager", "", "--once"},
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
    {"--gates-change", "", "let it change .claude/belay.yml, which only a person may"},
};
constexpr Option kMergeRetryOptions[] = {
    {"--gates-change", "", "let it change .claude/belay.yml, which only a person may"}};
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
    {"init", "set up belay in this repository", kInitOptions, {}, RunInit},
    {"doctor",
     "check what belay needs, and say how to mend what is missing",
     kDoctorOptions,
     {},
     RunDoctor},
    {"log", "what belay did and saw in this project", kLogOptions, {}, RunLog},
    {"snapshot take", "keep the uncommitted work of a worktree, touching nothing",
     kSnapshotTakeOptions, kAgent, RunSnapshotTake},
    {"snapshot list", "the snapshots of a worktree", kSnapshotListOptions, kAgent, RunSnapshotList},
    {"snapshot show", "what a snapshot holds", kSnapshotShowOptions, kSnapshotId, RunSnapshotShow},
    {"snapshot restore", "bring the work in a snapshot back, overwriting nothing newer",
     kSnapshotRestoreOptions, kSnapshotId, RunSnapshotRestore},
    {"snapshot prune",
     "delete snapshots that are old, or too many",
     kSnapshotPruneOptions,
     {},
     RunSnapshotPrune},
    {"spawn", "start an agent, and keep track of it", kSpawnOptions, kSpawnCommand, RunSpawn},
    {"guard", "watch over the agents, and bring back those that fall", kGuardOptions, {}, RunGuard},
    {"agents", "all agents, and how they are", kAgentsOptions, {}, RunAgents},
    {"stop", "end an agent, keeping its work", kStopOptions, kNamedAgent, RunStop},
    {"release",
     "continue an agent that has ended, crashed or is quarantined",
     {},
     kNamedAgent,
     RunRelease},
    {"why", "what happened to an agent, or to its work, and what will", {}, kAgentOrEntry, RunWhy},
    {"attach", "your terminal becomes an agent's, until you detach", {}, kNamedAgent, RunAttach},
    {"logs", "what an agent wrote to its terminal", kLogsOptions, kNamedAgent, RunLogs},
    {"exec", "run an agent, for belay itself", {}, kAgentId, RunExecCommand, true},
    {"event", "what an agent's hook calls", {}, kEventName, RunEvent},
    {"statusline", "a status line for Claude Code", {}, {}, RunStatusline},
    {"hook show", "what an agent is working on", {}, kHookAgent, RunHookShow},
    {"hook note", "add a note to it", {}, kHookNote, RunHookNote},
    {"hook phase", "say where its work is", {}, kHookPhase, RunHookPhase},
    {"send", "say something to a running agent", kSendOptions, kSendWhat, RunSend},
    {"signal send", "tell an agent, the guardian or a person something", kSignalSendOptions,
     kSignalType, RunSignalSend},
    {"signal list", "the signals that wait for somebody", {}, kSignalListWho, RunSignalList},
    {"signal wait", "wait for the next signal, and take it", kSignalWaitOptions, kSignalWaitWho,
     RunSignalWait},
    {"merge-queue add", "finished work is to land", kMergeAddOptions, kMergeBranch,
     RunMergeQueueAdd},
    {"merge-queue list", "what is to land, in its order", kMergeListOptions, {}, RunMergeQueueList},
    {"merge-queue status",
     "the queue, or all about one entry",
     {},
     kMergeEntryIfAny,
     RunMergeQueueStatus},
    {"merge-queue process",
     "land what is next: rebased, tested, then merged",
     kMergeProcessOptions,
     {},
     RunMergeQueueProcess},
    {"merge-queue remove",
     "take an entry out, also while it is tested",
     {},
     kMergeEntry,
     RunMergeQueueRemove},
    {"merge-queue retry", "put a parked entry into line again", kMergeRetryOptions, kMergeEntry,
     RunMergeQueueRetry},
    {"merge-queue pause", "let nothing land", kMergeTargetOptions, {}, RunMergeQueuePause},
    {"merge-queue unpause", "let it go on", kMergeTargetOptions, {}, RunMergeQueueUnpause},
    {"merge-queue protect",
     "a guard rail: let git refuse direct merges into the target",
     kMergeTargetOptions,
     {},
     RunMergeQueueProtect},
    {"merge-queue unprotect",
     "let git move the target again",
     kMergeTargetOptions,
     {},
     RunMergeQueueUnprotect},
    {"ref-guard", "what git's hook asks, for belay itself", {}, kGitProcess, RunRefGuard, true},
    {"taint mark",
     "record that a session has read something sensitive",
     kTaintMarkOptions,
     {},
     RunTaintMark},
    {"taint status", "whether a session has", kTaintStatusOptions, {}, RunTaintStatus},
    {"config show", "the settings in force, and where each came from", {}, {}, RunConfigShow},
    {"config check", "find mistakes in the configuration", {}, {}, RunConfigCheck},
    {"completion", "print a completion script for your shell", {}, kShell, RunCompletion},
    {"version", "print the version", {}, {}, RunVersion},
    {"help", "explain belay, or one command", {}, kHelpTopic, RunHelp},
};

}  // namespace

std::string_view FullName(std::string_view noun) { return noun == "mq" ? "merge-queue" : noun; }

std::span<const Command> Commands() { return kCommands; }
std::span<const Option> CommonOptions() { return kCommonOptions; }

}  // namespace belay
