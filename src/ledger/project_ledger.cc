#include "ledger/project_ledger.h"

#include "base/path.h"
#include "base/utf8.h"

namespace belay {

Result<void> ProjectFamily::EachRendering(const Book& book, const Layout& project,
                                          const RenderingSink& sink) {
  if (!book.initialised()) return {};
  return sink({project.JournalRendering(kJournal),
               [&] { return ProjectRendering(book, project.Vault()); }});
}

Result<ProjectState> ProjectLedger::Load() {
  BELAY_TRY(CatchUp());
  return book_;
}

bool ProjectLedger::RecordsOnlySetUp() {
  if (!Load()) return false;
  const Result<FileInfo> file = files_.Inspect(project_.JournalFile(kProjectJournal));
  const std::uint64_t bytes = file ? file->bytes : 0;
  return book_.OnlySetUp() && bytes == journal_.bytes();
}

Result<void> ProjectLedger::RecordSetUp(const ProjectLock& lock, std::string_view belay) {
  BELAY_TRY(Load());
  if (!book_.initialised()) {
    return AppendOneAndCompact(lock, InitialisedRecord(clock_.Wall(), project_.Root(), belay));
  }
  if (book_.IsAt(project_.Root())) {
    // The process that recorded it may have been killed before it was durable.
    return Append(lock, std::span<const Json>());
  }
  return AppendOneAndCompact(lock, MovedRecord(clock_.Wall(), project_.Root()));
}

Result<void> ProjectLedger::RecordRepair(const ProjectLock& lock, std::string_view file,
                                         std::uint64_t lines) {
  return AppendOneAndCompact(lock, RepairedRecord(clock_.Wall(), file, lines));
}

Result<void> ProjectLedger::RecordDroppedRef(const ProjectLock& lock, std::string_view ref,
                                             std::string_view said) {
  return AppendOneAndCompact(lock, DroppedRefRecord(clock_.Wall(), ref, said));
}

Result<void> ProjectLedger::RecordSettings(const ProjectLock& lock, std::string_view file,
                                           std::string_view sha256) {
  BELAY_TRY(Load());
  const auto seen = book_.settings.find(ReplaceInvalidUtf8(file));
  if (seen != book_.settings.end() && seen->second.sha256 == sha256) return {};
  const bool first = seen == book_.settings.end();
  return AppendOneAndCompact(lock, SettingsRecord(clock_.Wall(), file, sha256, first));
}

Json ProjectLedger::Rendering() const { return ProjectRendering(book_, project_.Vault()); }

Result<RenderingState> ProjectLedger::InspectRendering() {
  BELAY_TRY(Load());
  return belay::InspectRendering(files_, project_.JournalRendering(kProjectJournal), Rendering());
}

// Whether there was anything to record. An interrupted run may have kept an edit without recording
// it.
Result<bool> ProjectLedger::RecordKeptEdits(const ProjectLock& lock,
                                            const std::optional<std::string>& latest) {
  const std::string path = project_.JournalRendering(kProjectJournal);
  BELAY_TRY_ASSIGN(std::vector<std::string> names,
                   KeptEdits(files_, path, project_.EditedFolder()));
  std::erase_if(names, [&](const std::string& name) {
    return book_.kept.contains(name) && (!latest || name != FileName(*latest));
  });
  for (const std::string& name : names) {
    const std::string kept = JoinPath(project_.EditedFolder(), name);
    BELAY_TRY(AppendOneAndCompact(lock, EditedRecord(clock_.Wall(), FileName(path), kept)));
  }
  return !names.empty();
}

// An edit is kept, then replaced, then recorded: so one that is still there was never recorded, and
// a kept one without a record still has to be.
Result<Rendered> ProjectLedger::RenderNoting(const ProjectLock& lock) {
  const std::string path = project_.JournalRendering(kProjectJournal);
  BELAY_TRY_ASSIGN(const RenderingState before, InspectRendering());
  BELAY_TRY_ASSIGN(const std::optional<std::string> kept,
                   KeepForeign(files_, path, project_.EditedFolder(), before));
  if (before != RenderingState::kCurrent) BELAY_TRY(WriteRendering(files_, path, Rendering()));
  BELAY_TRY_ASSIGN(const bool news, RecordKeptEdits(lock, kept));
  if (news) {
    // Edited again since: that is kept now and recorded with the next rendering.
    BELAY_TRY_ASSIGN(const RenderingState now, InspectRendering());
    BELAY_TRY(KeepForeign(files_, path, project_.EditedFolder(), now));
    BELAY_TRY(WriteRendering(files_, path, Rendering()));
  }
  // The process that wrote it may have been killed before its name was durable.
  if (!news && before == RenderingState::kCurrent)
    BELAY_TRY(files_.SyncFolder(project_.StateRoot()));
  return Rendered{before, kept};
}

Result<void> ProjectLedger::Render(const ProjectLock& lock) {
  BELAY_TRY(CatchUp());
  if (book_.initialised()) BELAY_TRY(RenderNoting(lock));
  return {};
}

}  // namespace belay
