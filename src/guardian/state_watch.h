// Notices lost renderings: `git clean -fdx`, `rm -rf .claude`, `git stash -a`. It calls back a
// moment later, once for many losses, so that everything can be rendered again, and then watches
// the folders that were created again.

#ifndef BELAY_GUARDIAN_STATE_WATCH_H_
#define BELAY_GUARDIAN_STATE_WATCH_H_

#include <functional>
#include <string>
#include <vector>

#include "os/event_loop.h"
#include "os/file_system.h"

namespace belay {

class StateWatch {
 public:
  // `lost` creates everything again, folders included, before it returns or soon after; call Watch
  // after that.
  StateWatch(EventLoop& loop, std::vector<std::string> folders, std::function<void()> lost)
      : loop_(loop), folders_(std::move(folders)), lost_(std::move(lost)) {}
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;
  ~StateWatch();

  // Watches the folders that exist; false when one is missing. Instead of a missing one it watches
  // the nearest folder above, so that `lost` is called when the missing one is created.
  bool Watch();

 private:
  bool WatchOne(const std::string& folder);
  void WatchAbove(const std::string& folder);
  bool IsOurs(const std::string& name) const;
  void OnEvent(const FolderEvent& event);
  void OnEventAbove(const FolderEvent& event);
  void TellSoon();

  EventLoop& loop_;
  std::vector<std::string> folders_;  // of all renderings
  std::function<void()> lost_;
  std::vector<WatchId> watches_;
  TimerId timer_ = {};
  bool scheduled_ = false;
};

// Calls back when a checkout that the merge queue waits for may have changed: git has written to
// one of the repository's git folders (its index, its HEAD, a finished merge). A timer covers what
// git doesn't see, such as a file that was edited back.

class CheckoutWatch {
 public:
  CheckoutWatch(EventLoop& loop, const FileSystem& files, std::string common_folder,
                std::function<void()> changed)
      : loop_(loop),
        files_(files),
        common_folder_(std::move(common_folder)),
        changed_(std::move(changed)) {}
  CheckoutWatch(const CheckoutWatch&) = delete;
  CheckoutWatch& operator=(const CheckoutWatch&) = delete;
  ~CheckoutWatch() { Set(false); }

  // Setting the same value again does nothing.
  void Set(bool on);

 private:
  void Add(const std::string& folder);
  void Soon();
  void Later();

  EventLoop& loop_;
  const FileSystem& files_;
  std::string common_folder_;
  std::function<void()> changed_;
  bool on_ = false;
  bool soon_ = false;
  TimerId timer_ = {};
  std::vector<WatchId> watches_ = {};
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_STATE_WATCH_H_
