// What operations work with: the interfaces to the system, and what the command line says about the
// project and the configuration. Everything is passed by reference, so that a test controls the
// environment.

#ifndef BELAY_APP_ENV_H_
#define BELAY_APP_ENV_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/caller.h"
#include "base/result.h"
#include "engine/supervise/settings.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/event_loop.h"
#include "os/file_system.h"
#include "os/kernel.h"
#include "os/program.h"
#include "os/random.h"
#include "store/layout.h"

namespace belay {

struct Env {
  FileSystem& files;
  Programs& programs;
  const Environment& environment;
  const Clock& clock;
  Random& random;
  std::function<Result<std::unique_ptr<EventLoop>>()> make_loop;  // few operations need one
  KernelFeatures (*probe_kernel)();
  std::string current_folder;
  // Shows a message to the user at once; the receiver makes it printable.
  std::function<void(std::string_view)> say = [](std::string_view) {};
  std::optional<std::string> root = {};    // --root
  std::optional<std::string> config = {};  // --config
  std::optional<Caller> caller = {};       // set where not all callers may do the operation
};

// What all code that touches agents needs: the interfaces to the system, the project, its settings.

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

#endif  // BELAY_APP_ENV_H_
