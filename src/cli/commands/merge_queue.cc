// The commands that change the queue: add, process, remove, retry, pause, unpause, protect,
// unprotect.

#include "app/merge_queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/views.h"
#include "ui/width.h"

namespace belay {
namespace {

Result<std::int64_t> Priority(const Invocation& invocation) {
  const std::string text = invocation.Value("--priority").value_or("0");
  const auto number = ParseNumber<std::int64_t>(text);
  if (number && *number >= -100 && *number <= 100) return *number;
  return Error{ErrorCode::kUsage, fmt::format("--priority can't be {}", Quote(text)),
               "give a number from -100 to 100; higher goes first"};
}

Result<std::vector<std::uint64_t>> After(const Invocation& invocation) {
  std::vector<std::uint64_t> numbers;
  const std::optional<std::string> text = invocation.Value("--after");
  if (!text) return numbers;
  const std::optional<std::uint64_t> number = ParseMergeEntryId(*text);
  if (!number) {
    return Error{ErrorCode::kUsage, fmt::format("--after can't be {}", Quote(*text)),
                 "give an entry like m7; belay merge-queue list shows them"};
  }
  numbers.push_back(*number);
  return numbers;
}

// A line on the terminal that shows what a gate does; the next message replaces it.
void ShowProgress(Io& io, std::string_view gate, const GateProgress& progress) {
  if (!io.err_screen.columns || io.quiet || io.json) return;
  const std::string line = fmt::format(
      "{} {}s {}", gate, std::chrono::duration_cast<std::chrono::seconds>(progress.elapsed).count(),
      progress.last_line);
  io.err += fmt::format("\r\x1b[K{}\r", CutToWidth(Printable(line), *io.err_screen.columns - 1));
  (void)io.Flush();
}

// The next entry after a stop: the current one, or the first that waits.
std::string StoppedLine(const MergeBook& book, const std::string& target, WallTime now) {
  const MergeEntry* next = NextEntry(book, target, now);
  if (next == nullptr) return "stopped; no entry is ready";
  return fmt::format("stopped; {} stays queued, and the next run continues with it", next->id());
}

std::size_t Count(const ProcessOutcome& outcome, bool merged) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcome.entries,
      [&](const MergeEntry& entry) { return (entry.status == MergeStatus::kMerged) == merged; }));
}

std::string MergedText(const ProcessOutcome& outcome) {
  return fmt::format("{} merged, {} not\n", Count(outcome, true), Count(outcome, false));
}

// `waiting`: the entries whose turn can't come.
std::string Text(const ProcessOutcome& outcome, const std::string& waiting) {
  if (outcome.entries.empty() && outcome.paused) return {};  // which was reported
  if (outcome.entries.empty()) return waiting.empty() ? "the queue is empty\n" : waiting;
  return MergedText(outcome) + waiting;
}

// The queues of other targets, which this run didn't process.
std::string OtherQueuesText(const MergeBook& book, const std::string& target) {
  std::map<std::string, std::size_t> queued;
  for (const auto& [number, entry] : book.entries()) {
    if (IsInQueue(entry.status) && entry.target != target) ++queued[entry.target];
  }
  std::string text;
  for (const auto& [other, count] : queued) {
    text += fmt::format("{} queued for {}: belay merge-queue process --target {}\n", count,
                        Printable(other), ShellQuoted(other));
  }
  return text;
}

Result<int> Change(const Invocation& invocation, Services& services, EntryChange change) {
  BELAY_TRY_ASSIGN(const std::uint64_t number, EntryArgument(invocation));
  BELAY_TRY_ASSIGN(const MergeEntry entry,
                   ChangeQueueEntry(services, {change, number, invocation.Has("--gates-change")}));
  services.io.Show(ToJson(entry), fmt::format("{} ({}) is {}\n", entry.id(), entry.branch,
                                              MergeStatusName(entry.status)));
  return 0;
}

