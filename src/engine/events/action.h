// What a tool call of an agent does, as far as it tells about the work.
//
// clang-format off
//   seen                                                         means    phase (phase_inference.h)
//   ----------------------------------------------------------   ------   -------------------------
//   Read, Grep, Glob, LS, WebFetch, WebSearch and their like     read     investigation
//   Bash, when all it runs only looks: cat, ls, grep, git log    read     investigation
//   task lists, entering and leaving plan mode; whatever isn't   plan     planning
//     an edit while in plan mode
//   Edit, MultiEdit, Write, NotebookEdit                         edit     implementation
//   Bash that writes files: > f, tee, sed -i (command_effect.h)  edit     implementation
//   Bash with a test command in it (testing_command.h)           test     testing
//   Bash with `git commit` in it                                 commit   completion
//   everything else                                              other    no opinion
// clang-format on
//
// Of several in one command line a test counts first, then a commit, then an edit: whether the
// tests pass is what matters, and `npm test && git commit` may never come to its commit. Such a
// line that fails says nothing about the tests, since the commit may have failed; one that succeeds
// does.

#ifndef BELAY_ENGINE_EVENTS_ACTION_H_
#define BELAY_ENGINE_EVENTS_ACTION_H_

#include <string>
#include <string_view>

#include "codec/json.h"
#include "model/agent_event.h"

namespace belay {

struct Action {
  ActionKind kind = ActionKind::kOther;
  std::string subject = {};  // the file, the command, what is searched for
  // Whether it says something about the tests when the call succeeds, or fails.
  bool success_tells = false;
  bool failure_tells = false;
};

Action ActionOf(std::string_view tool, const Json& input, bool in_plan_mode);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_ACTION_H_
