// The pipe through which agents report (logbook.h), and the campaign's way to wait: it listens.

#ifndef BELAY_SESSIONS_REPORTS_H_
#define BELAY_SESSIONS_REPORTS_H_

#include <functional>
#include <string>

#include "base/time.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/process.h"
#include "sessions/logbook.h"

namespace belay {

class Reports {
 public:
  explicit Reports(const std::string& path);  // makes the pipe

  // Takes in lines until `enough` is true, which is asked before and after each, or until the time
  // is over. Gives whether it was enough.
  bool Listen(Duration limit, const std::function<bool()>& enough);
  void Listen(Duration limit) {
    (void)Listen(limit, [] { return false; });
  }
  // Until that process has ended.
  bool ListenWhile(const Process& process, Duration limit);
  void Drain() { TakeIn(); }  // what is there already

  Logbook& book() { return book_; }

 private:
  void TakeIn();
  bool Wait(MonotonicTime until, int other);

  UniqueFd pipe_;
  std::string partial_;
  Logbook book_;
  SystemClock clock_;
};

}  // namespace belay

#endif  // BELAY_SESSIONS_REPORTS_H_
