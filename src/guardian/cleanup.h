// Removing what kills left behind, so that nothing grows for ever.

#ifndef BELAY_GUARDIAN_CLEANUP_H_
#define BELAY_GUARDIAN_CLEANUP_H_

#include <string>
#include <vector>

#include "app/state_files.h"
#include "base/time.h"
#include "ledger/signal_box.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// What hooks told a week ago and nothing since: what followed from it is in the hook. An agent that
// still lives begins a new log when it tells something again.
void RemoveOldEventLogs(FileSystem& files, const Layout& project, WallTime now);

// Long messages that were delivered a week ago.
void RemoveOldTexts(FileSystem& files, const Layout& project, WallTime now);

// Of news (IsNews) the latest few are kept, for a person who wants to read them or a script that
// waits for one.
constexpr std::size_t kMostNews = 20;
// Drops one that is too much; false when there is none.
bool DropOldestNews(SignalBox& person);

}  // namespace belay

#endif  // BELAY_GUARDIAN_CLEANUP_H_
