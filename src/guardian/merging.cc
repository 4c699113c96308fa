// Finished work: into the queue when an agent says that it is done, and out of it in its turn.

#include <fmt/core.h>

#include <algorithm>

#include "codec/json.h"
#include "guardian/guardian.h"

namespace belay {

void Guardian::OnMergeQueue() {
  const Result<void> caught_up = merges_.CatchUp();
  if (!caught_up) return Complain(caught_up.error());
  if (self_) merging_.ActAs(*self_);
  checkout_watch_.Set(std::ranges::any_of(
      merges_.book().entries(), [](const auto& one) { return IsWaiting(one.second.status); }));
  merging_.Drive(merges_.book(), doors_.clock.Wall());
}

// Acknowledged when it is in the queue: a kill before hands it out again, and twice is one entry.
void Guardian::TakeMergeReady(const Signal& signal) {
  const Result<AgentId> from = AgentId::Parse(signal.from);
  if (self_) merging_.ActAs(*self_);
  const MergeRequest request{.agent = from ? from->identity().text() : std::string(),
                             .branch = TextIn(signal.payload, "branch"),
                             .head = TextIn(signal.payload, "head"),
                             .target = TextIn(signal.payload, "target")};
  merging_.Enqueue(request, [this, signal, from](const Result<Json>& entry) {
    if (!entry) {
      const std::string why = fmt::format("MERGE_READY: {}", entry.error().message);
      if (from) Note(*from, why);
      options_.say(why);
      if (entry.error().code == ErrorCode::kBusy) return;  // handed out again in a minute
      if (from) {
        Signal failed{.type = SignalType::kMergeFailed,
                      .from = "guardian",
                      .to = from->identity().text(),
                      .at = doors_.clock.Wall(),
                      .payload = MakeObject({{"reason", entry.error().message}})};
        SignalBox box = BoxOf(Recipient::Agent(from->identity()));
        if (const Result<std::string> sent = box.Send(failed); !sent) Complain(sent.error());
        DeliverSoon(from->identity());
      }
    } else if (from) {
      Note(*from, fmt::format("its work is queued as {}", TextIn(*entry, "entry_id")));
    }
    const Result<void> done = inbox_.Acknowledge(signal.id);
    if (!done) Complain(done.error());
    OnMergeQueue();
  });
}

}  // namespace belay
