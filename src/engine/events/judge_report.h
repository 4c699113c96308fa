// Turns a hook's report into the stored event: what the tool call does and whether it succeeded,
// with every text as one line, cut, and without secrets. Whatever an adapter lets through is cut
// here.

#ifndef BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
#define BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_

#include "model/agent_event.h"

namespace belay {

AgentEvent JudgeReport(EventReport report);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_JUDGE_REPORT_H_
