// What all code that touches agents needs: the interfaces to the system, the project, its settings.

#ifndef BELAY_APP_SESSION_ENV_H_
#define BELAY_APP_SESSION_ENV_H_

#include "engine/supervise/settings.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "os/program.h"
#include "os/random.h"
#include "store/layout.h"

namespace belay {

struct SessionEnv {
  FileSystem& files;
  const Clock& clock;
  Random& random;
  Programs& programs;
  const Layout& project;
  const SuperviseSettings& settings;
  // For the lock of a journal. A caller that must not be held up waits less, and tries again.
  Duration lock_limit = std::chrono::seconds(2);
};

}  // namespace belay

#endif  // BELAY_APP_SESSION_ENV_H_
