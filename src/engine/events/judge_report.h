// Turns a hook's report into the stored event: what the tool call does and whether it succeeded,
// with every text as one line, cut, and without secrets. Whatever an adapter lets through is cut
// here.

#ifndef BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
#define BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_

#include <span>
#include <string>
#include <string_view>

#include "model/agent_event.h"

namespace belay {

AgentEvent JudgeReport(EventReport report);

// Classifies an agent's tool call by what it means for the work.
//
// clang-format off
//   seen                                                         means    phase (phase_inference.h)
//   ----------------------------------------------------------   ------   -------------------------
//   a tool that reads or searches                                read     investigation
//   a shell that only reads: cat, ls, git log                    read     investigation
//   a planning tool; in plan mode, all but edits                 plan     planning
//   a tool that edits files                                      edit     implementation
//   a shell that writes files: > f, tee (below)                  edit     implementation
//   a shell with a test command in it (testing_command.h)        test     testing
//   a shell with `git commit` in it                              commit   completion
//   everything else                                              other    no opinion
// clang-format on
//
// If one command line does several of these, a test counts first, then a commit, then an edit: test
// results matter most, and `npm test && git commit` may never reach its commit. If such a line
// fails, the tests may have passed, since the commit may have failed; if it succeeds, they passed.

struct Action {
  ActionKind kind = ActionKind::kOther;
  // Whether the call's success, or its failure, shows the result of the tests.
  bool success_tells = false;
  bool failure_tells = false;
};

Action ActionOf(const EventReport& report);

// What a command does to files, judged by its words.
//
// clang-format off
//   edits                                                reads
//   ---------------------------------------------------  ------------------------------------------
//   cp, ln, mv, patch, rm, touch, truncate; git apply,   cat, ls, grep and their like; git log,
//     mv and rm; tee with a file                           diff, status ...
//   sed -i, perl -i, awk -i inplace, sort -o             sed, awk and sort otherwise
//   find -delete; find -exec and fd -x with an edit      find and fd otherwise, if what they run reads
// clang-format on
//
// Any other command: unknown.

enum class CommandEffect { kUnknown, kLooks, kEdits };

// `words` may be empty. Redirections are handled elsewhere (shell_line.h).
CommandEffect EffectOf(std::span<const std::string> words);

// The git subcommand: `git -C x commit` is a commit. Empty if it isn't git.
std::string_view GitVerb(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
