// What is stored of a hook's report: what the tool call does and whether it succeeded, with every
// text as one line, cut, and without secrets. Whatever an adapter lets through is cut here.

#ifndef BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
#define BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_

#include <span>
#include <string>
#include <string_view>

#include "model/agent_event.h"

namespace belay {

AgentEvent JudgeReport(EventReport report);

// What a tool call of an agent does, as far as it tells about the work.
//
// clang-format off
//   seen                                                         means    phase (phase_inference.h)
//   ----------------------------------------------------------   ------   -------------------------
//   a tool that reads or searches                                read     investigation
//   a shell, when all it runs only looks: cat, ls, git log       read     investigation
//   a tool for plans; whatever isn't an edit while it plans      plan     planning
//   a tool that edits files                                      edit     implementation
//   a shell that writes files: > f, tee (below)                  edit     implementation
//   a shell with a test command in it (testing_command.h)        test     testing
//   a shell with `git commit` in it                              commit   completion
//   everything else                                              other    no opinion
// clang-format on
//
// Of several in one command line a test counts first, then a commit, then an edit: whether the
// tests pass is what matters, and `npm test && git commit` may never come to its commit. Such a
// line that fails says nothing about the tests, since the commit may have failed; one that succeeds
// does.

struct Action {
  ActionKind kind = ActionKind::kOther;
  // Whether it says something about the tests when the call succeeds, or fails.
  bool success_tells = false;
  bool failure_tells = false;
};

Action ActionOf(const EventReport& report);

// What a command does to files, as far as its words tell.
//
// clang-format off
//   edits                                                looks
//   ---------------------------------------------------  ------------------------------------------
//   cp, ln, mv, patch, rm, touch, truncate; git apply,   cat, ls, grep and their like; git log,
//     mv and rm; tee with a file                           diff, status ...
//   sed -i, perl -i, awk -i inplace, sort -o             sed, awk and sort otherwise
//   find -delete; find -exec and fd -x with an edit      find and fd otherwise, if what they run looks
// clang-format on
//
// Of anything else nothing is said.

enum class CommandEffect { kUnknown, kLooks, kEdits };

// `words` may be empty. Redirections are judged elsewhere (shell_line.h).
CommandEffect EffectOf(std::span<const std::string> words);

// What git is told to do: `git -C x commit` is a commit. Empty if it isn't git.
std::string_view GitVerb(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
