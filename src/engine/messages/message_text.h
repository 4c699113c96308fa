// What an agent reads when messages are delivered to it. Pure.
//
// The words of the user (belay send, GUIDANCE and INPUT_RESPONSE of a person) and of belay stand as
// passages of their own, which the agent may follow. What anybody else wrote stands in data blocks.

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

// An agent cuts a longer answer of a hook.
constexpr std::size_t kLongestAnswer = 9'000;  // code points

void SayMessages(std::span<const Signal> messages, PromptBuilder& text);

// What fits into one answer of a hook. Words of the user that are too long for one are given in
// parts, one with each answer; all else waits behind them.
struct MessageAnswer {
  std::string text;
  std::size_t given = 0;   // messages from the front that the agent has with this answer
  std::uint64_t part = 0;  // parts that it has of the next one
};
// `part`: parts of the first message that it has already. `messages` isn't empty.
MessageAnswer AnswerWithMessages(std::span<const Signal> messages, std::uint64_t part,
                                 Random& random);

// Why a branch could not land, and how its agent fixes it: for a message to a running agent, and
// for the text that a successor begins with. Pure.
//
// belay's own sentences stand outside data blocks; names of branches stand in them as quoted lines;
// names of files and the reason as recorded stand in data blocks.

// The payload of MERGE_CONFLICT and MERGE_FAILED. `for_agent`: the agent is expected to fix it.
Json LandingProblem(const MergeEntry& entry, bool for_agent);

// Of such a payload; one of MERGE_FAILED may have nothing but a reason.
void SayLandingProblem(const Json& problem, PromptBuilder& text);

// Whether the model of an agent has read a message that the agent was given. Pure.
//
// A hook's answer may never reach the model: the agent is killed first, its program ignores the
// answer (too many hooks in a row sent the model on), another hook ends the turn. What shows that
// the model has read it is an answer of the model after it, in the conversation that it was given
// to.
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
// What is not read when the agent has ended is unread, and waits again.

// Whether a later event of the same conversation shows that the model has answered. After the end
// of a turn, a prompt or the resume text any tool call and any end of a turn does. After a tool
// call the next call may still be of the same answer, so it takes a call that begins, or the end of
// a turn. A prompt of the user shows nothing, and neither does what comes after it. `by`: the event
// whose hook delivered it (Delivery::by has the agent's name of it); nothing: no hook did.
bool EventsShowReading(const Delivery& given, std::optional<EventKind> by,
                       std::span<const AgentEvent> events);

struct ReadingEvidence {
  bool readable = false;  // the transcript of the conversation
  bool written = false;   // it holds the message
  bool answered = false;  // and the model has answered since
  bool event = false;     // EventsShowReading
  bool ended = false;     // the agent
  bool last = false;      // the conversation is the one that a successor goes on with
  bool hooks = false;     // the agent has reported events
  bool clean = false;     // it ended with exit code 0
};
Reading JudgeReading(const Delivery& given, std::optional<EventKind> by,
                     const ReadingEvidence& evidence);

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
