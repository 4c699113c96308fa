#include "merge/drift.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "ledger/signal_box.h"
#include "merge/entry_refs.h"

namespace belay {
namespace {

std::string OneLine(std::string_view text) {
  return std::string(CutCodePoints(ReplaceInvalidUtf8(text.substr(0, text.find('\n'))), 200));
}

// What git's log of the branch says about its last move: "Ann <ann@x>: commit: more". Anybody can
// write there, so it is a hint, not a proof. A move that isn't in it (the file of the ref was
// written) has only its commit to tell of.
std::string WhoMoved(const Git& git, const std::string& target, const ObjectId& tip) {
  const Result<std::string> moved =
      git.Ask({"log", "-g", "-1", "--format=%H %gn <%ge>: %gs", BranchRef(target), "--"});
  if (moved && moved->starts_with(tip.text() + " ")) {
    return OneLine(std::string_view(*moved).substr(tip.text().size() + 1));
  }
  const Result<std::string> commit =
      git.Ask({"log", "-1", "--no-show-signature", "--format=%cn <%ce>: %s", tip.text(), "--"});
  if (!commit || commit->empty()) return "nobody knows who";
  return fmt::format("who moved it isn't in git's log; the commit is by {}", OneLine(*commit));
}

void TellPerson(const MergeDoors& doors, const std::string& reason) {
  SignalBox box(doors.files, doors.clock, doors.random, doors.project, Recipient::Person());
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "guardian",
                      .to = "person",
                      .at = doors.clock.Wall(),
                      .payload = MakeObject({{"reason", reason}})};
  if (const Result<std::string> sent = box.Send(signal); !sent) doors.say(sent.error().message);
}

// Its test was stopped: the next run tells of it once more, and tests it.
Result<void> NoticeAgain(const MergeDoors& doors, MergeLedger& ledger, const MergeTarget& known) {
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(doors.files, doors.project));
  BELAY_TRY(ledger.ChangeTarget(lock, known.branch, "its test was stopped",
                                [&](MergeTarget& changed) { changed.commit = known.commit; }));
  return {};
}

}  // namespace

Result<void> NoticeDrift(const MergeDoors& doors, MergeLedger& ledger, Gates& gates,
                         const std::string& target) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors.git, target));
  const MergeTarget known = ledger.book().Target(target);
  if (tip.IsNone() && !known.commit.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the branch {} is gone, and the queue didn't delete it", target),
                 fmt::format("git branch {} {} brings it back", target, known.commit)};
  }
  // A move that was announced may have been made by one of us that was killed right after.
  const bool ours = known.move && known.move->to == tip.text();
  if (tip.IsNone() || tip.text() == known.commit || ours) return {};
  const bool first = known.commit.empty();
  const std::string what = fmt::format("{} went from {} to {} without the queue ({})", target,
                                       known.commit.substr(0, 10), tip.Short(),
                                       first ? "" : WhoMoved(doors.git, target, tip));
  {
    BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(doors.files, doors.project));
    BELAY_TRY(ledger.ChangeTarget(lock, target, first ? "seen for the first time" : what,
                                  [&](MergeTarget& changed) {
                                    changed.commit = tip.text();
                                    changed.green.reset();
                                    changed.red_gate.clear();
                                  }));
  }
  if (first) return {};
  doors.say(what);
  TellPerson(doors, what);
  if (doors.settings.gates.empty()) return {};
  BELAY_TRY_ASSIGN(const MergeTarget judged, gates.JudgeTarget(target, tip.text()));
  if (!judged.green && doors.interrupted()) return NoticeAgain(doors, ledger, known);
  if (judged.green == false) {
    const std::string red =
        fmt::format("{} is red at {}: gate {}", target, tip.Short(), judged.red_gate);
    doors.say(red);
    TellPerson(doors, red);
  }
  return {};
}

}  // namespace belay
