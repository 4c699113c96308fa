// What a new agent and the successor of a dead one are told (SES-13), made by the one builder of
// texts (prompt/).

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
  std::string task = {};              // the person's prompt of the first incarnation, verbatim
  bool reduced = false;               // the last ones failed: only what can't have been the cause
  std::vector<Signal> messages = {};  // that the predecessor did not get, and no hook will deliver
};

// "You are a continuation of {predecessor_id}." "Resume from phase: {phase}, last working on:
// {summary}", then node, files, tests, snapshot, notes and instructions as data blocks, and that
// MERGE_READY is the only way to land work. If its branch could not land, why, and how to fix it,
// in belay's own words. Last the task, behind a sentence that says whose it is. The reduced one has
// nothing that an agent wrote, not even the summary, but the commands that show it.
std::string ResumeText(const ResumeFacts& facts, Random& random);

// For the first incarnation: the person's own prompt as it is, and belay's words after it.
std::string SpawnText(const Identity& identity, const std::string& prompt, Random& random);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_RESUME_TEXT_H_
