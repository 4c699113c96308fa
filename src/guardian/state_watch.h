// Notices that renderings were lost: `git clean -fdx`, `rm -rf .claude`, `git stash -a`. It tells,
// a moment later and once for many losses, so that everything can be rendered again; and it goes on
// watching the folders that were made anew.

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
  // `lost` makes everything again, folders included, by the time it returns or soon after; then
  // Watch has to be called.
  StateWatch(EventLoop& loop, std::vector<std::string> folders, std::function<void()> lost)
      : loop_(loop), folders_(std::move(folders)), lost_(std::move(lost)) {}
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;
  ~StateWatch();

  // Watches the folders that are there; false when one is missing. In the place of that one the
  // nearest folder above it is watched, so that `lost` is called when it is made.
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

// Tells when a checkout may have changed that the merge queue waits for: git has written to one of
// the repository's git folders (its index, its HEAD, a merge that is over). What git doesn't see, a
// file that was edited back, is found by looking from time to time.

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

  // As often as you like.
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
