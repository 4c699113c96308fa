#include "merge/drift.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "merge/entry_refs.h"
#include "merge/merge_doors.h"

namespace belay {
namespace {

// Whoever says nothing about what it did leaves nothing behind "Ann <ann@x>: ".
std::string TrimmedLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with(": ")) text.remove_suffix(2);
  return std::string(CutCodePoints(ReplaceInvalidUtf8(text), 200));
}

// What git's log of the branch says about its last move: "Ann <ann@x>: commit: more". Anybody can
// write there, so it is a hint, not a proof. A move that isn't in it (the file of the ref was
// written) has only its commit to tell of.
std::string WhoMoved(const Git& git, const std::string& target, const ObjectId& tip) {
  const Result<std::string> moved =
      git.Ask({"log", "-g", "-1", "--format=%H %gn <%ge>: %gs", BranchRef(target), "--"});
  if (moved && moved->starts_with(tip.text() + " ")) {
    return TrimmedLine(std::string_view(*moved).substr(tip.text().size() + 1));
  }
  const Result<std::string> commit =
      git.Ask({"log", "-1", "--no-show-signature", "--format=%cn <%ce>: %s", tip.text(), "--"});
  if (!commit || commit->empty()) return "nobody knows who";
  return fmt::format("who moved it isn't in git's log; the commit is by {}", TrimmedLine(*commit));
}

Result<void> RecordDrift(const MergeDoors& doors, MergeLedger& ledger, const MergeTarget& known,
                         const ObjectId& tip) {
  const bool first = known.commit.empty();
  const std::string what = first ? "seen for the first time"
                                 : fmt::format("{} went from {} to {} without the queue ({})",
                                               known.branch, known.commit.substr(0, 10),
                                               tip.Short(), WhoMoved(doors.git, known.branch, tip));
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(doors.files, doors.project));
  BELAY_TRY(ledger.ChangeTarget(lock, known.branch, what, [&](MergeTarget& changed) {
    changed.commit = tip.text();
    changed.green.reset();
    changed.red_gate.clear();
    changed.untested = !first;
    if (!first) changed.news = what;
  }));
  return {};
}

// Twice, if somebody is killed in between; never not at all.
Result<void> TellNews(const MergeDoors& doors, MergeLedger& ledger, const std::string& target) {
  const std::string news = ledger.book().Target(target).news;
  if (news.empty()) return {};
  doors.say(news);
  TellPerson(doors, news);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(doors.files, doors.project));
  BELAY_TRY(ledger.ChangeTarget(lock, target, "a person was told", [&](MergeTarget& changed) {
    if (changed.news == news) changed.news.clear();
  }));
  return {};
}

}  // namespace

Result<void> NoticeDrift(const MergeDoors& doors, MergeLedger& ledger, Gates& gates,
                         const std::string& target) {
  BELAY_TRY_ASSIGN(const BranchValue branch, ReadBranch(doors, target));
  const ObjectId& tip = branch.commit;
  const MergeTarget known = ledger.book().Target(target);
  const bool first = known.commit.empty();
  if (!branch.stands_for.empty()) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} {} symbolic, and stands for {}: nothing lands on it", target,
                             first ? "is" : "has become", branch.stands_for),
                 first ? std::string("name the branch that it stands for")
                       : fmt::format("git update-ref --no-deref {} {} makes it a branch again",
                                     BranchRef(target), known.commit)};
  }
  if (tip.IsNone() && !first) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the branch {} is gone, and the queue didn't delete it", target),
                 fmt::format("git branch {} {} brings it back", target, known.commit)};
  }
  // A move that was announced may have been made by one of us that was killed right after.
  const bool ours = known.move && known.move->to == tip.text();
  if (!tip.IsNone() && tip.text() != known.commit && !ours) {
    BELAY_TRY(RecordDrift(doors, ledger, known, tip));
  }
  // Also what somebody who was killed left.
  BELAY_TRY(TellNews(doors, ledger, target));
  const MergeTarget now = ledger.book().Target(target);
  if (!now.untested || doors.settings.gates.empty()) return {};
  BELAY_TRY(gates.JudgeTarget(target, now.commit));
  return TellNews(doors, ledger, target);
}

}  // namespace belay
