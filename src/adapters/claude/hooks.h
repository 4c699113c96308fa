// Claude Code's hooks (adapters/agent/agent_hooks.h).

#ifndef BELAY_ADAPTERS_CLAUDE_HOOKS_H_
#define BELAY_ADAPTERS_CLAUDE_HOOKS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_hooks.h"
#include "model/agent_event.h"
#include "os/process_tree.h"

namespace belay {

const AgentHooks& ClaudeHooks();

// Which of the processes above a hook is the Claude Code whose hook it is.

// The program says so itself ($CLAUDE_PID), and is believed if it is one of them. Older ones don't
// say: then it is the one that runs the hook's shell, if it looks like one.
std::optional<ProcessAbove> ClaudeAbove(std::span<const ProcessAbove> above,
                                        const std::optional<std::string>& claim);

// Whether belay's hooks in Claude Code's settings are there, are read, and are really called.

// As AgentHooks::CheckInstalled.
std::vector<Check> CheckClaude(const HookDoors& doors);

// Calls a hook the way Claude Code does, to see that it is belay who answers.

// `program` as it is spelled in the command of a hook. It is called for PreToolUse, by a shell, in
// the project's folder, with an event on its standard input, and has five seconds.
Check ProbeHook(const std::string& program, const HookDoors& doors);

// From what Claude Code hands its hook, or its status line, to belay's words. Pure, and never
// fails: what can't be understood is an event all the same, since it proves that the agent lives.
//
// A lone surrogate in it counts as U+FFFD, and of a key that stands there twice the last counts, as
// for the program that wrote it; that is so up to 64 KiB, and beyond that if it is written without
// spaces, as agents do.
//
// Large inputs (a whole file that is written) are skimmed, not parsed; of what people wrote to the
// agent and of what its tools gave back nothing is kept.

// `kind` is what the hook was called for, which counts.
EventReport DigestClaudeHook(EventKind kind, std::string_view input);

// Which of the settings that a Claude Code reads hold belay's hooks.
//
// Claude Code reads the settings of the folder that it works in, and those of the main worktree,
// where `belay init --agent claude` put the hooks, aren't there unless they are committed. So one
// in a linked worktree is given a file of its own with just these hooks (`--settings`), and no
// worktree is touched.

// As AgentHooks has them.
HookSight FindClaudeSight(const FileSystem& files, const Layout& project, const Identity& identity,
                          const Environment::Variables& environment);
std::string ClaudeHooksForWorktree(const FileSystem& files, const Layout& project,
                                   const std::string& folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOKS_H_
