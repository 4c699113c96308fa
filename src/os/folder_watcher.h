// Watches the names in folders, with one inotify for all of them.

#ifndef BELAY_OS_FOLDER_WATCHER_H_
#define BELAY_OS_FOLDER_WATCHER_H_

#include <sys/inotify.h>

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

}  // namespace belay

#endif  // BELAY_OS_FOLDER_WATCHER_H_
