#include "os/current_folder.h"

#include <unistd.h>

#include <climits>

namespace belay {

std::string CurrentFolder() {
  char buffer[PATH_MAX];
  return getcwd(buffer, sizeof(buffer)) == nullptr ? "/proc/self/cwd" : buffer;
}

}  // namespace belay
