// Watches the names in folders, with one inotify for all of them.

#ifndef BELAY_OS_WATCHERS_H_
#define BELAY_OS_WATCHERS_H_

#include <sys/inotify.h>

#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/event_loop.h"
#include "os/fd.h"

namespace belay {

enum class FolderDetail { kNames, kNamesAndContent };

class FolderWatcher {
 public:
  // A user may have few of these (128 by default), so it is created on first use.
  static Result<FolderWatcher> Create();

  int fd() const { return inotify_.get(); }  // readable when something happened

  // kNotFound when the path is not a folder.
  Result<void> Add(WatchId id, const std::string& path, FolderDetail detail,
                   EventLoop::FolderCallback callback);
  void Remove(WatchId id);

  // Reads some of the events and calls back. Callbacks may add and remove.
  void Dispatch();

 private:
  struct Watch {
    int number;  // the kernel's, the same for all watches of one folder
    FolderDetail detail;
    std::shared_ptr<EventLoop::FolderCallback> callback;
  };

  explicit FolderWatcher(UniqueFd inotify) : inotify_(std::move(inotify)) {}

  void Handle(const inotify_event& event, std::string_view name);
  void Call(const std::vector<WatchId>& ids, const FolderEvent& event);
  std::vector<WatchId> All() const;

  UniqueFd inotify_;
  std::map<WatchId, Watch> watches_;
  std::map<int, std::vector<WatchId>> by_number_;
};

// Signals as events, over one signalfd for all of them.

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

#endif  // BELAY_OS_WATCHERS_H_
