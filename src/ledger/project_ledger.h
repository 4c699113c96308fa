// The one place that writes what has happened to belay in a project: its journal, and the rendering
// of that in the state root.
//
// Everything that changes something takes the lock of the journal. What is recorded is on the disk
// before the rendering is touched; a rendering that is behind, missing or edited is mended by
// Render, which whoever sets up or mends the project calls.

#ifndef BELAY_LEDGER_PROJECT_LEDGER_H_
#define BELAY_LEDGER_PROJECT_LEDGER_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/project.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/journal.h"
#include "store/layout.h"
#include "store/rendering.h"
#include "store/state_lock.h"

namespace belay {

struct Rendered {
  RenderingState before;
  std::optional<std::string> kept_as = {};  // where the file somebody had edited is now
};

class ProjectLedger {
 public:
  ProjectLedger(FileSystem& files, const Clock& clock, const Layout& project);

  // The lock of a journal. Waits at most `limit`, then kBusy. The vault's folder is
  // there; the folder of locks is made if it is missing. kNotFound when somebody who takes belay
  // out takes them away meanwhile.
  static Result<StateLock> Lock(FileSystem& files, const Layout& project,
                                std::string_view journal = kProjectJournal,
                                Duration limit = std::chrono::seconds(2));

  // What the journal says at present; without the lock.
  Result<ProjectState> Load();
  // Whether the journal is whole, to its last byte, and says no more than that belay was set up.
  // What can't be read may say more.
  bool SaysOnlySetUp();

  // On the disk when it returns, also when it was recorded before.
  Result<void> RecordSetUp(const StateLock& lock, std::string_view belay);
  Result<void> RecordRepair(const StateLock& lock, std::string_view file, std::uint64_t lines);
  Result<void> RecordDroppedRef(const StateLock& lock, std::string_view ref, std::string_view said);

  // How the rendering is, without changing it.
  Result<RenderingState> InspectRendering();
  // Brings the rendering up to date. One that was edited by hand is kept, and that is recorded:
  // once for each edit, however often it has to be tried.
  Result<Rendered> Render(const StateLock& lock);

 private:
  JournalFollower Follower();
  Result<void> Append(const StateLock& lock, Json record);
  Json Rendering() const;
  Result<bool> RecordKeptEdits(const StateLock& lock, const std::optional<std::string>& latest);

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  Journal journal_;
  ProjectState state_;
};

}  // namespace belay

#endif  // BELAY_LEDGER_PROJECT_LEDGER_H_