Result<int> SetPaused(const Invocation& invocation, Services& services, bool paused) {
  BELAY_TRY_ASSIGN(const QueuePauseOutcome outcome,
                   PauseQueue(services, {invocation.Value("--target"), paused}));
  const std::string& branch = outcome.target.branch;
  services.io.Show(
      ToJson(outcome.target),
      paused ? fmt::format("{} is paused: nothing lands until {}\n", branch, outcome.unpause)
             : fmt::format("{} is no longer paused\n", branch));
  return 0;
}

std::string_view ChangeText(HookChange change) {
  switch (change) {
    case HookChange::kInstalled:
      return "installed";
    case HookChange::kChained:
      return "installed; the existing hook is called first";
    case HookChange::kUnchanged:
      return "unchanged";
    case HookChange::kRemoved:
      return "removed";
    case HookChange::kPutBack:
      return "removed; the previous hook is restored";
    case HookChange::kLeft:
      return "kept: another repository uses it, or it was replaced";
  }
  __builtin_unreachable();
}

void ShowProtection(Services& services, const Protection& done, const std::string& text) {
  Json record = ToJson(done.target);
  Json::Array hooks;
  for (const Protection::Place& hook : done.places) {
    const std::string_view change = ChangeText(hook.change);
    hooks.push_back(MakeObject({{"folder", hook.folder}, {"change", change}}));
    if (hook.change == HookChange::kUnchanged) continue;
    services.io.Say(Printable(fmt::format("{}/reference-transaction: {}", hook.folder, change)));
  }
  record.Set("hooks", std::move(hooks));
  for (const std::string& worktree : done.left) {
    services.io.Say(Printable(fmt::format(
        "skipped, because git can't work there: {}; run git worktree remove or git worktree repair",
        worktree)));
  }
  const bool several = done.target.guarded && done.places.size() > 1;
  if (several) {
    services.io.Say(
        "each worktree has its own core.hooksPath: run protect again after adding a worktree");
  }
  services.io.Show(std::move(record), Printable(text) + "\n");
}

}  // namespace

Result<QueueAddRequest> ParseQueueAdd(const Invocation& invocation) {
  QueueAddRequest request{
      .target = invocation.Value("--target"), .agent = invocation.Value("--agent"), .entry = {}};
  if (!invocation.operands().empty()) request.branch = invocation.operands().front();
  EnqueueRequest& entry = request.entry;
  entry.head = invocation.Value("--head").value_or("");
  entry.worktree_path = invocation.Value("--worktree").value_or("");
  entry.node_id = invocation.Value("--node").value_or("");
  entry.bead_id = invocation.Value("--bead").value_or("");
  entry.pr_number = invocation.Value("--pr").value_or("");
  entry.gates_change = invocation.Has("--gates-change");
  BELAY_TRY_ASSIGN(entry.priority, Priority(invocation));
  BELAY_TRY_ASSIGN(entry.depends_on, After(invocation));
  return request;
}

Result<int> RunMergeQueueAdd(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(QueueAddRequest request, ParseQueueAdd(invocation));
  BELAY_TRY_ASSIGN(const QueueAddOutcome outcome, AddToQueue(services, std::move(request)));
  const Enqueued& done = outcome.added;
  if (!done.notice.empty()) services.io.Say(done.notice);
  const std::vector<MergeRow> rows = MergeRows(outcome.book, services.clock.Wall(), false);
  for (const MergeRow& row : rows) {
    if (row.entry->number != done.entry.number) continue;
    Json record = MergeRowJson(row);
    record.Set("new", done.is_new);
    const std::string stuck = row.position ? outcome.nothing_lands : std::string();
    record.Set("nothing_lands", stuck.empty() ? Json() : Json(stuck));
    services.io.Show(
        std::move(record),
        row.position
            ? fmt::format("{}: {} is number {} in the queue for {}\n", done.entry.id(),
                          done.entry.branch, *row.position, done.entry.target)
            : fmt::format("{}: {}\n", done.entry.id(), MergeStatusName(done.entry.status)));
    if (!stuck.empty()) services.io.Say(stuck);
  }
  return 0;
}

