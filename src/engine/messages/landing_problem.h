// Why a branch could not land, and how its agent fixes it: for a message to a running agent, and
// for the text that a successor begins with. Pure.
//
// belay's own sentences stand outside data blocks; names of branches stand in them as quoted lines;
// names of files and the reason as recorded stand in data blocks.

#ifndef BELAY_ENGINE_MESSAGES_LANDING_PROBLEM_H_
#define BELAY_ENGINE_MESSAGES_LANDING_PROBLEM_H_

#include "codec/json.h"
#include "model/merge_entry.h"
#include "prompt/prompt_builder.h"

namespace belay {

// The payload of MERGE_CONFLICT and MERGE_FAILED. `for_agent`: the agent is expected to fix it.
Json LandingProblem(const MergeEntry& entry, bool for_agent);

// Of such a payload; one of MERGE_FAILED may have nothing but a reason.
void SayLandingProblem(const Json& problem, PromptBuilder& text);

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_LANDING_PROBLEM_H_
