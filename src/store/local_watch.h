// One watch of a LocalBackend: woken by inotify when the journal is written or replaced, and by a
// timer when the next lease runs out, it compares what is there with what its watcher was told.
//
// The timer's clock stands still while the machine sleeps and that of the leases doesn't. So after
// a sleep a watcher may hear of an expiry as late as it would have without the sleep; everybody
// else sees it at once.

#ifndef BELAY_STORE_LOCAL_WATCH_H_
#define BELAY_STORE_LOCAL_WATCH_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "store/backend.h"
#include "store/local_backend_state.h"

namespace belay {

class LocalWatch {
 public:
  // The state as of now; it stays as it is until the backend is called again.
  using Refresh = std::function<Result<const LocalBackendState*>()>;

  LocalWatch(EventLoop& loop, const Clock& clock, Refresh refresh, const BackendListing& since,
             Backend::WatchCallback callback);
  LocalWatch(const LocalWatch&) = delete;
  LocalWatch& operator=(const LocalWatch&) = delete;
  ~LocalWatch() { Stop(); }

  // Watches `file` in `folder`, and looks for the first time in the next round of the loop.
  Result<void> Start(const std::string& folder, const std::string& file);

 private:
  void OnFolder(const FolderEvent& event, const std::string& folder, const std::string& file);
  void Look();
  BackendChanges Compare(const LocalBackendState& state, BootTime now);
  void SetTimer(Duration wait);
  void Stop();
  void Tell(const Result<BackendChanges>& what);

  EventLoop& loop_;
  const Clock& clock_;
  Refresh refresh_;
  std::string prefix_;
  std::map<std::string, Revision, std::less<>> known_;  // what the watcher was told
  std::shared_ptr<Backend::WatchCallback> callback_;    // shared with a call that destroys us
  std::optional<WatchId> folder_;
  std::optional<TimerId> timer_;
};

}  // namespace belay

#endif  // BELAY_STORE_LOCAL_WATCH_H_
