// Runs the gates on a commit: one after the other, with retries, in belay's own worktree, which
// holds exactly that commit; the first gate that isn't green stops it.

#ifndef BELAY_MERGE_GATES_H_
#define BELAY_MERGE_GATES_H_

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "merge/merge_env.h"

namespace belay {

class Gates {
 public:
  Gates(const MergeEnv& env, MergeLedger& ledger) : env_(env), ledger_(ledger) {}

  // Ends the processes of gates whose runner was killed.
  Result<void> EndLeftOnes();

  // `name` ("m7", "main") is for the logs. `cancelled` is called whenever the queue's journal
  // changes, and ends it. A commit that can't be checked out, although `base` can, can't be tested.
  struct Subject {
    std::string name;
    std::string commit;
    std::string base;
  };
  Result<std::vector<GateResult>> Judge(const Subject& subject,
                                        const std::function<bool()>& cancelled);

  // Whether the target itself is red: then the work isn't the cause. Runs the gate unless the
  // result is known, and adds it to `red`.
  Result<bool> IsTargetRed(const MergeEntry& entry, GateResult& red);

  // Runs all gates on the present target; the result is recorded, and reported to the user if it is
  // red.
  Result<void> JudgeTarget(const std::string& target, const std::string& commit);

 private:
  Result<GateResult> RunOne(const GateRule& rule, const Subject& subject,
                            const std::function<bool()>& cancelled);
  // Why it can't be checked out; an error when the commit isn't the cause.
  Result<std::string> CheckOut(const Subject& subject);
  std::string Mark() const;

  const MergeEnv& env_;
  MergeLedger& ledger_;
};

// Work that changes .claude/belay.yml would set the gates for all later work, as soon as a checkout
// of the target has it. So only the user can approve it.

// Whether the changes from `from` to `to` touch that file, or its target if it is a link.
Result<bool> ChangesSettings(const MergeEnv& env, const std::string& from, const std::string& to);

// For an entry with a candidate: the question to the user. Empty: it leaves the settings alone, or
// the user has approved exactly this head.
Result<std::string> SettingsQuestion(const MergeEnv& env, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_GATES_H_
