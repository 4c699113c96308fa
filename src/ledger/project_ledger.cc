#include "ledger/project_ledger.h"

#include "base/path.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::string_view kName = "project";
constexpr auto kLockLimit = std::chrono::seconds(2);

}  // namespace

ProjectLedger::ProjectLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files),
      clock_(clock),
      project_(project),
      journal_(files, project.JournalFile(kName), std::string(kName)) {}

Result<StateLock> ProjectLedger::Lock(FileSystem& files, const Layout& project) {
  BELAY_TRY(EnsureFolder(files, project.LockFolder()));
  return StateLock::Acquire(files, project.LockFile(kName), kLockLimit);
}

JournalFollower ProjectLedger::Follower() {
  return {.forget = [this] { state_ = {}; },
          .record = [this](std::uint64_t, const Json& record) { Apply(record, state_); }};
}

Result<ProjectState> ProjectLedger::Load() {
  BELAY_TRY(journal_.CatchUp(Follower()));
  return state_;
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
  if (state_.root == project_.Root()) return {};
  return Append(lock, MovedRecord(clock_.Wall(), project_.Root()));
}

Result<void> ProjectLedger::RecordRepair(const StateLock& lock, std::string_view file,
                                         std::uint64_t lines) {
  return Append(lock, RepairedRecord(clock_.Wall(), file, lines));
}

Result<RenderingState> ProjectLedger::InspectRendering() {
  BELAY_TRY(Load());
  return belay::InspectRendering(files_, project_.ProjectRendering(),
                                 ProjectRendering(state_, project_.Vault()));
}

// An edit counts in the state, so its rendering is made with the count already raised.
Result<Rendered> ProjectLedger::Render(const StateLock& lock) {
  const std::string path = project_.ProjectRendering();
  BELAY_TRY_ASSIGN(const RenderingState before, InspectRendering());
  if (before == RenderingState::kEdited) {
    BELAY_TRY_ASSIGN(const std::string kept, KeepEdited(files_, path, project_.EditedFolder()));
    BELAY_TRY(Append(lock, EditedRecord(clock_.Wall(), FileName(path), kept)));
    BELAY_TRY(WriteRendering(files_, path, ProjectRendering(state_, project_.Vault())));
    return Rendered{before, kept};
  }
  if (before != RenderingState::kCurrent) {
    BELAY_TRY(WriteRendering(files_, path, ProjectRendering(state_, project_.Vault())));
  }
  return Rendered{before};
}

}  // namespace belay
