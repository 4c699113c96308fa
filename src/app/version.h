#ifndef BELAY_APP_VERSION_H_
#define BELAY_APP_VERSION_H_

#include <string_view>

namespace belay {

extern const std::string_view kBelayVersion;  // "0.1.0"

}  // namespace belay

#endif  // BELAY_APP_VERSION_H_
