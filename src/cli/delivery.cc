#include "cli/delivery.h"

#include "engine/events/open_work.h"
#include "engine/messages/message_text.h"
#include "ledger/event_log.h"
#include "ledger/outbox.h"
#include "os/process_identity.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr std::string_view kStop = "Stop";

// For Stop the messages are the reason to go on; for the others they are context.
std::string AnswerWith(std::string_view event, const std::string& text) {
  const Json answer =
      event == kStop
          ? MakeObject({{"decision", "block"}, {"reason", text}})
          : MakeObject({{"hookSpecificOutput",
                         MakeObject({{"hookEventName", event}, {"additionalContext", text}})}});
  return WriteJson(answer, JsonStyle::kCompact) + "\n";
}

Result<ProcessMark> OurMark() {
  BELAY_TRY_ASSIGN(const ProcessIdentity us, IdentityOf(static_cast<pid_t>(ThisProcess())));
  return ProcessMark{us.pid, us.start_time};
}

// The receipt first: what was printed without one would count as all of the batch.
Result<void> Print(Services& services, const RecordedEvent& recorded, const TakenBatch& taken,
                   const MessageAnswer& answer) {
  const OutboxReceipt receipt{answer.given, recorded.event.session, recorded.event.transcript};
  BELAY_TRY(WriteReceipt(services.files, taken, receipt));
  services.io.out += AnswerWith(recorded.event.name, answer.text);
  return services.io.Flush();
}

// The event log says that the agent's turn has ended.
Result<void> RecordThatTurnGoesOn(Services& services, const RecordedEvent& recorded) {
  AgentEvent event = recorded.event;
  event.name = kTurnGoesOn;
  event.at = services.clock.Wall();
  return AppendEvent(services.files, recorded.project, recorded.agent, event);
}

OutboxBatch RestOf(const OutboxBatch& batch, const MessageAnswer& answer) {
  OutboxBatch rest = batch;
  rest.messages.erase(rest.messages.begin(),
                      rest.messages.begin() + static_cast<std::ptrdiff_t>(answer.given));
  rest.part = answer.part;
  return rest;
}

}  // namespace

// Versions that don't set CLAUDE_PID drop the context of PreToolUse without a word.
bool CarriesMessages(std::string_view event, const Environment& environment) {
  if (event == "PreToolUse") return environment.Get("CLAUDE_PID").has_value();
  return event == "PostToolUse" || event == "UserPromptSubmit" || event == kStop;
}

Result<bool> DeliverMessages(Services& services, const RecordedEvent& recorded,
                             const std::function<bool()>& is_nested) {
  if (!services.files.Inspect(recorded.project.OutboxFile(recorded.agent))) return false;
  const auto may_take = [&](const OutboxBatch& batch) {
    return !batch.messages.empty() && MayDeliver(batch, recorded.event) && !is_nested();
  };
  BELAY_TRY_ASSIGN(const ProcessMark us, OurMark());
  BELAY_TRY_ASSIGN(const std::optional<TakenBatch> taken,
                   TakeOutbox(services.files, recorded.project, recorded.agent, us, may_take));
  if (!taken) return false;
  const OutboxBatch& batch = taken->batch;
  const MessageAnswer answer = AnswerWithMessages(batch.messages, batch.part, services.random);
  const Result<void> printed = Print(services, recorded, *taken, answer);
  if (!printed) {
    PutBack(services.files, recorded.project, *taken);
    return printed.error();
  }
  if (recorded.event.name == kStop) BELAY_TRY(RecordThatTurnGoesOn(services, recorded));
  const OutboxBatch rest = RestOf(batch, answer);
  // If that fails, the dispatcher offers it.
  if (!rest.messages.empty()) (void)OfferRest(services.files, recorded.project, rest, us);
  BELAY_TRY(MarkGiven(services.files, recorded.project, *taken, services.clock.Wall(),
                      recorded.event.name));
  return true;
}

}  // namespace belay
