// `belay why`: what happened to an agent or to an entry of the merge queue, and what comes next.

#ifndef BELAY_APP_WHY_H_
#define BELAY_APP_WHY_H_

#include <memory>
#include <optional>
#include <string>

#include "app/agents_view.h"
#include "app/env.h"
#include "app/history.h"
#include "base/result.h"
#include "engine/merge/queue_order.h"

namespace belay {

struct WhyOutcome {
  History history = {};
  std::string next = {};
  bool guarded = false;  // a guardian is running
  // One of the two, with the record that its row points to.
  std::unique_ptr<const Identity> identity = {};
  std::optional<AgentRow> agent = {};
  std::unique_ptr<const MergeEntry> entry = {};
  std::optional<MergeRow> place = {};
};

// "m7" is an entry, if it exists. Any other agent name means the agent, or the named incarnation;
// anything else may be an entry number, or a branch, of which the latest entry counts.
Result<WhyOutcome> ExplainWhy(Env& env, const std::string& about);

}  // namespace belay

#endif  // BELAY_APP_WHY_H_
