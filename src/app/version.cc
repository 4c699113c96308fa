#include "app/version.h"

namespace belay {

const std::string_view kBelayVersion = BELAY_VERSION;  // set by CMake

}  // namespace belay
