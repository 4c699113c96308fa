// The one place that writes the history of belay in a project: its journal, and the rendering of
// that in the state root.
//
// Every change takes the lock of the journal. Records are on the disk before the rendering is
// touched; Render repairs a rendering that is outdated, missing or edited.

#ifndef BELAY_LEDGER_PROJECT_LEDGER_H_
#define BELAY_LEDGER_PROJECT_LEDGER_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/project.h"
#include "os/file_system.h"
#include "store/journal.h"
#include "store/layout.h"
#include "store/rendering.h"

namespace belay {

struct Rendered {
  RenderingState before;
  std::optional<std::string> kept_as = {};  // the copy of the edited file
};

class ProjectLedger;
struct ProjectFamily : FamilyDefaults {
  using Book = ProjectState;
  using LedgerClass = ProjectLedger;
  static constexpr std::string_view kJournal = kProjectJournal;
  static constexpr Following kFollow = Following::kWhole;
  static constexpr bool kCountsEdits = true;
  static Result<void> EachRendering(const Book& book, const Layout& project,
                                    const RenderingSink& sink);
};
using ProjectLock = FamilyLock<ProjectFamily>;

class ProjectLedger : public Ledger<ProjectFamily> {
 public:
  using Ledger::Ledger;

  // Doesn't check the vault, which may not be complete yet. kNotFound when another process that
  // removes belay has removed the folder of locks.
  static Result<ProjectLock> Lock(FileSystem& files, const Layout& project,
                                  Duration limit = kPatience) {
    return LockUnchecked(files, project, limit);
  }

  // The current state of the journal; without the lock.
  Result<ProjectState> Load();
  // Whether the journal is intact to its last byte, and records no more than that belay was set up.
  // An unreadable record may hold more.
  bool RecordsOnlySetUp();

  // On the disk when it returns, also when it was recorded before.
  Result<void> RecordSetUp(const ProjectLock& lock, std::string_view belay);
  Result<void> RecordRepair(const ProjectLock& lock, std::string_view file, std::uint64_t lines);
  Result<void> RecordDroppedRef(const ProjectLock& lock, std::string_view ref,
                                std::string_view said);
  // A settings file as it is now, by its path below the root.
  Result<void> RecordSettings(const ProjectLock& lock, std::string_view file,
                              std::string_view sha256);

  // The state of the rendering, without changing it.
  Result<RenderingState> InspectRendering();
  // Updates the rendering. One that was edited by hand is kept, and that is recorded: once for each
  // edit, even after retries. Returns the state before.
  Result<Rendered> RenderNoting(const ProjectLock& lock);
  // A journal that doesn't record where belay was set up has nothing to show yet.
  Result<void> Render(const ProjectLock& lock) override;

 private:
  Json Rendering() const;
  Result<bool> RecordKeptEdits(const ProjectLock& lock, const std::optional<std::string>& latest);
};

}  // namespace belay

#endif  // BELAY_LEDGER_PROJECT_LEDGER_H_
