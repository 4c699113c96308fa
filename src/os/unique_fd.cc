#include "os/unique_fd.h"

namespace belay {

void UniqueFd::Close(int fd) { (void)close(fd); }

}  // namespace belay
