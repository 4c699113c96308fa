// What an agent reads when messages are delivered to it. Pure.
//
// The words of the user (belay send, GUIDANCE and INPUT_RESPONSE of a person) and of belay stand as
// passages of their own, which the agent may follow. What anybody else wrote stands in data blocks.

#ifndef BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
#define BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_

#include <span>
#include <string>

#include "model/signal.h"
#include "os/random.h"
#include "prompt/prompt_builder.h"

namespace belay {

// An agent cuts a longer answer of a hook.
constexpr std::size_t kLongestAnswer = 9'000;  // code points

void SayMessages(std::span<const Signal> messages, PromptBuilder& text);
std::string MessageText(std::span<const Signal> messages, Random& random);
// For a text that is longer than kLongestAnswer, and stands in a file.
std::string PointToText(std::span<const Signal> messages, const std::string& path, Random& random);

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
