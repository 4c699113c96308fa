// When git can't do something with an entry's work: whether that work is the reason, and trying
// again would end the same way, or the machine and the repository are, and the entry can wait.

#ifndef BELAY_MERGE_BLAME_H_
#define BELAY_MERGE_BLAME_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// A full disk, a lock, a want of memory: whatever it was about, it may pass.
bool MayPass(const MergeDoors& doors, const Error& error);

// Whether a commit can be read with all of its tree: if the target can, it isn't the repository.
bool IsReadable(const Git& git, const std::string& commit);

// "a, b" of what git printed on several lines.
std::string OneLine(std::string_view text);

}  // namespace belay

#endif  // BELAY_MERGE_BLAME_H_
