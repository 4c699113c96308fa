// What an update changed in the section, as short digests of the values that it brought. They tell
// whether a document holds the update, also after a person has edited other values of the section.

#ifndef BELAY_MODEL_RESUMPTION_TRACES_H_
#define BELAY_MODEL_RESUMPTION_TRACES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "model/resumption.h"

namespace belay {

constexpr std::size_t kMostTraces = 32;

// Of the values that are in `after` and not in `before`; the first ones.
std::vector<std::string> TracesOf(const Resumption& before, const Resumption& after);

// Whether the section has at least half of them.
bool HasTraces(const Resumption& section, const std::vector<std::string>& traces);

}  // namespace belay

#endif  // BELAY_MODEL_RESUMPTION_TRACES_H_
