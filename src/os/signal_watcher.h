// Signals as events, over one signalfd for all of them.

#ifndef BELAY_OS_SIGNAL_WATCHER_H_
#define BELAY_OS_SIGNAL_WATCHER_H_

#include <csignal>
#include <map>
#include <memory>

#include "base/result.h"
#include "os/event_loop.h"
#include "os/fd.h"

namespace belay {

class SignalWatcher {
 public:
  static Result<UniqueFd> MakeSignalFd();
  explicit SignalWatcher(UniqueFd signals);
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;
  // Unblocks the signals that it blocked, in the thread that destroys it. A pending signal then has
  // its default effect.
  ~SignalWatcher();

  int fd() const { return signals_.get(); }  // readable when one came

  // kRefused for signals that can't be caught.
  Result<void> Add(WatchId id, int signal, EventLoop::Callback callback);
  void Remove(WatchId id);

  // Reads the pending signals and calls back. Callbacks may add and remove.
  void Dispatch();

 private:
  struct Watch {
    int signal;
    std::shared_ptr<EventLoop::Callback> callback;
  };

  bool IsWatched(int signal) const;
  int Listen() const;
  void Call(int signal);

  UniqueFd signals_;
  sigset_t wanted_;   // what signals_ reads
  sigset_t blocked_;  // by us, to be unblocked at the end
  std::map<WatchId, Watch> watches_;
};

}  // namespace belay

#endif  // BELAY_OS_SIGNAL_WATCHER_H_
