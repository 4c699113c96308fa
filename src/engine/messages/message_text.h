// The text of messages that are delivered to an agent. Pure.
//
// Texts of the user (belay send, GUIDANCE and INPUT_RESPONSE of a user) and of belay are passages
// of their own, which the agent may follow. Everything else is in data blocks.

#ifndef BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
#define BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "codec/json.h"
#include "model/agent_event.h"
#include "model/delivery.h"
#include "model/merge_entry.h"
#include "model/signal.h"
#include "os/random.h"
#include "prompt/prompt_builder.h"

namespace belay {

// Agents cut longer hook answers.
constexpr std::size_t kLongestAnswer = 9'000;  // code points

void SayMessages(std::span<const Signal> messages, PromptBuilder& text);

// What fits into one hook answer. A user's text that is too long for one is given in parts, one per
// answer; everything else waits until it is complete.
struct MessageAnswer {
  std::string text;
  std::size_t given = 0;   // messages from the front that are delivered with this answer
  std::uint64_t part = 0;  // delivered parts of the next one
};
// `part`: parts of the first message that were delivered before. `messages` isn't empty.
MessageAnswer AnswerWithMessages(std::span<const Signal> messages, std::uint64_t part,
                                 Random& random);

// Why a branch could not land, and how its agent fixes it: for a message to a running agent, and
// for the resume text of a successor. Pure.
//
// belay's own sentences are outside data blocks and contain branch names as quoted lines; file
// names and the recorded reason are in data blocks.

// The payload of MERGE_CONFLICT and MERGE_FAILED. `for_agent`: the agent is expected to fix it.
Json LandingProblem(const MergeEntry& entry, bool for_agent);

// The text of such a payload; that of MERGE_FAILED may have only a reason.
void SayLandingProblem(const Json& problem, PromptBuilder& text);

// Whether an agent's model has read a message that was delivered to the agent. Pure.
//
// A hook's answer may never reach the model: the agent is killed first, its program ignores the
// answer (too many hooks in a row continued the turn), or another hook ends the turn. The proof of
// reading is a later answer of the model in the same conversation.
//
// clang-format off
//   given by              while it runs                        after its end
//   -------------------   ----------------------------------   -----------------------------------------
//   a hook, and the       read when the model has answered     read when the model has answered, or when
//     transcript is         since                                its conversation holds the message as
//     there                                                      context and a successor goes on with it
//   a hook, without a     read when an event shows it          the same
//     transcript
//   the resume text       read when the model has answered     the same; also when it has no hooks and
//                           since, or an event shows it          ended with exit code 0
// clang-format on
//
// A message that is not read when the agent has ended is unread, and waits again.

// Whether a later event of the same conversation shows that the model has answered. After the end
// of a turn, a prompt or the resume text, any tool call and any end of a turn does. After a tool
// call the next call may still belong to the same answer, so it takes a call that begins, or the
// end of a turn. A user's prompt proves nothing, nor does anything after it. `by`: the event whose
// hook delivered it (Delivery::by has the agent's name of it); nullopt: no hook did.
bool EventsShowReading(const Delivery& given, std::optional<EventKind> by,
                       std::span<const AgentEvent> events);

struct ReadingEvidence {
  bool readable = false;  // the transcript of the conversation
  bool written = false;   // it holds the message
  bool answered = false;  // and the model has answered since
  bool event = false;     // EventsShowReading
  bool ended = false;     // the agent
  bool last = false;      // a successor continues this conversation
  bool hooks = false;     // the agent has reported events
  bool clean = false;     // it ended with exit code 0
};
Reading JudgeReading(const Delivery& given, std::optional<EventKind> by,
                     const ReadingEvidence& evidence);

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
