// What somebody has to see to, in the person's inbox: `belay signal list person` shows it.

#ifndef BELAY_MERGE_TELL_PERSON_H_
#define BELAY_MERGE_TELL_PERSON_H_

#include <string>

#include "merge/merge_doors.h"

namespace belay {

// That it couldn't be written there is said.
void TellPerson(const MergeDoors& doors, const std::string& reason);

}  // namespace belay

#endif  // BELAY_MERGE_TELL_PERSON_H_
