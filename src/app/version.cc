#include "app/version.h"

namespace belay {

const std::string_view kBelayVersion = BELAY_VERSION;  // told by CMake

}  // namespace belay
