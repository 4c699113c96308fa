// What an agent reads when messages are delivered to it. Pure.
//
// The words of the user (belay send, GUIDANCE and INPUT_RESPONSE of a person) and of belay stand as
// passages of their own, which the agent may follow. What anybody else wrote stands in data blocks.

#ifndef BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
#define BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_

#include <cstdint>
#include <span>
#include <string>

#include "codec/json.h"
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

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
