// What the gates say of a commit: each in turn, in a worktree of belay's own that holds exactly
// that commit, with its retries; the first that isn't green ends it.

#ifndef BELAY_MERGE_GATES_H_
#define BELAY_MERGE_GATES_H_

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

class Gates {
 public:
  Gates(const MergeDoors& doors, MergeLedger& ledger) : doors_(doors), ledger_(ledger) {}

  // Ends the processes of gates whose runner was killed.
  Result<void> EndLeftOnes();

  // `name` ("m7", "main") is for the logs. Asked whenever the queue's journal changes, `cancelled`
  // ends it. What can't even be checked out, though `base` can, can't be tested.
  struct Subject {
    std::string name;
    std::string commit;
    std::string base;
  };
  Result<std::vector<GateResult>> Judge(const Subject& subject,
                                        const std::function<bool()>& cancelled);

  // Whether the target itself is red: then it isn't the work's fault. Asks the gate, unless it is
  // known, and adds it to the result.
  Result<bool> IsTargetRed(const MergeEntry& entry, GateResult& red);

  // Of the target as it is, by all gates; remembered, and news for a person if it is red.
  Result<void> JudgeTarget(const std::string& target, const std::string& commit);

 private:
  Result<GateResult> RunOne(const GateRule& rule, const Subject& subject,
                            const std::function<bool()>& cancelled);
  // Why it can't be; an error when that isn't its own fault.
  Result<std::string> CheckOut(const Subject& subject);
  std::string Mark() const;

  const MergeDoors& doors_;
  MergeLedger& ledger_;
};

// Work that changes .claude/belay.yml would set the gates by which all work behind it is judged, as
// soon as a checkout of the target has it. So a person lets it through, and nobody else.

// Whether what `to` has beyond `from` changes that file, or whatever it is a link to.
Result<bool> ChangesSettings(const MergeDoors& doors, const std::string& from,
                             const std::string& to);

// For an entry with a candidate: what a person is asked. Empty: it leaves the settings alone, or a
// person has let this very head through.
Result<std::string> WhyAskAboutSettings(const MergeDoors& doors, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_GATES_H_
