#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/interruption.h"
#include "cli/merge_place.h"
#include "cli/merge_view.h"
#include "merge/landing.h"
#include "merge/prune.h"
#include "ui/width.h"

namespace belay {
namespace {

// Nothing lands untested by mistake.
Error NoGates() {
  return {ErrorCode::kRefused, "no gates are configured, so nothing would be tested",
          "set merge.gates in .claude/belay.yml, or add --no-gates to land without a test"};
}

// One line on a terminal that says what a gate does; gone when something else is said.
void ShowProgress(Io& io, std::string_view gate, const GateProgress& progress) {
  if (!io.err_screen.columns || io.quiet || io.json) return;
  const std::string line = fmt::format(
      "{} {}s {}", gate, std::chrono::duration_cast<std::chrono::seconds>(progress.elapsed).count(),
      progress.last_line);
  io.err += fmt::format("\r\x1b[K{}\r", CutToWidth(Printable(line), *io.err_screen.columns - 1));
  (void)io.Flush();
}

void SayEnd(const MergeDoors& doors, const MergeEntry& entry) {
  const std::string as = entry.status == MergeStatus::kMerged
                             ? fmt::format("{} as {}", entry.target, entry.merged_as.substr(0, 10))
                             : entry.last_error;
  doors.say(
      fmt::format("{}: {} {}: {}", entry.id(), entry.branch, MergeStatusName(entry.status), as));
}

// Who is next when somebody stopped it: the one it was at, or the first that waits.
std::string StoppedLine(const MergeBook& book, const std::string& target, WallTime now) {
  const MergeEntry* next = NextInLine(book, target, now);
  if (next == nullptr) return "stopped; nobody is in line";
  return fmt::format("stopped; {} stays in line, the next process goes on with it", next->id());
}

// What is left of entries that ended long ago goes; the next run tries what can't be done now.
void Prune(const MergeDoors& doors, const MergeBook& book) {
  const Result<Pruned> pruned = PruneEnded({doors.files, doors.project, doors.git}, book,
                                           doors.clock.Wall(), doors.settings.keep_age);
  if (!pruned) doors.say(fmt::format("pruning: {}", pruned.error().message));
}

struct Outcome {
  std::vector<MergeEntry> entries = {};
  bool stopped = false;
  bool paused = false;

  std::size_t Count(bool merged) const {
    return static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(),
        [&](const MergeEntry& entry) { return (entry.status == MergeStatus::kMerged) == merged; }));
  }
  Json ToRecord() const {
    Json::Array list;
    for (const MergeEntry& entry : entries) list.push_back(ToJson(entry));
    return MakeObject({{"entries", std::move(list)}, {"stopped", stopped}, {"paused", paused}});
  }
  // `waiting`: of those whose turn can't come.
  std::string Text(const std::string& waiting) const {
    if (entries.empty() && paused) return {};  // which was said
    if (entries.empty()) return waiting.empty() ? "nothing is in line\n" : waiting;
    return fmt::format("{} merged, {} not\n{}", Count(true), Count(false), waiting);
  }
};

// An agent would decide about the work of others.
Result<void> CheckIsPerson(Services& services, const Layout& project) {
  BELAY_TRY_ASSIGN(const Caller caller, WhoAsks(services, project));
  const bool guardian = caller.agent && caller.agent->identity().role() == "guardian";
  if (!caller.agent || guardian) return {};
  return Error{ErrorCode::kRefused, fmt::format("{} may not process the queue", caller.Name()),
               "belay signal send MERGE_READY --to guardian asks for a merge"};
}

}  // namespace

Result<int> RunMergeQueueProcess(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(MergePlace place, FindMergePlace(invocation, services, VaultUse::kWrite));
  BELAY_TRY(CheckIsPerson(services, place.project));
  const bool no_gates = invocation.Has("--no-gates");
  if (no_gates) place.settings.gates.clear();
  MergeDoors doors = place.Doors(services);
  doors.progress = [&](std::string_view gate, const GateProgress& progress) {
    ShowProgress(services.io, gate, progress);
  };
  BELAY_TRY_ASSIGN(const std::unique_ptr<Interruption> interruption,
                   Interruption::Watch(*place.loop));
  doors.interrupted = [&] { return interruption->Came(); };
  const std::string target = TargetOf(invocation, place);
  MergeLedger ledger(services.files, services.clock, place.project);
  // What a killed one left is ended by this, with gates or without.
  BELAY_TRY_ASSIGN(Lander lander, Lander::Begin(doors, ledger));
  if (place.settings.gates.empty() && !no_gates) return NoGates();
  BELAY_TRY(lander.SettleAll(target));
  Outcome outcome;
  bool more = true;
  while (more) {
    BELAY_TRY_ASSIGN(const std::optional<MergeEntry> landed, lander.LandNext(target));
    const bool ended = landed && !IsInLine(landed->status);
    if (ended) SayEnd(doors, *landed);
    if (ended) outcome.entries.push_back(*landed);
    more = ended && invocation.Has("--all");
    if (ended || interruption->Came()) continue;
    BELAY_TRY(lander.TidyUp());
    Prune(doors, ledger.book());
  }
  outcome.stopped = interruption->Came();
  outcome.paused = ledger.book().Target(target).paused;
  if (outcome.stopped) {
    services.io.Say(StoppedLine(ledger.book(), target, services.clock.Wall()));
    services.io.Show(outcome.ToRecord(),
                     fmt::format("{} merged, {} not\n", outcome.Count(true), outcome.Count(false)));
    return interruption->exit_code();
  }
  const auto left = QueueOrder(ledger.book(), target, services.clock.Wall());
  if (outcome.paused) {
    services.io.Say(fmt::format("{} is paused, and {} wait{}; {} lets it go on", target,
                                left.size(), left.size() == 1 ? "s" : "",
                                UnpauseCommand(place, target)));
  }
  services.io.Show(outcome.ToRecord(), outcome.Text(WaitingText(left)));
  return outcome.Count(false) == 0 ? 0 : 1;
}

}  // namespace belay
