// Messages to the person are stored in an inbox, which the person may not look at. So the guardian
// prints each of them when it arrives, from any sender: a line on its terminal, or in its log.

#include <fmt/core.h>

#include "guardian/guardian.h"
#include "guardian/tidy.h"

namespace belay {

// What waited before is counted, not repeated.
void Guardian::WatchPersonsInbox() {
  SignalBox box = BoxOf(Recipient::Person());
  if (const Result<void> there = box.EnsureFolder(); !there) return Complain(there.error());
  const Result<WatchId> watch = loop_.WatchFolder(box.folder(), [this](const FolderEvent& event) {
    if (event.change == FolderChange::kGone) return WatchPersonsInbox();
    if (event.change == FolderChange::kDeleted) return;
    chores_.Add("the person's inbox", [this] { ShowNewToPerson(); });
  });
  if (!watch) return Complain(watch.error());
  const Result<std::vector<Signal>> waiting = box.Peek();
  if (!waiting) return Complain(waiting.error());
  std::size_t count = 0;
  for (const Signal& signal : *waiting) {
    const bool is_new = shown_to_person_.insert(signal.id).second;
    if (is_new && !IsNews(signal.type)) ++count;
  }
  if (count == 0) return;
  options_.say(
      fmt::format("{} message{} for you: belay signal list person", count, count == 1 ? "" : "s"));
}

void Guardian::ShowNewToPerson() {
  const Result<std::vector<Signal>> waiting = BoxOf(Recipient::Person()).Peek();
  if (!waiting) return Complain(waiting.error());
  std::set<std::string> present;
  for (const Signal& signal : *waiting) {
    present.insert(signal.id);
    if (IsNews(signal.type) || shown_to_person_.contains(signal.id)) continue;
    options_.say(fmt::format("for you: {} from {}: {}", RuleOf(signal.type).name, signal.from,
                             SignalText(signal)));
  }
  shown_to_person_ = std::move(present);
}

}  // namespace belay
