// The rows of the table of sessions, by file. Each prints its own and returns whether all goals
// were reached.

#ifndef BELAY_BENCH_SESSION_ROWS_H_
#define BELAY_BENCH_SESSION_ROWS_H_

#include <string>

#include "store/measure.h"

namespace belay::bench {

struct Programs {
  std::string belay;
  std::string folder;  // of the programs of the benchmark

  std::string idle_agent() const { return folder + "/idle_agent"; }
  std::string read_identities() const { return folder + "/read_identities"; }
};

bool AgentsRows(const Programs& programs, ScratchFolder& scratch);  // belay agents, with very many
bool DeathRows(const Programs& programs, ScratchFolder& scratch);   // kill -9 to record, successor
bool IdleRows(const Programs& programs, ScratchFolder& scratch);    // the guardian of idle agents
bool DeadlineRows(const Programs& programs, ScratchFolder& scratch);  // and of many deadlines

}  // namespace belay::bench

#endif  // BELAY_BENCH_SESSION_ROWS_H_
