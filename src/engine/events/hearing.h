// What the events of one incarnation add up to. Pure: one event after the other changes it, and
// whoever acts on it compares before and after.
//
// clang-format off
//   event                                        what follows
//   ------------------------------------------   ----------------------------------------------------
//   any                                          it lives, and did something
//   session started                              which conversation, in which transcript
//   prompt submitted, turn goes on, a tool call  it works: it waits for nothing any more
//   a tool call                                  phase (below), the last actions
//   tool finished or failed, of tests            tests passed, failed (if their exit code says so)
//   turn ended                                   it waits for input
//   notified (permission, input)                 it waits for a permission, for input
//   turn failed                                  it waits for a rate limit or a login; if it ends now,
//                                                that is why
//   session ended, and none started after it     why its conversation ended
//   prompts, tool calls, ends of turns           whether it is in the middle of something (open_work.h)
//   session started by another program           what the one before was in the middle of is left, if
//                                                its session didn't end
//   compaction starting                          its context is about to be compacted
//   status shown                                 how full its context is, by its own figure
// clang-format on
//
// An agent may start others of its kind, whose hooks inherit its name: what they do shows that it
// lives, and nothing else. Whose events count: those of the process that is on record for it. If
// that is a script, those of the program that it started last: one that begins beside the one
// before, not below it. Calls of its sub-agents are its own, but say nothing about its phase.

#ifndef BELAY_ENGINE_EVENTS_HEARING_H_
#define BELAY_ENGINE_EVENTS_HEARING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/open_work.h"
#include "model/agent_event.h"
#include "model/hook.h"
#include "model/identity.h"

namespace belay {

// Which phase an agent is in by what it does, call by call, with a memory against flapping.
//
// clang-format off
//   a call that is   means            moves on   moves back after
//   --------------   --------------   --------   ----------------
//   read             investigation    -          8 of them
//   plan             planning         at once    3
//   edit             implementation   at once    3
//   test             testing          at once    3
//   commit           completion       at once    -
//   other            no opinion
// clang-format on
//
// They are counted since the last call that fits the present phase: an agent that edits also reads,
// and one that reads for a while and edits nothing has gone back. What the agent or a person said
// (`belay hook phase`) takes 8 calls of another kind to be overruled, in either direction.

std::optional<WorkPhase> PhaseOf(ActionKind kind);  // nothing: no opinion

struct ActionMemory {
  std::array<int, 5> calls = {};  // by phase, since the last that fits the present one
  bool told = false;              // the present phase was said
};

// The phase to move to, if any.
std::optional<WorkPhase> ConsiderAction(ActionMemory& memory, WorkPhase present, ActionKind kind);

// A turn that a program was in when it ended without a word, and the agent's command went on.
struct LeftTurn {
  std::string session = {};
  std::string transcript = {};
  OpenWork work = {};
};

struct Hearing {
  static constexpr std::size_t kMostLeft = 16;

  std::uint64_t events = 0;  // of all kinds, by anybody in its tree
  std::int64_t owner = 0;    // the agent's own process, as recorded; 0: not known
  std::int64_t pid = 0;      // whose count; 0: not known yet
  std::string session = {};
  std::optional<AgentKind> kind = {};  // of the program in that session
  std::string transcript = {};
  std::string folder = {};  // where it was last
  WorkPhase phase = WorkPhase::kInvestigation;
  ActionMemory memory = {};
  std::vector<HookAction> actions = {};  // the last of Hook::kMostActions
  std::uint64_t calls = 0;               // of tools, ever
  std::string tests_status = "unknown";
  std::string tests_detail = {};
  std::string waits = {};              // "input", "permission", "rate limit"; empty: it works
  std::optional<ExitCause> told = {};  // why it would end now
  std::string goodbye = {};            // why its session ended; empty: it did not
  OpenWork work = {};                  // what it is in the middle of
  std::vector<LeftTurn> left = {};     // by programs that its command started before
  std::uint64_t compactions = 0;       // begun
  std::optional<double> fill = {};     // by its own figure
  std::uint64_t window = 0;            // tokens; 0: not told
};

// One that begins, or goes on where a hook says that it was.
Hearing HearingOf(const Hook& hook);

void Hear(Hearing& hearing, const AgentEvent& event);

// What no record keeps, for a guardian that begins in the middle: `told` is all that came, also
// what is yet to be heard. So nothing is taken whose change is acted on.
void TakeUp(Hearing& hearing, const Hearing& told);

// Somebody said which phase it is in.
void HearPhase(Hearing& hearing, WorkPhase phase);

// Puts what was heard into a hook, besides the phase.
void NoteIn(Hook& hook, const Hearing& hearing);

// What the failure of a turn says about an end.
std::optional<ExitCause> CauseOfFailure(std::string_view error);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_HEARING_H_
