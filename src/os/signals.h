// The signals that other layers name: <csignal> belongs to src/os.

#ifndef BELAY_OS_SIGNALS_H_
#define BELAY_OS_SIGNALS_H_

#include <csignal>

namespace belay {

constexpr int kSignalTerminate = SIGTERM;
constexpr int kSignalInterrupt = SIGINT;
constexpr int kSignalHangUp = SIGHUP;
constexpr int kSignalKill = SIGKILL;
constexpr int kSignalContinue = SIGCONT;
constexpr int kSignalChild = SIGCHLD;
constexpr int kSignalWindow = SIGWINCH;

}  // namespace belay

#endif  // BELAY_OS_SIGNALS_H_
