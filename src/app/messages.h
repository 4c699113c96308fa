// The part of messages that depends on agents: whether an agent can be reached, and which waiting
// messages its successor gets.

#ifndef BELAY_APP_MESSAGES_H_
#define BELAY_APP_MESSAGES_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/env.h"
#include "base/result.h"
#include "ledger/dispatcher.h"
#include "model/delivery.h"
#include "model/hook.h"
#include "model/identity.h"

namespace belay {

enum class Reach {
  kHooks,      // its next hook delivers
  kAtPrompt,   // it has hooks, and waits at its prompt: none of them runs until the user types
  kNotYet,     // it has just started, and no hook has reported yet
  kNoHooks,    // no hook reports: nothing can be delivered while it runs
  kComesBack,  // it doesn't run; its successor gets the message
  kEnded,      // it has ended, and isn't restarted
};
std::string_view ReachName(Reach reach);  // "no_hooks"
// "its next tool call delivers it"; for people.
std::string ReachText(Reach reach, const IdentityName& agent);

// From its record and what its hooks reported.
Reach ReachOf(const SessionEnv& env, const Identity& identity);

// How long a message may still wait before it is reported to a person; zero or less: no longer.
Duration TimeUntilLate(const Delivery& delivery, const Identity& identity, Reach reach,
                       const SuperviseSettings& settings, WallTime now);

// The messages that a successor finds in its resume text: all of them if its predecessor had no
// hooks, and always those that the resume text reports about its branch. The first hook of the
// successor delivers the others. Messages that the predecessor was given and has not read wait
// again.
std::vector<Signal> MessagesForResume(const SessionEnv& env, const Identity& predecessor);
bool IsInResumeText(const Signal& signal, const Hook& hook);

// How many messages wait for each agent, each counted once: what the journal records as waiting and
// what is in outboxes, without what hooks have given since. Takes no lock. What can't be read
// isn't counted.
std::map<IdentityName, std::size_t> CountWaitingMessages(const SessionEnv& env);

struct ResumeMessages {
  std::vector<std::string> ids = {};  // of the messages in the successor's text
  bool only_in_file = false;          // nothing shows the text to the successor, so they still wait
};
// The successor must be on record.
void RecordResumed(const SessionEnv& env, const Identity& next, const ResumeMessages& messages);
// A new task under an old name doesn't get messages for the previous task. Returns how many were
// dropped.
Result<std::size_t> DropMessages(const SessionEnv& env, const Identity& before,
                                 std::string_view why);
// Puts waiting messages where the hooks of this incarnation find them.
Result<void> OfferMessages(const SessionEnv& env, const Identity& identity);

// Finds out whether the agent has read what it was given (engine/messages/reading.h), and records
// it, for the current incarnation and those before it. Reads the end of its event log and of
// transcripts only if needed. What was not read when the agent ended waits again. Returns the
// messages that changed.
Result<std::vector<Delivery>> ReviewMessages(const SessionEnv& env, Dispatcher& dispatcher,
                                             const Identity& identity);

}  // namespace belay

#endif  // BELAY_APP_MESSAGES_H_
