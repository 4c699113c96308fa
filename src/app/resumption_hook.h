// What the hooks of an agent do about its resumption document (RES-7, RES-8, RES-10).
//
// clang-format off
//   event                 at once, in the hook's answer                  afterwards, in the background
//   -------------------   --------------------------------------------   -----------------------------
//   session starts        T8 if the section is CRITICAL; the brief       merges events that wait
//                         after a compaction, and without belay
//   prompt                the <context-monitor> block
//   tool that writes it   refused if it changes the section by hand,
//                         breaks the file, or the section is CRITICAL
//   ... has written it,   a warning if it was changed by hand or is      T1, T2 if the phase changed
//   or a command named it not FRESH
//   compaction begins                                                    a checkpoint file, and T5 waits
//   sub-agent, task ends                                                 T4
//   turn ends                                                            T8 after its own compaction
// clang-format on
//
// Without a document nothing happens. A tool call that doesn't mention one costs a search in its
// input; the other events cost a few failed look-ups of a file.

#ifndef BELAY_APP_RESUMPTION_HOOK_H_
#define BELAY_APP_RESUMPTION_HOOK_H_

#include <string>
#include <string_view>
#include <vector>

#include "app/env.h"
#include "app/hook_event.h"
#include "engine/shell/effects.h"

namespace belay {

struct DocumentAnswer {
  std::string refusal = {};  // why the tool call is refused, for the model
  std::string text = {};     // for the model
  bool later = false;        // UpdateAfterEvent has something to do
};

// `input`: what the hook got. Failures are left to the next event.
DocumentAnswer AnswerForDocument(Env& env, const RecordedEvent& recorded, const std::string& input);
void UpdateAfterEvent(Env& env, const RecordedEvent& recorded);

// The files of that name that a shell command may write: by a redirection, tee, cp, mv, sed -i ...
// Not absolute where the folder isn't known. It needn't exist: `cp NAME x` may mean x/NAME.
std::vector<std::string> WritesTo(std::string_view command, std::string_view name,
                                  const ShellWorld& world);

}  // namespace belay

#endif  // BELAY_APP_RESUMPTION_HOOK_H_
