// The text of messages that are delivered to an agent. Pure.
//
// Texts of the user (belay send, GUIDANCE and INPUT_RESPONSE of a user) and of belay are passages
// of their own, which the agent may follow. Everything else is in data blocks.

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

}  // namespace belay

#endif  // BELAY_ENGINE_MESSAGES_MESSAGE_TEXT_H_
