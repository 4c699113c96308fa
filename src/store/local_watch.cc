#include "store/local_watch.h"

#include <utility>

namespace belay {

LocalWatch::LocalWatch(EventLoop& loop, const Clock& clock, Refresh refresh,
                       const BackendListing& since, Backend::WatchCallback callback)
    : loop_(loop),
      clock_(clock),
      refresh_(std::move(refresh)),
      prefix_(since.prefix),
      callback_(std::make_shared<Backend::WatchCallback>(std::move(callback))) {
  for (const BackendEntry& entry : since.entries) known_.emplace(entry.key, entry.version);
}

Result<void> LocalWatch::Start(const std::string& folder, const std::string& file) {
  BELAY_TRY_ASSIGN(folder_, loop_.WatchFolder(folder, [=, this](const FolderEvent& event) {
    OnFolder(event, folder, file);
  }));
  SetTimer(Duration(0));
  return {};
}

void LocalWatch::OnFolder(const FolderEvent& event, const std::string& folder,
                          const std::string& file) {
  if (event.change == FolderChange::kGone) {
    Error gone{ErrorCode::kFailed, "watch " + folder + ": it was deleted or moved"};
    Stop();
    Tell(std::move(gone));
  } else if (event.change == FolderChange::kOverflow || event.name == file) {
    Look();
  }
}

// Telling is always the last thing done: the callback may end this watch.
void LocalWatch::Look() {
  const BootTime now = clock_.Boot();
  const Result<const LocalBackendState*> state = refresh_();
  if (!state) {
    Stop();
    Tell(state.error());
    return;
  }
  const BackendChanges changes = Compare(**state, now);
  if (const std::optional<BootTime> next = (*state)->NextExpiry(now)) SetTimer(*next - now);
  if (!changes.put.empty() || !changes.gone.empty()) Tell(changes);
}

BackendChanges LocalWatch::Compare(const LocalBackendState& state, BootTime now) {
  BackendChanges changes{state.revision(), {}, {}};
  for (const auto* item : state.Visible(prefix_, now)) {
    const auto& [name, key] = *item;
    const auto [known, is_new] = known_.try_emplace(name, key.version);
    if (!is_new && known->second == key.version) continue;
    known->second = key.version;
    changes.put.push_back(EntryOf(name, key));
  }
  std::erase_if(known_, [&](const auto& known) {
    const bool gone = state.Find(known.first, now) == nullptr;
    if (gone) changes.gone.push_back(known.first);
    return gone;
  });
  return changes;
}

void LocalWatch::SetTimer(Duration wait) {
  if (timer_) loop_.CancelTimer(*timer_);
  timer_ = loop_.StartTimer(wait, [this] { Look(); });
}

void LocalWatch::Stop() {
  if (folder_) loop_.Unwatch(*folder_);
  if (timer_) loop_.CancelTimer(*timer_);
  folder_.reset();
  timer_.reset();
}

void LocalWatch::Tell(const Result<BackendChanges>& what) {
  const std::shared_ptr<Backend::WatchCallback> callback = callback_;
  (*callback)(what);
}

}  // namespace belay
