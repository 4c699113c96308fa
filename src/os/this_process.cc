#include "os/this_process.h"

#include <unistd.h>

namespace belay {

std::int64_t ThisProcess() { return getpid(); }

}  // namespace belay
