// What an agent reads when messages are delivered to it. Pure.
//
// The words of the user (belay send, GUIDANCE and INPUT_RESPONSE of a person) and of belay stand as
// passages of their own, which the agent may follow. What anybody else wrote stands in data blocks.

#ifndef BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
#define BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_

#include <cstdint>
#include <span>
#include <string>

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

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
