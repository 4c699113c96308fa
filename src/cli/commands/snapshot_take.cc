#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/quoted_path.h"
#include "adapters/git/tree_changes.h"
#include "cli/commands/commands.h"
#include "cli/snapshot_place.h"
#include "cli/snapshot_text.h"
#include "snapshot/take.h"
#include "ui/width.h"

namespace belay {
namespace {

// "10 changed, 5 untracked, 12 KB"
std::string Content(const Git& git, const SavedSnapshot& snapshot) {
  const SnapshotRecord& record = snapshot.record;
  if (record.files == 0) return "nothing but what is committed";
  const TreePair untracked_files{{}, snapshot.untracked};
  const auto compared = CompareCommits(git, {&untracked_files, 1});
  if (!compared) {
    return fmt::format("{}, {}", CountText(record.files, "file"), SizeText(record.bytes));
  }
  const std::uint64_t untracked = std::min<std::uint64_t>((*compared)[0].size(), record.files);
  return fmt::format("{} changed, {} untracked, {}", record.files - untracked, untracked,
                     SizeText(record.bytes));
}

std::string Text(const Git& git, const Taken& taken, const Style& style) {
  const std::string id = style.Paint(Tone::kBold, taken.snapshot.id.text());
  if (!taken.is_new) return fmt::format("{}  nothing has changed since it was taken\n", id);
  return fmt::format("{}  {}\n", id, Content(git, taken.snapshot));
}

Json Record(const Taken& taken, const std::vector<std::string>& warnings) {
  Json record = SnapshotJson(taken.snapshot);
  record.Set("new", taken.is_new);
  record.Set("skipped", SkippedJson(taken.snapshot.record.skipped));
  Json unsteady = Json::EmptyArray();
  for (const std::string& path : taken.snapshot.record.unsteady) unsteady.Append(QuotePath(path));
  record.Set("unsteady", std::move(unsteady));
  record.Set("warnings", TextList(warnings));
  return record;
}

std::vector<std::string> RecordTaken(const SnapshotPlace& place, Services& services,
                                     const Taken& taken) {
  return RecordIfSetUp(services, place.project, [&](auto& ledger, const StateLock& lock) {
    return ledger.RecordTaken(lock, TakenEventOf(taken.snapshot));
  });
}

void SayWhatIsMissing(const SnapshotRecord& record, Io& io) {
  for (const SkippedPath& path : record.skipped) {
    if (path.reason == SkipReason::kUnreadable) continue;
    io.Say(fmt::format("not captured: {} ({})", Printable(QuotePath(path.path)),
                       SkipReasonMeaning(path.reason)));
  }
  for (const std::string& path : record.unsteady) {
    io.Say(fmt::format("captured while it was written to: {}", Printable(QuotePath(path))));
  }
}

// What should be in it and isn't.
std::optional<Error> Lacks(const SavedSnapshot& snapshot) {
  std::string names;
  std::size_t count = 0;
  for (const SkippedPath& path : snapshot.record.skipped) {
    if (path.reason != SkipReason::kUnreadable) continue;
    names += (count++ == 0 ? "" : ", ") + QuotePath(path.path);
  }
  if (count == 0) return std::nullopt;
  return Error{ErrorCode::kFailed,
               fmt::format("{} couldn't be read and {} not in {}: {}", CountText(count, "file"),
                           count == 1 ? "is" : "are", snapshot.id.text(), names),
               "give yourself the right to read what is missing, and take another one"};
}

Result<SnapshotPlace> PlaceToCapture(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(SnapshotPlace here, FindSnapshotPlace(invocation, services));
  if (invocation.operands().empty()) return here;
  BELAY_TRY_ASSIGN(const KeepName keep, KeepName::Parse(invocation.operands()[0]));
  return FindWorktree(here, keep, services);
}

}  // namespace

Result<int> RunSnapshotTake(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, PlaceToCapture(invocation, services));
  BELAY_TRY_ASSIGN(const SnapshotSettings settings,
                   SnapshotSettingsOrDefaults(invocation, services, place.project));
  TakeRequest request{.keep = place.keep, .rules = settings.rules};
  if (const auto message = invocation.Value("--message")) request.message = *message;
  BELAY_TRY_ASSIGN(const Taken taken, TakeSnapshot(place.At(services), request));
  std::vector<std::string> warnings = settings.warnings;
  if (taken.is_new) {
    const std::vector<std::string> more = RecordTaken(place, services, taken);
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  Io& io = services.io;
  const std::string text = io.json ? "" : Text(place.git, taken, io.screen.style);
  SayWhatIsMissing(taken.snapshot.record, io);
  for (const std::string& warning : warnings) io.Say(Printable(warning));
  const std::optional<Error> lacks = Lacks(taken.snapshot);
  if (!lacks) {
    io.Show(Record(taken, warnings), text);
    return 0;
  }
  io.ShowFailure(Record(taken, warnings), text, *lacks);
  if (!io.json) io.ShowError(*lacks);
  return ExitCode(lacks->code);
}

}  // namespace belay
