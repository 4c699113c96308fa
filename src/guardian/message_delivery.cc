// Offers messages to agents' hooks, records which ones a hook has delivered, and reports
// undelivered ones to a person.

#include <fmt/core.h>

#include <algorithm>

#include "app/messages.h"
#include "app/session_place.h"
#include "guardian/guardian.h"
#include "ledger/outbox.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr Duration kReviewAgain = std::chrono::seconds(1);

}  // namespace

// Agents are guarded even if no message can be delivered.
void Guardian::WatchOutbox() {
  const std::string folder = env_.project.OutboxFolder();
  const Result<void> there = EnsureFolder(env_.files, folder);
  if (!there) return ReportProblem(there.error());
  const Result<WatchId> watch = loop_.WatchFolder(folder, [this](const FolderEvent& event) {
    if (event.change == FolderChange::kGone) WatchOutbox();
    const bool look =
        event.change == FolderChange::kGone || event.change == FolderChange::kOverflow;
    if (look) return DeliverToAll();
    const auto name = ParseOutboxName(event.name);
    if (!name || event.change != FolderChange::kMovedIn) return;
    DeliverSoon(name->agent);
  });
  if (!watch) ReportProblem(watch.error());
}

// Also messages whose sender was killed before it could offer them.
void Guardian::DeliverToAll() {
  for (const auto& [name, entry] : identities_.book().entries()) {
    if (HasInbox(name)) DeliverSoon(name);
  }
}

bool Guardian::HasInbox(const IdentityName& name) const {
  return env_.files.Inspect(env_.project.SignalFolder(name.text())).ok();
}

void Guardian::DeliverSoon(const IdentityName& name) {
  deferred_work_.Add("deliver " + name.text(), [this, name] { Deliver(name); });
}

// Called after an event of the agent: perhaps its model has read its messages.
void Guardian::ReviewSoon(const IdentityName& name) {
  if (!messages_.ledger().book().Given(name).empty()) DeliverSoon(name);
}

void Guardian::DeliverAgain(const IdentityName& name, Duration wait) {
  TimerId& timer = message_timers_[name];
  loop_.CancelTimer(timer);
  timer = loop_.StartTimer(wait, [this, name] { DeliverSoon(name); });
}

void Guardian::Deliver(const IdentityName& name) {
  const Identity* found = identities_.book().Find(name);
  if (found == nullptr || !FactsOf(found->host).is_agent || !IsOurs(*found, lease_)) return;
  const Identity identity = *found;
  const Result<DispatchState> state = [&]() -> Result<DispatchState> {
    BELAY_TRY_ASSIGN(const std::vector<Delivery> reviewed,
                     ReviewMessages(env_, messages_, identity));
    for (const Delivery& delivery : reviewed) {
      const bool read = delivery.state == DeliveryState::kDelivered;
      Say(delivery.agent,
          fmt::format("{} {}", read ? "has read" : "has not read", DeliveryText(delivery)));
    }
    return messages_.Update(identity);
  }();
  if (!state) {
    ReportProblem(state.error());
    return DeliverAgain(name, kReviewAgain);
  }
  for (const Delivery& delivery : state->given) {
    Say(delivery.agent, fmt::format("received {}", DeliveryText(delivery)));
  }
  // A killed hook reports nothing, so look again.
  if (state->taker) return DeliverAgain(name, kReviewAgain);
  ReportIfLate(identity, state->waiting);
}

// Once for each message. An agent without hooks can't get it, so that is reported at once.
void Guardian::ReportIfLate(const Identity& identity, const std::vector<Delivery>& waiting) {
  const Reach reach = ReachOf(env_, identity);
  const WallTime now = env_.clock.Wall();
  std::vector<Delivery> late;
  std::optional<Duration> next;
  for (const Delivery& delivery : waiting) {
    if (delivery.state != DeliveryState::kSent) continue;
    // The agent was started with the message in its resume file: a person needn't act yet.
    if (delivery.agent == identity.id && !delivery.why.empty()) continue;
    const Duration left = TimeUntilLate(delivery, identity, reach, env_.settings, now);
    if (left <= Duration::zero()) {
      late.push_back(delivery);
      late.back().agent = identity.id;
      late.back().why = ReachText(reach, identity.id.identity());
    } else {
      next = std::min(next.value_or(left), left);
    }
  }
  if (next) DeliverAgain(identity.id.identity(), *next);
  if (!late.empty()) ReportUndelivered(identity, late);
}

// Reports, then records: after a kill in between it is reported once more.
void Guardian::ReportUndelivered(const Identity& identity, const std::vector<Delivery>& late) {
  const Result<void> reported = [&]() -> Result<void> {
    for (const Delivery& delivery : late) {
      const std::string reason = fmt::format("a message for {} was not delivered: {}",
                                             identity.id.text(), DeliveryText(delivery));
      const Signal signal{
          .type = SignalType::kEscalate,
          .from = "guardian",
          .to = "person",
          .at = env_.clock.Wall(),
          .payload = MakeObject(
              {{"reason", reason}, {"agent_id", identity.id.text()}, {"message_id", delivery.id}})};
      BELAY_TRY(BoxOf(Recipient::Person()).Send(signal));  // the guardian prints it, too
    }
    return messages_.RecordUndelivered(late);
  }();
  if (reported) return;
  ReportProblem(reported.error());
  DeliverAgain(identity.id.identity(), kReviewAgain);
}

}  // namespace belay
