#include "guardian/cleanup.h"

#include "base/path.h"
#include "ledger/outbox.h"

namespace belay {
namespace {

constexpr Duration kOldEvents = std::chrono::hours(24 * 7);

bool IsEventLog(std::string_view name) {
  return name.find(kJournalEnd) != std::string_view::npos;  // also the older one
}

}  // namespace

void RemoveOldEventLogs(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOldFiles(files, project.EventsFolder(), now - kOldEvents, IsEventLog);
}

void RemoveOldTexts(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOldFiles(files, project.OutboxFolder(), now - kOldEvents, [](std::string_view name) {
    const auto parsed = ParseOutboxName(name);
    return parsed && parsed->state == OutboxName::State::kText;
  });
}

bool DropOldestNews(SignalBox& person) {
  Result<std::vector<Signal>> waiting = person.Peek();
  if (!waiting) return false;
  std::erase_if(*waiting, [](const Signal& signal) { return !IsNews(signal.type); });
  return waiting->size() > kMostNews && person.Acknowledge(waiting->front().id).ok();
}

}  // namespace belay
