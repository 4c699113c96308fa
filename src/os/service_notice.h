// Reports our state to a service manager (systemd's sd_notify protocol): a datagram to the socket
// in $NOTIFY_SOCKET. Does nothing without that variable.

#ifndef BELAY_OS_SERVICE_NOTICE_H_
#define BELAY_OS_SERVICE_NOTICE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "os/environment.h"
#include "os/fd.h"

namespace belay {

class ServiceNotice {
 public:
  explicit ServiceNotice(const Environment& environment);

  void Ready() { Send("READY=1"); }
  void StillAlive() { Send("WATCHDOG=1"); }
  void Stopping() { Send("STOPPING=1"); }
  // How often StillAlive must be sent; nothing when there is no watchdog.
  std::optional<Duration> WatchdogPeriod() const { return period_; }

 private:
  void Send(std::string_view text) const;

  std::string path_;
  std::optional<Duration> period_;
  UniqueFd socket_;
};

}  // namespace belay

#endif  // BELAY_OS_SERVICE_NOTICE_H_
