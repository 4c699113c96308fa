// Operations on resumption documents (docs/resumption.md): finding the one that belongs to an agent
// or a folder, updating it, and judging how fresh it is.
//
// The file is the truth. An update takes the lock of the journal "resumption", reads the file,
// applies the event, records in the journal what it is about to do, and replaces the file if it
// still is what was read; otherwise it starts again with what a person has written. An updater that
// is killed leaves its event in the journal as unsure: the next one looks whether the file holds
// it, and applies it before anything else if not. The same holds for events that wait, because
// others kept changing the file, or because it couldn't be read.

#ifndef BELAY_APP_RESUMPTION_H_
#define BELAY_APP_RESUMPTION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/env.h"
#include "base/result.h"
#include "config/config.h"
#include "engine/resumption/document.h"
#include "engine/resumption/orientation.h"
#include "engine/resumption/triggers.h"
#include "ledger/resumption_ledger.h"
#include "model/resumption_log.h"
#include "store/layout.h"
#include "store/vault.h"

namespace belay {

constexpr std::string_view kDocumentName = "ORCHESTRATION.yaml";

// In whose session something happens.
struct DocumentSession {
  std::string agent = {};    // its id; empty: none is known
  std::string session = {};  // the agent program's id of its conversation; empty: not known
  std::optional<WallTime> started = {};
};

// A document, and what is needed to work with it.
struct DocumentEnv {
  FileSystem& files;
  const Clock& clock;
  const Layout& project;
  std::string path;  // absolute
  DocumentSession session = {};
  Duration patience = std::chrono::seconds(2);  // for the lock, and programs that write the file
  // For infrastructure, which reports an event once: one that can't be applied now is kept for the
  // next update, unless it breaks a rule.
  bool holds = false;
};

// The document of a folder. `configured` is a path in the project if it has a slash, else the name
// (empty: ORCHESTRATION.yaml) of the nearest such file at or above the root of the worktree around
// the folder. Nothing: there is none.
std::optional<std::string> FindDocument(const FileSystem& files, const Layout& project,
                                        const std::string& configured, const std::string& folder);
// One name for one document, whatever the way to it: the journal goes by names.
std::string PathOfDocument(const FileSystem& files, std::string path);
// FindDocument on the hook path, where no settings are read: `resumption.file` comes from a note
// that RememberDocument keeps in the vault.
std::optional<std::string> FindDocumentQuickly(const FileSystem& files, const Layout& project,
                                               const std::string& folder);
// Brings the note up to date; called by whatever reads the settings anyway.
Result<void> RememberDocument(FileSystem& files, const Layout& project, const Config& config);

struct UpdateOutcome {
  std::string event;     // its id
  bool applied = false;  // false: it was applied before
  Resumption section = {};
  std::vector<std::string> warnings = {};
};

// kNotFound without a file, kDamaged when it can't be edited safely, kRefused for a broken rule.
// kBusy when others keep changing the file: then the event is kept for the next update. After
// another error it isn't in the file, and never will be, unless `holds` is set.
Result<UpdateOutcome> UpdateDocument(const DocumentEnv& env, const ResumptionEvent& event,
                                     bool keep_v1_keys = false);
// The same under the lock.
Result<UpdateOutcome> UpdateLocked(const ResumptionLock& lock, const DocumentEnv& env,
                                   const ResumptionEvent& event, bool keep_v1_keys = false);
// Applies only the events that wait. Gives how many.
Result<std::size_t> MergeWaitingEvents(const DocumentEnv& env);
Result<std::size_t> MergeLocked(const ResumptionLock& lock, const DocumentEnv& env);
// Records an event to be merged by the next update. Durable.
Result<void> RecordWaitingEvent(const DocumentEnv& env, const ResumptionEvent& event);

struct DocumentState {
  ResumptionDocument document;
  StalenessReport staleness;
  bool edited_by_hand = false;  // since belay's last update
  std::size_t waiting = 0;      // events
  std::optional<WallTime> phase_began = {};
};
Result<DocumentState> ReadDocumentState(const DocumentEnv& env,
                                        Duration stale_after = std::chrono::minutes(30));

// The session of an agent that runs the command, else the newest one of the project.
Result<DocumentSession> FindSession(const Env& env, const Layout& project);

// The commands.
struct ResumptionPlace {
  Layout project;
  std::string path;
  Duration stale_after;
};
// `file`: --file. Without a document: kNotFound.
Result<ResumptionPlace> FindResumptionPlace(Env& env, const std::optional<std::string>& file,
                                            VaultUse use);

// The text for the resume text of a successor in that worktree; empty without a document.
std::string BriefFor(FileSystem& files, const Clock& clock, Random& random, const Layout& project,
                     const std::string& folder);

}  // namespace belay

#endif  // BELAY_APP_RESUMPTION_H_
