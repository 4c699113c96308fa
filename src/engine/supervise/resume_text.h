// The texts for a new agent and for the successor of a dead one (SES-13), made by the one text
// builder (prompt/).

#ifndef BELAY_ENGINE_SUPERVISE_RESUME_TEXT_H_
#define BELAY_ENGINE_SUPERVISE_RESUME_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "model/hook.h"
#include "model/identity.h"
#include "model/signal.h"
#include "os/random.h"

namespace belay {

struct ResumeFacts {
  const Identity& successor;  // predecessor_id is set
  const Hook& hook;
  std::optional<AgentExit> end = {};  // of the predecessor
  std::string task = {};              // the user's prompt for the first incarnation, verbatim
  bool reduced = false;  // earlier resumes failed: leave out what may have been the cause
  // not delivered to the predecessor, and no hook will deliver them
  std::vector<Signal> messages = {};
  std::string brief = {};  // of the workflow's resumption document, built by belay; empty: none
};

// "You are a continuation of {predecessor_id}." "Resume from phase: {phase}, last working on:
// {summary}", then node, files, tests, snapshot, notes and instructions as data blocks, and that
// MERGE_READY is the only way to land work. If its branch could not land, why, and how to fix it,
// in belay's own words. Finally the task, after a sentence that names its author. The reduced text
// has nothing that an agent wrote, not even the summary, only the commands that show it.
std::string ResumeText(const ResumeFacts& facts, Random& random);

// For the first incarnation: the user's own prompt, unchanged, and belay's text after it.
std::string SpawnText(const Identity& identity, const std::string& prompt, Random& random);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_RESUME_TEXT_H_
