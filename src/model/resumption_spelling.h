// What people write in a section for the values that belay writes: COMPLETED or in_progress for a
// status, 12 where a text is meant, "2" for 2, and nothing for an empty list.

#ifndef BELAY_MODEL_RESUMPTION_SPELLING_H_
#define BELAY_MODEL_RESUMPTION_SPELLING_H_

#include "model/resumption.h"

namespace belay {

// Replaces such values by belay's. Those of which the meaning isn't clear stay.
void ReadSpellings(Resumption& section);

}  // namespace belay

#endif  // BELAY_MODEL_RESUMPTION_SPELLING_H_
