// Work that changes .claude/belay.yml would set the gates by which all work behind it is judged, as
// soon as a checkout of the target has it. So a person lets it through, and nobody else.

#ifndef BELAY_MERGE_SETTINGS_CHANGE_H_
#define BELAY_MERGE_SETTINGS_CHANGE_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// Whether what `to` has beyond `from` changes that file, or whatever it is a link to.
Result<bool> ChangesSettings(const MergeDoors& doors, const std::string& from,
                             const std::string& to);

// For an entry with a candidate: what a person is asked. Empty: it leaves the settings alone, or a
// person has let this very head through.
Result<std::string> WhyAskAboutSettings(const MergeDoors& doors, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_SETTINGS_CHANGE_H_
