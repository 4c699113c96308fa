// Removes old event logs, delivered messages and old news, so that nothing grows for ever.

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

// Removes event logs that got no event for a week: their effect is in the hook record. A running
// agent starts a new log with its next event.
void RemoveOldEventLogs(FileSystem& files, const Layout& project, WallTime now);

// Removes the texts of long messages that were delivered a week ago.
void RemoveOldTexts(FileSystem& files, const Layout& project, WallTime now);

// How many news (IsNews) are kept, the latest ones: for a person to read, or a script that waits
// for one.
constexpr std::size_t kMostNews = 20;
// Drops the oldest one if there are more; false when there are not.
bool DropOldestNews(SignalBox& person);

}  // namespace belay

#endif  // BELAY_GUARDIAN_CLEANUP_H_
