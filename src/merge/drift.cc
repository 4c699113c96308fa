#include "merge/drift.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "merge/entry_refs.h"
#include "merge/merge_env.h"

namespace belay {
namespace {

// Some tools leave nothing after "Ann <ann@x>: ".
std::string TrimmedLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with(": ")) text.remove_suffix(2);
  return std::string(CutCodePoints(ReplaceInvalidUtf8(text), 200));
}

// The reflog entry of the branch's last move: "Ann <ann@x>: commit: more". Every process can write
// there, so it is a hint, not a proof. For a move that isn't in it (the ref's file was written
// directly) only the commit is known.
std::string WhoMoved(const Git& git, const std::string& target, const ObjectId& tip) {
  const Result<std::string> moved =
      git.Ask({"log", "-g", "-1", "--format=%H %gn <%ge>: %gs", BranchRef(target), "--"});
  if (moved && moved->starts_with(tip.text() + " ")) {
    return TrimmedLine(std::string_view(*moved).substr(tip.text().size() + 1));
  }
  const Result<std::string> commit =
      git.Ask({"log", "-1", "--no-show-signature", "--format=%cn <%ce>: %s", tip.text(), "--"});
  if (!commit || commit->empty()) return "unknown author";
  return fmt::format("the reflog doesn't have the move; the commit is by {}", TrimmedLine(*commit));
}

Result<void> RecordDrift(const MergeEnv& env, MergeLedger& ledger, const MergeTarget& known,
                         const ObjectId& tip) {
  const bool first = known.commit.empty();
  const std::string what = first ? "seen for the first time"
                                 : fmt::format("{} moved from {} to {} without the queue ({})",
                                               known.branch, known.commit.substr(0, 10),
                                               tip.Short(), WhoMoved(env.git, known.branch, tip));
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  BELAY_TRY(ledger.ChangeTarget(lock, known.branch, what, [&](MergeTarget& changed) {
    changed.commit = tip.text();
    changed.green.reset();
    changed.red_gate.clear();
    changed.untested = !first;
    if (!first) changed.news = what;
  }));
  return {};
}

// After a kill in between it is sent twice; it is never lost.
Result<void> SendNews(const MergeEnv& env, MergeLedger& ledger, const std::string& target) {
  const std::string news = ledger.book().Target(target).news;
  if (news.empty()) return {};
  env.say(news);
  NotifyPerson(env, news);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env.files, env.project));
  BELAY_TRY(ledger.ChangeTarget(lock, target, "reported to a person", [&](MergeTarget& changed) {
    if (changed.news == news) changed.news.clear();
  }));
  return {};
}

}  // namespace

Result<void> NoticeDrift(const MergeEnv& env, MergeLedger& ledger, Gates& gates,
                         const std::string& target) {
  BELAY_TRY_ASSIGN(const BranchValue branch, ReadBranch(env, target));
  const ObjectId& tip = branch.commit;
  const MergeTarget known = ledger.book().Target(target);
  const bool first = known.commit.empty();
  if (!branch.stands_for.empty()) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} {} a symbolic ref to {}: nothing lands on it", target,
                             first ? "is" : "has become", branch.stands_for),
                 first ? std::string("name that branch instead")
                       : fmt::format("git update-ref --no-deref {} {} makes it a branch again",
                                     BranchRef(target), known.commit)};
  }
  if (tip.IsNone() && !first) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the branch {} was deleted, but not by the queue", target),
                 fmt::format("git branch {} {} restores it", target, known.commit)};
  }
  // An announced move may have been made by a belay that was killed right after.
  const bool ours = known.move && known.move->to == tip.text();
  if (!tip.IsNone() && tip.text() != known.commit && !ours) {
    BELAY_TRY(RecordDrift(env, ledger, known, tip));
  }
  // Also the reports that a killed belay left.
  BELAY_TRY(SendNews(env, ledger, target));
  const MergeTarget now = ledger.book().Target(target);
  if (!now.untested || env.settings.gates.empty()) return {};
  BELAY_TRY(gates.JudgeTarget(target, now.commit));
  return SendNews(env, ledger, target);
}

}  // namespace belay
