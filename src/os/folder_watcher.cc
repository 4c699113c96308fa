#include "os/folder_watcher.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace belay {
namespace {

constexpr std::uint32_t kSelfGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
constexpr std::uint32_t kInteresting = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM |
                                       IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

std::optional<FolderChange> ChangeOf(std::uint32_t mask) {
  if ((mask & IN_Q_OVERFLOW) != 0) return FolderChange::kOverflow;
  if ((mask & kSelfGone) != 0) return FolderChange::kGone;
  if ((mask & IN_CREATE) != 0) return FolderChange::kCreated;
  if ((mask & IN_MOVED_TO) != 0) return FolderChange::kMovedIn;
  if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) return FolderChange::kDeleted;
  if ((mask & IN_MODIFY) != 0) return FolderChange::kWritten;
  return std::nullopt;
}

// These errnos don't mean a full disk or too many files here: the user's inotify limits are used
// up.
Error WatchError(std::string_view what, int error) {
  Error watch = SystemError(what, error);
  if (error == ENOSPC) watch.hint = "raise sysctl fs.inotify.max_user_watches";
  if (error == EMFILE) watch.hint = "raise sysctl fs.inotify.max_user_instances";
  return watch;
}

}  // namespace

Result<FolderWatcher> FolderWatcher::Create() {
  UniqueFd inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify) return WatchError("create an inotify", errno);
  return FolderWatcher(std::move(inotify));
}

Result<void> FolderWatcher::Add(WatchId id, const std::string& path, FolderDetail detail,
                                EventLoop::FolderCallback callback) {
  // Keeps what other watches of the same folder asked for.
  const std::uint32_t content = detail == FolderDetail::kNamesAndContent ? IN_MODIFY : 0U;
  const int number =
      inotify_add_watch(inotify_.get(), path.c_str(), kInteresting | content | IN_MASK_ADD);
  if (number < 0) return WatchError("watch " + path, errno);
  by_number_[number].push_back(id);
  watches_.emplace(
      id, Watch{number, detail, std::make_shared<EventLoop::FolderCallback>(std::move(callback))});
  return {};
}

void FolderWatcher::Remove(WatchId id) {
  const auto watch = watches_.find(id);
  if (watch == watches_.end()) return;
  const int number = watch->second.number;
  watches_.erase(watch);
  std::vector<WatchId>& others = by_number_.at(number);
  std::erase(others, id);
  if (!others.empty()) return;
  by_number_.erase(number);
  // Fails when the folder is gone, and the kernel's watch with it.
  (void)inotify_rm_watch(inotify_.get(), number);
}

void FolderWatcher::Dispatch() {
  char buffer[16384];
  const ssize_t count = read(inotify_.get(), buffer, sizeof(buffer));
  for (ssize_t at = 0; at < count;) {
    inotify_event event{};
    std::memcpy(&event, buffer + at, sizeof(event));
    const char* name = buffer + at + sizeof(event);
    Handle(event, {name, strnlen(name, event.len)});
    at += static_cast<ssize_t>(sizeof(event) + event.len);
  }
}

void FolderWatcher::Handle(const inotify_event& event, std::string_view name) {
  const std::optional<FolderChange> change = ChangeOf(event.mask);
  if (!change) return;
  const bool overflow = *change == FolderChange::kOverflow;
  const auto found = by_number_.find(event.wd);
  if (!overflow && found == by_number_.end()) return;
  const std::vector<WatchId> ids = overflow ? All() : found->second;
  Call(ids, {*change, std::string(name)});
  if (*change != FolderChange::kGone) return;
  for (const WatchId id : ids) Remove(id);
}

void FolderWatcher::Call(const std::vector<WatchId>& ids, const FolderEvent& event) {
  for (const WatchId id : ids) {
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) continue;
    const bool unwanted = watch->second.detail == FolderDetail::kNames;
    if (event.change == FolderChange::kWritten && unwanted) continue;
    const std::shared_ptr<EventLoop::FolderCallback> callback = watch->second.callback;
    (*callback)(event);
  }
}

std::vector<WatchId> FolderWatcher::All() const {
  std::vector<WatchId> ids;
  for (const auto& [id, watch] : watches_) ids.push_back(id);
  return ids;
}

}  // namespace belay
