// Messages to agents, as far as it takes to know agents: whether one can be reached, and what its
// successor gets of the messages that waited.

#ifndef BELAY_APP_MESSAGES_H_
#define BELAY_APP_MESSAGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "app/session_env.h"
#include "base/result.h"
#include "ledger/dispatcher.h"
#include "model/delivery.h"
#include "model/hook.h"
#include "model/identity.h"

namespace belay {

enum class Reach {
  kHooks,      // its next hook delivers
  kAtPrompt,   // it has hooks, and waits at its prompt: none of them runs until somebody types
  kNotYet,     // it has just started, and no hook has reported yet
  kNoHooks,    // no hook reports: nothing can be delivered while it runs
  kComesBack,  // it doesn't run; its successor gets the message
  kEnded,      // it has ended, and doesn't come back by itself
};
std::string_view ReachName(Reach reach);  // "no_hooks"
// "its next tool call delivers it"; for people.
std::string ReachText(Reach reach, const IdentityName& agent);

// By its record, and by what its hooks reported.
Reach ReachOf(const SessionEnv& env, const Identity& identity);

// How long a message may still wait before it is reported to a person; zero or less: not longer.
Duration TimeUntilLate(const Delivery& delivery, const Identity& identity, Reach reach,
                       const SuperviseSettings& settings, WallTime now);

// The messages that a successor finds in its resume text: all of them if its predecessor had no
// hooks, and what the resume text says about its branch in any case. The others are delivered by
// its first hook. What the predecessor was given and has not read waits again.
std::vector<Signal> MessagesForResume(const SessionEnv& env, const Identity& predecessor);
bool IsInResumeText(const Signal& signal, const Hook& hook);

struct ResumeMessages {
  std::vector<std::string> ids = {};  // of those that the text of a successor holds
  bool only_in_file = false;  // nothing puts the text before the successor: they wait all the same
};
// The successor is on record.
void RecordResumed(const SessionEnv& env, const Identity& next, const ResumeMessages& messages);
// A new task under an old name doesn't get what was meant for the task before. How many.
Result<std::size_t> DropMessages(const SessionEnv& env, const Identity& before,
                                 std::string_view why);
// Puts what waits where the hooks of this incarnation find it.
Result<void> OfferMessages(const SessionEnv& env, const Identity& identity);

// Finds out whether the agent has read what it was given (engine/messages/reading.h), and records
// it. Of the present incarnation and those before it. Reads the end of its event log and of
// transcripts if there is something to find out. What was not read when the agent ended waits
// again. Those that changed.
Result<std::vector<Delivery>> ReviewMessages(const SessionEnv& env, Dispatcher& dispatcher,
                                             const Identity& identity);

}  // namespace belay

#endif  // BELAY_APP_MESSAGES_H_
