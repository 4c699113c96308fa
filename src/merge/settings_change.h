// Work that changes .claude/belay.yml would set the gates for all later work, as soon as a checkout
// of the target has it. So only the user can approve it.

#ifndef BELAY_MERGE_SETTINGS_CHANGE_H_
#define BELAY_MERGE_SETTINGS_CHANGE_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// Whether the changes from `from` to `to` touch that file, or its target if it is a link.
Result<bool> ChangesSettings(const MergeDoors& doors, const std::string& from,
                             const std::string& to);

// For an entry with a candidate: the question to the user. Empty: it leaves the settings alone, or
// the user has approved exactly this head.
Result<std::string> WhyAskAboutSettings(const MergeDoors& doors, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_SETTINGS_CHANGE_H_
