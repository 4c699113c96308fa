// Compares the files of the state root with the journals, and finds what a crash left in the vault
// and the state root.

#ifndef BELAY_APP_STATE_FILES_H_
#define BELAY_APP_STATE_FILES_H_

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ledger/ledger.h"
#include "ledger/signal_box.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/rendering.h"
#include "store/state_lock.h"

namespace belay {

struct OddRendering {
  std::string path;
  RenderingState state;  // never kCurrent
};

// The files of one family that are lost, edited or out of date. A journal that can't be read is
// kDamaged.
Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger);

struct StrayFile {
  std::string path;
  bool ours;  // belay wrote it, about something that is no longer recorded
};

// Files among the renderings that are not renderings.
Result<std::vector<StrayFile>> FindStrays(const FileSystem& files, const Layout& project,
                                          std::span<AnyLedger* const> ledgers);

// The temporary files that a crash left beside any file that is written under the project's lock.
Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project);
Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock& lock,
                                      const Layout& project);

// The folders in which belay replaces files.
std::vector<std::string> FoldersToCleanUp(const FileSystem& files, const Layout& project);

// Temporary files that are an hour old or more: the process that wrote them was killed. For folders
// that other processes may be writing to; files that can't be removed stay.
void RemoveOldTemporaries(FileSystem& files, const std::string& folder, WallTime now);

// The files of a folder that were written before `than` and whose name is `wanted`.
void RemoveOldFiles(FileSystem& files, const std::string& folder, WallTime than,
                    bool (*wanted)(std::string_view name));

// Removes old event logs, delivered messages and old news, so that nothing grows for ever.

// Removes event logs that got no event for a week: their effect is in the hook record. A running
// agent starts a new log with its next event.
void RemoveOldEventLogs(FileSystem& files, const Layout& project, WallTime now);

// Removes the texts of long messages that were delivered a week ago.
void RemoveOldTexts(FileSystem& files, const Layout& project, WallTime now);

// Removes the checkpoints of compactions that are three months old.
void RemoveOldCheckpoints(FileSystem& files, const Layout& project, WallTime now);

// How many news (IsNews) are kept, the latest ones: for a person to read, or a script that waits
// for one.
constexpr std::size_t kMostNews = 20;
// Drops the oldest one if there are more; false when there are not.
bool DropOldestNews(SignalBox& person);

// For steps that other processes may undo at the same time: several processes set up, remove and
// repair a project, and people remove its folders without asking.

// The error of a step that never found what it needs: kBusy.
inline Error StillGoneError(const Error& last) {
  return {ErrorCode::kBusy,
          fmt::format("{}: another process is setting up or removing belay here", last.message),
          "try again in a moment"};
}

// Repeats `step`, a bounded number of times, as long as something it needs is gone (kNotFound).
// Each try makes what it can again.
template <class Step>
auto RetryIfGone(Step step) -> decltype(step()) {
  constexpr int kTries = 10;
  auto outcome = step();
  for (int i = 1; IsMissing(outcome); ++i) {
    if (i == kTries) return StillGoneError(outcome.error());
    outcome = step();
  }
  return outcome;
}

}  // namespace belay

#endif  // BELAY_APP_STATE_FILES_H_