Result<int> RunMergeQueueProcess(const Invocation& invocation, Services& services) {
  const QueueProcessRequest request{
      .target = invocation.Value("--target"),
      .all = invocation.Has("--all"),
      .no_gates = invocation.Has("--no-gates"),
      .progress = [&](std::string_view gate, const GateProgress& progress) {
        ShowProgress(services.io, gate, progress);
      }};
  BELAY_TRY_ASSIGN(const QueueProcessOutcome outcome, ProcessQueue(services, request));
  const WallTime now = services.clock.Wall();
  if (outcome.stopped) {
    services.io.Say(StoppedLine(outcome.book, outcome.target, now));
    services.io.Show(ToJson(outcome), MergedText(outcome));
    return 128 + outcome.signal;  // as a shell does
  }
  const auto left = QueueOrder(outcome.book, outcome.target, now);
  if (outcome.paused) {
    services.io.Say(fmt::format("{} is paused, and {} wait{}; {} resumes it", outcome.target,
                                left.size(), left.size() == 1 ? "s" : "", outcome.unpause));
  }
  const std::string others = OtherQueuesText(outcome.book, outcome.target);
  services.io.Show(ToJson(outcome), Text(outcome, WaitingText(left) + others));
  return Count(outcome, false) == 0 ? 0 : 1;
}

Result<int> RunMergeQueueRemove(const Invocation& invocation, Services& services) {
  return Change(invocation, services, EntryChange::kRemove);
}
Result<int> RunMergeQueueRetry(const Invocation& invocation, Services& services) {
  return Change(invocation, services, EntryChange::kRetry);
}
Result<int> RunMergeQueuePause(const Invocation& invocation, Services& services) {
  return SetPaused(invocation, services, true);
}
Result<int> RunMergeQueueUnpause(const Invocation& invocation, Services& services) {
  return SetPaused(invocation, services, false);
}
Result<int> RunMergeQueueProtect(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Protection done,
                   ProtectQueueTarget(services, {invocation.Value("--target"), true}));
  ShowProtection(
      services, done,
      fmt::format("{} is protected: git asks belay before moving it. This is not a security "
                  "boundary: belay notices other moves at the next belay merge-queue process",
                  done.target.branch));
  return 0;
}
Result<int> RunMergeQueueUnprotect(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Protection done,
                   ProtectQueueTarget(services, {invocation.Value("--target"), false}));
  ShowProtection(services, done, fmt::format("{} is not protected", done.target.branch));
  return 0;
}

// The commands that show the queue: list, status.

namespace {

Result<int> ShowEntry(const MergeBook& book, std::uint64_t number, WallTime now,
                      const std::string& stuck, Io& io) {
  const std::vector<MergeRow> rows = MergeRows(book, now, true);
  const auto row =
      std::ranges::find(rows, number, [](const MergeRow& one) { return one.entry->number; });
  if (row == rows.end()) {
    return Error{ErrorCode::kNotFound, fmt::format("no entry m{}", number),
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
  if (text.empty())
    io.Say("the queue has never been used; belay merge-queue add BRANCH adds a branch");
  return 0;
}

}  // namespace

Result<int> RunMergeQueueList(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const QueueReadOutcome queue, ReadQueue(services));
  const bool all = invocation.Has("--all");
  const WallTime now = services.clock.Wall();
  const std::vector<MergeRow> rows = MergeRows(queue.book, now, all);
  Io& io = services.io;
  const bool queued =
      std::ranges::any_of(rows, [](const MergeRow& row) { return row.position.has_value(); });
  const std::string stuck = queued ? queue.nothing_lands : std::string();
  io.Show(MakeObject({{"entries", MakeArray(rows, MergeRowJson)},
                      {"nothing_lands", stuck.empty() ? Json() : Json(stuck)}}),
          rows.empty() ? std::string()
                       : Render(MergeTable(rows, now), {io.screen.columns, io.screen.style}));
  if (rows.empty()) {
    io.Say(all ? "the queue has never been used; belay merge-queue add BRANCH adds a branch"
               : "the queue is empty; --all shows what has landed");
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
