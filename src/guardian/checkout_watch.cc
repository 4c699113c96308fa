#include "guardian/checkout_watch.h"

#include "base/path.h"

namespace belay {
namespace {

constexpr Duration kSoon = std::chrono::milliseconds(300);  // git writes more than one file
constexpr Duration kLater = std::chrono::seconds(30);
constexpr std::size_t kMostWorktrees = 100;

}  // namespace

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

// Without a watch, the timer has to do.
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
