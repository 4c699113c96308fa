// The rows of the store's table, by file. Each prints its own and returns whether all goals were
// reached.

#ifndef BELAY_BENCH_STORE_ROWS_H_
#define BELAY_BENCH_STORE_ROWS_H_

#include "measure.h"

namespace belay::bench {

bool ReplaceRows(ScratchFolder& scratch);
bool AppendRows(ScratchFolder& scratch);    // one writer
bool ProcessRows(ScratchFolder& scratch);   // several processes, one journal
bool RecoveryRows(ScratchFolder& scratch);  // a long journal
bool InboxRows(ScratchFolder& scratch);     // from a sender to a sleeping reader

}  // namespace belay::bench

#endif  // BELAY_BENCH_STORE_ROWS_H_
