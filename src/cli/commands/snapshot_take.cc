#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/quoted_path.h"
#include "adapters/git/tree_changes.h"
#include "app/outcome.h"
#include "app/snapshots.h"
#include "cli/commands/commands.h"
#include "cli/snapshot_text.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kMostPaths = 500;  // in a record; those beyond are only counted

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

// The commit that HEAD is at; empty when there is none yet.
std::string Head(const Git& git) {
  const Result<GitAnswer> answer = git.Run(
      {.arguments = {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, .good_exits = {0, 1}});
  if (!answer || answer->exit_code != 0) return {};
  return answer->out.substr(0, answer->out.find('\n'));
}

// What has changed, for the guardian, which keeps book of it. The snapshot stands, whatever can't
// be read.
void AddPaths(const Git& git, const Taken& taken, Json& record) {
  Result<std::vector<std::string>> paths = ChangedPaths(git, taken.snapshot);
  if (!paths) return;
  SnapshotOutcome outcome{.id = taken.snapshot.id.text(),
                          .is_new = taken.is_new,
                          .paths_count = paths->size(),
                          .head = Head(git)};
  if (paths->size() > kMostPaths) paths->resize(kMostPaths);
  outcome.paths = *std::move(paths);
  AddOutcome(outcome, record);
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

}  // namespace

Result<int> RunSnapshotTake(const Invocation& invocation, Services& services) {
  SnapshotTakeRequest request{.message = invocation.Value("--message")};
  if (!invocation.operands().empty()) request.of = invocation.operands()[0];
  BELAY_TRY_ASSIGN(const SnapshotTakeOutcome now, TakeSnapshotNow(services, request));
  const SavedSnapshot& snapshot = now.taken.snapshot;
  Io& io = services.io;
  const std::string text = io.json ? "" : Text(now.git, now.taken, io.screen.style);
  Json record = Record(now.taken, now.warnings);
  if (io.json) AddPaths(now.git, now.taken, record);
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
