#include "cli/delivery.h"

#include "base/utf8.h"
#include "engine/messages/message_text.h"
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

Result<std::string> TextFor(Services& services, const RecordedEvent& recorded,
                            const OutboxBatch& batch) {
  std::string text = MessageText(batch.messages, services.random);
  if (CountCodePoints(text) <= kLongestAnswer) return text;
  BELAY_TRY_ASSIGN(
      const std::string path,
      WriteLongText(services.files, recorded.project, recorded.agent, services.clock.Wall(), text));
  return PointToText(batch.messages, path, services.random);
}

Result<ProcessMark> OurMark() {
  BELAY_TRY_ASSIGN(const ProcessIdentity us, IdentityOf(static_cast<pid_t>(ThisProcess())));
  return ProcessMark{us.pid, us.start_time};
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
    return MayDeliver(batch, recorded.event) && !is_nested();
  };
  BELAY_TRY_ASSIGN(const ProcessMark us, OurMark());
  BELAY_TRY_ASSIGN(const std::optional<TakenBatch> taken,
                   TakeOutbox(services.files, recorded.project, recorded.agent, us, may_take));
  if (!taken) return false;
  const Result<std::string> text = TextFor(services, recorded, taken->batch);
  Result<void> printed = text ? Result<void>() : Result<void>(text.error());
  if (text) {
    services.io.out += AnswerWith(recorded.event.name, *text);
    printed = services.io.Flush();
  }
  if (!printed) {
    PutBack(services.files, recorded.project, *taken);
    return printed.error();
  }
  BELAY_TRY(MarkDelivered(services.files, recorded.project, *taken, services.clock.Wall(),
                          recorded.event.name));
  return true;
}

}  // namespace belay
