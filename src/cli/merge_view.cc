#include "cli/merge_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/agents_view.h"
#include "base/utf8.h"
#include "engine/merge/merge_text.h"
#include "ui/width.h"

namespace belay {
namespace {

std::string Ids(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) {
    text += fmt::format("{}m{}", text.empty() ? "" : ", ", number);
  }
  return text;
}

// A note about the entry, in one line.
std::string NoteOf(const MergeRow& row) {
  const MergeEntry& entry = *row.entry;
  if (entry.status == MergeStatus::kMerged) {
    const std::string pending = entry.delete_pending ? ", its branch is still in use" : "";
    const std::string behind = entry.follow_pending ? ", a checkout of the target is behind" : "";
    return fmt::format("as {}{}{}", entry.merged_as.substr(0, 10), pending, behind);
  }
  if (!row.waits_for.empty()) return fmt::format("waits for {}", Ids(row.waits_for));
  return entry.last_error;
}

void AddLine(std::string_view title, std::string_view value, std::string& text) {
  if (!value.empty()) text += fmt::format("{:<11} {}\n", title, Printable(value));
}

// Drops columns without any text, to leave room for the others.
void DropEmptyColumns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const bool empty = std::ranges::all_of(
        table.rows, [&](const std::vector<Cell>& row) { return row[i].text.empty(); });
    if (!empty || table.rows.empty()) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
  }
}

}  // namespace

std::string WaitingText(const std::vector<QueuePlace>& places) {
  std::string text;
  for (const QueuePlace& place : places) {
    if (IsWaiting(place.entry->status)) {
      text += fmt::format("{} waits: {}\n", place.entry->id(), Printable(place.entry->last_error));
    }
    if (place.waits_for.empty()) continue;
    text += fmt::format("{} waits for {}\n", place.entry->id(), Ids(place.waits_for));
  }
  return text;
}

Tone MergeTone(MergeStatus status) {
  if (status == MergeStatus::kMerged) return Tone::kGood;
  if (IsParked(status)) return Tone::kBad;
  if (status == MergeStatus::kCancelled) return Tone::kDim;
  return status == MergeStatus::kQueued ? Tone::kPlain : Tone::kAccent;
}

Json MergeRowJson(const MergeRow& row) {
  Json record = ToJson(*row.entry);
  record.Set("position", row.position ? Json(static_cast<std::int64_t>(*row.position)) : Json());
  Json::Array waits;
  for (const std::uint64_t number : row.waits_for) waits.push_back(fmt::format("m{}", number));
  record.Set("waits_for", std::move(waits));
  return record;
}

Table MergeTable(const std::vector<MergeRow>& rows, WallTime now) {
  Table table{.columns = {{.title = "#", .align = Align::kRight},
                          {.title = "entry"},
                          {.title = "branch", .fit = Fit::kCut, .min_width = 12},
                          {.title = "target", .drop_order = 2},
                          {.title = "status"},
                          {.title = "by", .fit = Fit::kCut, .min_width = 8, .drop_order = 1},
                          {.title = "age", .align = Align::kRight, .drop_order = 3},
                          {.title = "", .fit = Fit::kCut, .min_width = 16}}};
  for (const MergeRow& row : rows) {
    const MergeEntry& entry = *row.entry;
    table.rows.push_back({{row.position ? std::to_string(*row.position) : "", Tone::kDim},
                          {entry.id(), Tone::kBold},
                          {entry.branch},
                          {entry.target, Tone::kDim},
                          {std::string(MergeStatusName(entry.status)), MergeTone(entry.status)},
                          {entry.identity_name},
                          {AgeText(entry.requested_at, now), Tone::kDim},
                          {NoteOf(row)}});
  }
  DropEmptyColumns(table);
  return table;
}

std::string MergeDetails(const MergeRow& row, WallTime now) {
  const MergeEntry& entry = *row.entry;
  std::string text;
  AddLine("entry", entry.id(), text);
  AddLine("branch", fmt::format("{} onto {}", entry.branch, entry.target), text);
  const std::string place =
      row.position ? fmt::format(", number {} in the queue", *row.position) : "";
  AddLine("status",
          fmt::format("{} for {}{}", MergeStatusName(entry.status), AgeText(entry.changed_at, now),
                      place),
          text);
  AddLine("waits for", Ids(row.waits_for), text);
  AddLine("agent", entry.identity_name, text);
  AddLine("head", entry.head, text);
  AddLine("base", entry.base, text);
  AddLine("candidate", entry.candidate, text);
  AddLine("merged as", entry.merged_as, text);
  AddLine("proof", entry.proof, text);
  if (entry.attempts > 0) AddLine("attempts", std::to_string(entry.attempts), text);
  AddLine("error", entry.last_error, text);
  for (const GateResult& gate : entry.gate_results) {
    AddLine(fmt::format("gate {}", gate.name),
            fmt::format("{} ({} run{}, {}): {}", GateOutcomeName(gate.outcome), gate.runs,
                        gate.runs == 1 ? "" : "s", FormatDuration(gate.took), gate.log),
            text);
  }
  if (!entry.conflict.files.empty()) {
    AddLine("conflicts", ConflictSides(entry), text);
    text += ConflictDetails(entry);
  }
  return text;
}

Result<std::uint64_t> EntryArgument(const Invocation& invocation) {
  const std::string& text = invocation.operands().front();
  if (const std::optional<std::uint64_t> number = ParseMergeEntryId(text)) return *number;
  return Error{ErrorCode::kUsage, fmt::format("{} is no entry of the queue", Quote(text)),
               "ENTRY is like m7; belay merge-queue list shows them"};
}

}  // namespace belay
