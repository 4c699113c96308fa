#include "ledger/project_ledger.h"

#include "base/path.h"
#include "store/durable_file.h"

namespace belay {
ProjectLedger::ProjectLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files),
      clock_(clock),
      project_(project),
      journal_(files, project.JournalFile(kProjectJournal), std::string(kProjectJournal)) {}

Result<StateLock> ProjectLedger::Lock(FileSystem& files, const Layout& project,
                                      std::string_view journal, Duration limit) {
  BELAY_TRY(EnsureFolder(files, project.LockFolder()));
  return StateLock::Acquire(files, project.LockFile(journal), limit);
}

JournalFollower ProjectLedger::Follower() {
  return {.forget = [this] { state_ = {}; },
          .record = [this](std::uint64_t, const Json& record) { Apply(record, state_); }};
}

Result<ProjectState> ProjectLedger::Load() {
  BELAY_TRY(journal_.CatchUp(Follower()));
  return state_;
}

bool ProjectLedger::SaysOnlySetUp() {
  if (!Load()) return false;
  const Result<FileInfo> file = files_.Inspect(project_.JournalFile(kProjectJournal));
  const std::uint64_t bytes = file ? file->bytes : 0;
  return state_.OnlySetUp() && bytes == journal_.bytes();
}

Result<void> ProjectLedger::Append(const StateLock& lock, Json record) {
  BELAY_TRY(EnsureFolder(files_, project_.JournalFolder()));
  BELAY_TRY(journal_.Append(lock, {&record, 1}, Follower()));
  Apply(record, state_);
  return {};
}

Result<void> ProjectLedger::RecordSetUp(const StateLock& lock, std::string_view belay) {
  BELAY_TRY(Load());
  if (!state_.initialised()) {
    return Append(lock, InitialisedRecord(clock_.Wall(), project_.Root(), belay));
  }
  if (state_.IsAt(project_.Root())) {
    // Whoever recorded it may have been killed before it was safe.
    BELAY_TRY(journal_.Append(lock, {}, Follower()));
    return {};
  }
  return Append(lock, MovedRecord(clock_.Wall(), project_.Root()));
}

Result<void> ProjectLedger::RecordRepair(const StateLock& lock, std::string_view file,
                                         std::uint64_t lines) {
  return Append(lock, RepairedRecord(clock_.Wall(), file, lines));
}

Result<void> ProjectLedger::RecordDroppedRef(const StateLock& lock, std::string_view ref,
                                             std::string_view said) {
  return Append(lock, DroppedRefRecord(clock_.Wall(), ref, said));
}

Json ProjectLedger::Rendering() const { return ProjectRendering(state_, project_.Vault()); }

Result<RenderingState> ProjectLedger::InspectRendering() {
  BELAY_TRY(Load());
  return belay::InspectRendering(files_, project_.ProjectRendering(), Rendering());
}

// Whether there was anything to record. A run that was stopped may have kept an edit and not have
// come to recording it.
Result<bool> ProjectLedger::RecordKeptEdits(const StateLock& lock,
                                            const std::optional<std::string>& latest) {
  const std::string path = project_.ProjectRendering();
  BELAY_TRY_ASSIGN(std::vector<std::string> names,
                   KeptEdits(files_, path, project_.EditedFolder()));
  std::erase_if(names, [&](const std::string& name) {
    return state_.kept.contains(name) && (!latest || name != FileName(*latest));
  });
  for (const std::string& name : names) {
    const std::string kept = JoinPath(project_.EditedFolder(), name);
    BELAY_TRY(Append(lock, EditedRecord(clock_.Wall(), FileName(path), kept)));
  }
  return !names.empty();
}

// An edit is kept, then it is replaced, then it is recorded: so one that is still there was never
// recorded, and one that is kept without a record still has to be.
Result<Rendered> ProjectLedger::Render(const StateLock& lock) {
  const std::string path = project_.ProjectRendering();
  BELAY_TRY_ASSIGN(const RenderingState before, InspectRendering());
  std::optional<std::string> kept;
  if (before == RenderingState::kEdited) {
    BELAY_TRY_ASSIGN(kept, KeepEdited(files_, path, project_.EditedFolder()));
  }
  if (before != RenderingState::kCurrent) BELAY_TRY(WriteRendering(files_, path, Rendering()));
  BELAY_TRY_ASSIGN(const bool news, RecordKeptEdits(lock, kept));
  if (news) BELAY_TRY(WriteRendering(files_, path, Rendering()));
  // Whoever wrote it may have been killed before its name was safe.
  if (!news && before == RenderingState::kCurrent)
    BELAY_TRY(files_.SyncFolder(project_.StateRoot()));
  return Rendered{before, kept};
}

}  // namespace belay
