#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "app/outcome.h"
#include "app/snapshots.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "ui/width.h"

namespace belay {
namespace {

// "10 changed, 5 untracked, 12 KB"
std::string Content(const SnapshotTakeOutcome& now) {
  const SnapshotRecord& record = now.taken.snapshot.record;
  if (record.files == 0) return "nothing but what is committed";
  const std::optional<std::uint64_t> untracked = CountUntracked(now);
  if (!untracked) {
    return fmt::format("{}, {}", CountText(record.files, "file"), SizeText(record.bytes));
  }
  return fmt::format("{} changed, {} untracked, {}", record.files - *untracked, *untracked,
                     SizeText(record.bytes));
}

std::string Text(const SnapshotTakeOutcome& now, const Style& style) {
  const std::string id = style.Paint(Tone::kBold, now.taken.snapshot.id.text());
  if (!now.taken.is_new) return fmt::format("{}  nothing has changed since it was taken\n", id);
  return fmt::format("{}  {}\n", id, Content(now));
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

// What is missing from the snapshot.
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
               "make the missing files readable, and take another one"};
}

}  // namespace

Result<int> RunSnapshotTake(const Invocation& invocation, Services& services) {
  SnapshotTakeRequest request{.message = invocation.Value("--message")};
  if (!invocation.operands().empty()) request.of = invocation.operands()[0];
  BELAY_TRY_ASSIGN(const SnapshotTakeOutcome now, TakeSnapshotNow(services, request));
  const SavedSnapshot& snapshot = now.taken.snapshot;
  Io& io = services.io;
  const std::string text = io.json ? "" : Text(now, io.screen.style);
  Json record = Record(now.taken, now.warnings);
  if (io.json) {
    // For the guardian, which records it. The snapshot is valid even if this fails.
    if (const Result<SnapshotOutcome> changed = ChangesIn(now)) AddOutcome(*changed, record);
  }
  SayWhatIsMissing(snapshot.record, io);
  for (const std::string& warning : now.warnings) io.Say(Printable(warning));
  const std::optional<Error> lacks = Lacks(snapshot);
  if (!lacks) {
    io.Show(std::move(record), text);
    return 0;
  }
  io.ShowFailure(std::move(record), text, *lacks);
  if (!io.json) io.ShowError(*lacks);
  return ExitCode(lacks->code);
}

}  // namespace belay
