// The parts of the campaign. Each has a place of its own, adds what it finds wrong to it, and ends
// early when it has found something.

#ifndef BELAY_SESSIONS_PARTS_H_
#define BELAY_SESSIONS_PARTS_H_

#include <cstddef>

#include "base/time.h"
#include "sessions/place.h"

namespace belay {

struct Counts {
  std::size_t writer_kills = 0;
  std::size_t notes = 0;  // acknowledged
  std::size_t guardian_kills = 0;
  std::size_t agent_kills = 0;
  std::size_t respawns = 0;
  std::size_t files = 0;  // checked in tree and snapshot
  std::size_t stops = 0;
  std::size_t stop_kills = 0;
  std::size_t halfway = 0;  // of those, killed when the stop was recorded and not done
  std::size_t exec_kills = 0;
  std::size_t pair_kills = 0;  // of a guardian and an exec
  std::size_t cleanings = 0;
  Duration longest_back{};  // until all renderings were there again
};

// Several `belay hook note` at once, most of them killed at some moment.
void KillHookWriters(Place& place, std::size_t kills, Counts& counts);
// The guardian is killed while agents die and are restarted.
void KillGuardians(Place& place, std::size_t kills, Counts& counts);
// Agents are killed in the middle of writing files.
void KillAgents(Place& place, std::size_t kills, Counts& counts);
// Agents are stopped on purpose, whatever else happens to them and to the guardian.
void StopAgents(Place& place, std::size_t stops, Counts& counts);
// Those who stop them are killed in the middle of it: what was recorded holds, what wasn't is as if
// nobody had asked.
void KillStops(Place& place, std::size_t kills, Counts& counts);
// `belay exec` is killed while it starts an agent, and while its agent writes files.
void KillExecs(Place& place, std::size_t kills, Counts& counts);
// The guardian and an agent's `belay exec` are killed together, sometimes the agent too, while it
// writes files: the next guardian finds an end that was not seen, and brings the agent back.
void KillPairs(Place& place, std::size_t kills, Counts& counts);
// The main worktree is cleaned the careless way while agents die and come back.
void CleanCarelessly(Place& place, std::size_t cleanings, Counts& counts);

}  // namespace belay

#endif  // BELAY_SESSIONS_PARTS_H_
