// Repairs a project without losing data: journals with damaged lines (the damaged file is kept
// beside the new one), lost journals (from the archive), files of the archive, state files that are
// lost, out of date or edited (edits are kept), temporary files that a crash left.
//
// Each thing is repaired under its own lock, and everything is checked again once the project's
// lock is held. A failed repair doesn't stop the rest. A wrong root stops everything before it
// begins.

#ifndef BELAY_APP_REPAIRER_H_
#define BELAY_APP_REPAIRER_H_

#include <optional>
#include <string>
#include <vector>

#include "app/state_files.h"
#include "base/result.h"
#include "ledger/family_table.h"
#include "ledger/ledger.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/rendering.h"
#include "store/state_lock.h"

namespace belay {

struct Repair {
  std::string path;  // as seen from the project
  std::string what;  // what was done, or why it couldn't be
  std::optional<ErrorCode> failure = {};
  std::string hint = {};  // what to do about a failure
};

class Repairer {
 public:
  Repairer(FileSystem& files, const Clock& clock, const Layout& project)
      : files_(files), clock_(clock), project_(project) {}

  // What was done; nothing when all was well.
  Result<std::vector<Repair>> Run();

 private:
  Result<void> Inspect() const;
  void RepairJournals(const ProjectLock& project_lock, const std::vector<std::string>& names);
  void RepairJournal(const ProjectLock& project_lock, const std::string& name);
  Result<void> TryRepairJournal(const ProjectLock& project_lock, const std::string& name);
  Result<void> RepairArchive(const StateLock& lock, const std::string& name);
  Result<void> Restore(const ProjectLock& project_lock, const StateLock& lock,
                       const std::string& name);
  Result<void> NoteLostTaint(const StateLock& lock, std::string_view name);
  Result<std::string> KeepStateFiles(const std::string& name);
  Result<void> RepairRendering(const ProjectLock& project_lock);
  Result<void> RepairRenderings(AnyLedger& ledger);
  enum class Strays { kAll, kFolders };  // the latter are in the place of folders of renderings
  void RemoveStrays(const ProjectLock& project_lock, Strays which);
  Result<void> RemoveStray(const ProjectLock& project_lock, const StrayFile& stray);
  void Note(const std::string& path, std::string what);
  void NoteFailure(const std::string& path, const Error& error);

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  Ledgers ledgers_{files_, clock_, project_};
  ProjectLedger& ledger_ = ledgers_.Get<ProjectFamily>();
  std::vector<Repair> repairs_;
};

}  // namespace belay

#endif  // BELAY_APP_REPAIRER_H_
