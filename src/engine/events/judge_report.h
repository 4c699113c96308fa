// Turns a hook's report into the stored event: what the tool call does and whether it succeeded,
// with every text as one line, cut, and without secrets. Whatever an adapter lets through is cut
// here.

#ifndef BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
#define BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_

#include <span>
#include <vector>

#include "engine/shell/effects.h"
#include "model/agent_event.h"

namespace belay {

// The effects of a shell call, with the report's own words; empty for other tools.
std::vector<ShellEffect> EffectsOfCall(const EventReport& report);

AgentEvent JudgeReport(EventReport report, std::span<const ShellEffect> effects);
AgentEvent JudgeReport(EventReport report);

// Classifies an agent's tool call by what it means for the work.
//
// clang-format off
//   seen                                                         means    phase (phase_inference.h)
//   ----------------------------------------------------------   ------   -------------------------
//   a tool that reads or searches                                read     investigation
//   a shell that only runs programs that read: cat, git log      read     investigation
//   a planning tool; in plan mode, all but edits                 plan     planning
//   a tool that edits files                                      edit     implementation
//   a shell that writes files: > f, tee, sed -i                  edit     implementation
//   a shell with a test command in it (phase_inference.h)        test     testing
//   a shell with `git commit` in it                              commit   completion
//   everything else                                              other    no opinion
// clang-format on
//
// engine/shell/effects.h says what a shell does. A checkout of git is no edit.
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

Action ActionOf(const EventReport& report, std::span<const ShellEffect> effects);
Action ActionOf(const EventReport& report);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
