#include "cli/why_entry.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/history.h"
#include "cli/merge_view.h"
#include "cli/snapshot_text.h"
#include "codec/json.h"
#include "ledger/merge_ledger.h"
#include "ui/width.h"

namespace belay {
namespace {

// What its record says beside why it was written: where it doesn't fit, which gate said no.
std::string WhyOf(const Json& record, const Json& entry) {
  std::string why = TextIn(record, "why");
  if (why == "told") return "reported";  // by an older belay, or once more
  if (why.starts_with("reported to ")) return why;
  const std::optional<MergeStatus> status = ParseMergeStatus(TextIn(entry, "status"));
  const std::string error = TextIn(entry, "last_error");
  const bool stopped = status && (IsParked(*status) || IsWaiting(*status));
  const bool says_more = stopped && !error.empty() && error != why;
  return says_more ? fmt::format("{}: {}", why, error) : why;
}

History HistoryOf(FileSystem& files, const Layout& project, const MergeEntry& wanted) {
  const HistoryJudge judge = [&](std::string_view,
                                 const Json& record) -> std::optional<HistoryRecord> {
    const Json* entry = record.Find("entry");
    if (entry == nullptr || TextIn(*entry, "entry_id") != wanted.id()) return std::nullopt;
    return HistoryRecord{.kind = TextIn(*entry, "status"),
                         .agent_id = TextIn(*entry, "identity_name"),
                         .why = WhyOf(record, *entry)};
  };
  return ReadHistory(files, project, judge, {.journal = MergeFamily::kJournal});
}

std::string HistoryTable(const History& history, const Screen& screen) {
  Table table{.columns = {{.title = "time (UTC)"},
                          {.title = "what"},
                          {.title = "why", .fit = Fit::kWrap, .min_width = 24}}};
  for (const HistoryRecord& record : history.records) {
    const std::optional<MergeStatus> status = ParseMergeStatus(record.kind);
    table.rows.push_back({{TimeText(record.at), Tone::kDim},
                          {record.kind, status ? MergeTone(*status) : Tone::kBold},
                          {record.why}});
  }
  return Render(table, {screen.columns, screen.style});
}

std::string NextOfWaiting(const EntryQuestion& question, const MergeRow& row) {
  const MergeEntry& entry = question.entry;
  const MergeTarget target = question.book.Target(entry.target);
  if (target.paused) {
    return fmt::format("nothing lands on {} until belay merge-queue unpause", entry.target);
  }
  if (!question.nothing_lands.empty()) return question.nothing_lands;
  if (!row.waits_for.empty()) {
    return fmt::format("its turn comes when m{} is merged", row.waits_for.front());
  }
  const std::string place = row.position.value_or(1) == 1
                                ? "it is next"
                                : fmt::format("it is number {} in line", *row.position);
  return question.guarded
             ? fmt::format("{}, and the guardian lands it", place)
             : fmt::format("{}; no guardian runs: belay merge-queue process --all lands it", place);
}

std::string NextOfMerged(const MergeEntry& entry) {
  if (entry.delete_pending) {
    return fmt::format("the branch {} is deleted when no worktree uses it any more", entry.branch);
  }
  if (entry.follow_pending) return "a checkout of the target comes along at the next process";
  return "nothing; it has landed";
}

std::string NextOfEntry(const EntryQuestion& question, const MergeRow& row) {
  const MergeEntry& entry = question.entry;
  const std::string retry = fmt::format("belay merge-queue retry {}", entry.id());
  switch (entry.status) {
    case MergeStatus::kQueued:
    case MergeStatus::kTargetMoved:
      return NextOfWaiting(question, row);
    case MergeStatus::kRebasing:
    case MergeStatus::kTesting:
    case MergeStatus::kMerging:
      return question.guarded
                 ? "it goes on; if it was stopped, the guardian takes it up"
                 : "it goes on, or if it was stopped: belay merge-queue process takes it up";
    case MergeStatus::kWaitingCheckout:
      if (!question.nothing_lands.empty()) return question.nothing_lands;
      return question.guarded ? "the guardian lands it when the checkout can follow"
                              : "belay merge-queue process lands it when the checkout can follow; "
                                "no guardian runs";
    case MergeStatus::kMerged:
      return NextOfMerged(entry);
    case MergeStatus::kConflict:
    case MergeStatus::kGateFailed:
      return fmt::format("it waits for new work and MERGE_READY, or for {}", retry);
    case MergeStatus::kGateUnrunnable:
      return fmt::format("nothing until the gate can be run; then {}", retry);
    case MergeStatus::kCancelled:
      return fmt::format("nothing; belay merge-queue add {} asks for it again", entry.branch);
  }
  __builtin_unreachable();
}

std::string NowText(const MergeEntry& entry, const std::string& next, const Screen& screen) {
  const std::string as =
      entry.merged_as.empty() ? "" : fmt::format(" as {}", entry.merged_as.substr(0, 10));
  const std::string tries =
      entry.attempts == 0 ? "" : fmt::format(", attempts: {}", entry.attempts);
  return "\n" + Wrap(Printable(fmt::format("now: {} ({} onto {}) is {}{}{}. Next: {}.", entry.id(),
                                           entry.branch, entry.target,
                                           MergeStatusName(entry.status), as, tries, next)),
                     screen.ProseColumns(), 0, 2);
}

}  // namespace

const MergeEntry* FindEntry(const MergeBook& book, std::string_view operand, bool names_agent) {
  const std::optional<std::uint64_t> number = ParseMergeEntryId(operand);
  const bool may_be_number = operand.starts_with('m') || !names_agent;
  if (number && may_be_number && book.Find(*number) != nullptr) return book.Find(*number);
  if (names_agent) return nullptr;
  const MergeEntry* latest = nullptr;
  for (const auto& [at, entry] : book.entries()) {
    if (entry.branch == operand) latest = &entry;
  }
  return latest;
}

Result<int> ShowWhyOfEntry(Services& services, const Layout& project,
                           const EntryQuestion& question) {
  History history = HistoryOf(services.files, project, question.entry);
  if (!question.read && history.warnings.empty()) {
    history.warnings.push_back(question.read.error().message);
  }
  const std::vector<MergeRow> rows = MergeRows(question.book, services.clock.Wall(), true);
  const auto row = std::ranges::find(rows, &question.entry, &MergeRow::entry);
  const std::string next = NextOfEntry(question, *row);
  Json now = MergeRowJson(*row);
  now.Set("next", next);
  now.Set("guarded", question.guarded);
  Io& io = services.io;
  Json records = Json::EmptyArray();
  for (const HistoryRecord& record : history.records) records.Append(HistoryRecordJson(record));
  for (const std::string& warning : history.warnings) io.Say(Printable(warning));
  io.Show(MakeObject({{"records", std::move(records)},
                      {"now", std::move(now)},
                      {"warnings", TextList(history.warnings)}}),
          HistoryTable(history, io.screen) + NowText(question.entry, next, io.screen));
  return 0;
}

}  // namespace belay
