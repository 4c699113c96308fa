#include "guardian/state_watch.h"

#include <algorithm>
#include <utility>

#include "base/path.h"

namespace belay {
namespace {

// Long enough for most clean-ups to finish, too short for a person to notice.
constexpr auto kSettle = std::chrono::milliseconds(100);

constexpr Duration kSoon = std::chrono::milliseconds(300);  // git writes more than one file
constexpr Duration kLater = std::chrono::seconds(30);
constexpr std::size_t kMostWorktrees = 100;

}  // namespace

StateWatch::~StateWatch() {
  for (const WatchId watch : watches_) loop_.Unwatch(watch);
  loop_.CancelTimer(timer_);
}

// The new watches before the old ones end: an event that waits to be read is for both.
bool StateWatch::Watch() {
  const std::vector<WatchId> before = std::exchange(watches_, {});
  bool all = true;
  for (const std::string& folder : folders_) {
    if (WatchOne(folder)) continue;
    WatchAbove(folder);
    all = false;
  }
  for (const WatchId watch : before) loop_.Unwatch(watch);
  return all;
}

bool StateWatch::WatchOne(const std::string& folder) {
  const Result<WatchId> watch =
      loop_.WatchFolder(folder, [this](const FolderEvent& event) { OnEvent(event); });
  if (watch) watches_.push_back(*watch);
  return watch.ok();
}

void StateWatch::WatchAbove(const std::string& folder) {
  for (std::string above(ParentPath(folder)); above.size() > 1; above = ParentPath(above)) {
    const Result<WatchId> watch =
        loop_.WatchFolder(above, [this](const FolderEvent& event) { OnEventAbove(event); });
    if (!watch) continue;
    watches_.push_back(*watch);
    return;
  }
}

bool StateWatch::IsOurs(const std::string& name) const {
  return std::ranges::any_of(folders_,
                             [&](const std::string& folder) { return FileName(folder) == name; });
}

void StateWatch::OnEvent(const FolderEvent& event) {
  const bool lost = event.change == FolderChange::kDeleted || event.change == FolderChange::kGone ||
                    event.change == FolderChange::kOverflow;
  // A folder that appears may be one of ours. Replacing a rendering removes its temporary name:
  // that is no loss.
  if (IsOurs(event.name) || (lost && !IsTemporaryName(event.name))) TellSoon();
}

// For a missing folder every event with its name counts: a file in its place may be gone.
void StateWatch::OnEventAbove(const FolderEvent& event) {
  const bool other = !event.name.empty() && !IsOurs(event.name);
  if (!other) TellSoon();
}

void StateWatch::TellSoon() {
  if (scheduled_) return;
  scheduled_ = true;
  timer_ = loop_.StartTimer(kSettle, [this] {
    scheduled_ = false;
    lost_();
  });
}

void CheckoutWatch::Set(bool on) {
  if (on == on_) return;
  on_ = on;
  if (!on) {
    for (const WatchId watch : watches_) loop_.Unwatch(watch);
    watches_.clear();
    loop_.CancelTimer(timer_);
    soon_ = false;
    return;
  }
  Add(common_folder_);
  const std::string linked = JoinPath(common_folder_, "worktrees");
  const auto names = files_.List(linked);
  for (std::size_t i = 0; names && i < names->size() && i < kMostWorktrees; ++i) {
    Add(JoinPath(linked, (*names)[i]));
  }
  Later();
}

// If the watch fails, the timer still works.
void CheckoutWatch::Add(const std::string& folder) {
  const Result<WatchId> watch = loop_.WatchFolder(folder, [this](const FolderEvent&) { Soon(); });
  if (watch) watches_.push_back(*watch);
}

void CheckoutWatch::Soon() {
  if (soon_) return;
  soon_ = true;
  loop_.CancelTimer(timer_);
  timer_ = loop_.StartTimer(kSoon, [this] {
    soon_ = false;
    Later();
    changed_();
  });
}

void CheckoutWatch::Later() {
  timer_ = loop_.StartTimer(kLater, [this] {
    Later();
    changed_();
  });
}

}  // namespace belay
