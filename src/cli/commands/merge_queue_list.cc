// The commands that show the queue: list, status.

#include <fmt/core.h>

#include <algorithm>

#include "app/merge_queue.h"
#include "cli/commands/commands.h"
#include "cli/merge_view.h"
#include "ui/width.h"

namespace belay {
namespace {

Result<int> ShowEntry(const MergeBook& book, std::uint64_t number, WallTime now,
                      const std::string& stuck, Io& io) {
  const std::vector<MergeRow> rows = MergeRows(book, now, true);
  const auto row =
      std::ranges::find(rows, number, [](const MergeRow& one) { return one.entry->number; });
  if (row == rows.end()) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no entry m{}", number),
                 "belay merge-queue list --all shows them"};
  }
  io.Show(MergeRowJson(*row), MergeDetails(*row, now));
  if (row->position && !stuck.empty()) io.Say(stuck);
  return 0;
}

std::string TargetLine(const MergeTarget& target, std::size_t in_line, std::size_t parked) {
  std::string line = fmt::format("{}: {} queued, {} parked", target.branch, in_line, parked);
  if (target.green == true) line += ", green";
  if (target.green == false) line += fmt::format(", red (gate {})", target.red_gate);
  if (target.guarded) line += ", protected";
  if (target.paused) line += fmt::format(", paused: {}", target.paused_why);
  return Printable(line) + "\n";
}

// What the queue does now, for each target.
Result<int> ShowTargets(const MergeBook& book, WallTime now, const std::string& stuck, Io& io) {
  Json::Array targets;
  bool queued = false;
  std::string text;
  std::map<std::string, MergeTarget, std::less<>> known = book.targets();
  for (const auto& [number, entry] : book.entries()) {
    known.try_emplace(entry.target, MergeTarget{.branch = entry.target});
  }
  for (const auto& one_target : known) {
    const std::string& branch = one_target.first;  // clang can't capture a structured binding
    const MergeTarget& target = one_target.second;
    const std::vector<QueuePlace> places = QueueOrder(book, branch, now);
    const auto parked = std::ranges::count_if(book.entries(), [&](const auto& one) {
      return one.second.target == branch && IsParked(one.second.status);
    });
    queued = queued || !places.empty();
    Json record = ToJson(target);
    record.Set("in_line", static_cast<std::int64_t>(places.size()));
    record.Set("parked", static_cast<std::int64_t>(parked));
    const auto begun = std::ranges::find_if(
        places, [](const QueuePlace& place) { return IsBegun(place.entry->status); });
    const MergeEntry* current = begun != places.end() ? begun->entry : nullptr;
    record.Set("current", current != nullptr ? Json(current->id()) : Json());
    targets.push_back(std::move(record));
    text += TargetLine(target, places.size(), static_cast<std::size_t>(parked));
    if (current != nullptr) {
      text += fmt::format("  {} {} is {}\n", current->id(), Printable(current->branch),
                          MergeStatusName(current->status));
    }
    for (const QueuePlace& place : places) {
      if (!IsWaiting(place.entry->status)) continue;
      text +=
          fmt::format("  {} waits: {}\n", place.entry->id(), Printable(place.entry->last_error));
    }
  }
  const bool is_stuck = queued && !stuck.empty();
  io.Show(MakeObject({{"targets", std::move(targets)},
                      {"nothing_lands", is_stuck ? Json(stuck) : Json()}}),
          text);
  if (is_stuck) io.Say(stuck);
  if (text.empty()) io.Say("the queue was never used; belay merge-queue add BRANCH");
  return 0;
}

}  // namespace

Result<int> RunMergeQueueList(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const QueueReadOutcome queue, ReadQueue(services));
  const bool all = invocation.Has("--all");
  const WallTime now = services.clock.Wall();
  const std::vector<MergeRow> rows = MergeRows(queue.book, now, all);
  Io& io = services.io;
  Json::Array entries;
  for (const MergeRow& row : rows) entries.push_back(MergeRowJson(row));
  const bool queued =
      std::ranges::any_of(rows, [](const MergeRow& row) { return row.position.has_value(); });
  const std::string stuck = queued ? queue.nothing_lands : std::string();
  io.Show(MakeObject({{"entries", std::move(entries)},
                      {"nothing_lands", stuck.empty() ? Json() : Json(stuck)}}),
          rows.empty() ? std::string()
                       : Render(MergeTable(rows, now), {io.screen.columns, io.screen.style}));
  if (rows.empty()) {
    io.Say(all ? "the queue was never used; belay merge-queue add BRANCH"
               : "nothing is queued; --all shows what has landed");
  }
  if (!stuck.empty()) io.Say(stuck);
  for (const auto& [branch, target] : queue.book.targets()) {
    if (target.paused) io.Say(fmt::format("{} is paused: {}", branch, target.paused_why));
  }
  if (!queue.for_person.empty()) io.Say(queue.for_person);
  return 0;
}

Result<int> RunMergeQueueStatus(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const QueueReadOutcome queue, ReadQueue(services));
  const WallTime now = services.clock.Wall();
  const std::string& stuck = queue.nothing_lands;
  if (invocation.operands().empty()) return ShowTargets(queue.book, now, stuck, services.io);
  BELAY_TRY_ASSIGN(const std::uint64_t number, EntryArgument(invocation));
  return ShowEntry(queue.book, number, now, stuck, services.io);
}

}  // namespace belay
