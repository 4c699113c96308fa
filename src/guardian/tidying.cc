// What nobody waits for, in small pieces, once a heartbeat.

#include "guardian/guardian.h"
#include "guardian/tidy.h"

namespace belay {
namespace {

constexpr unsigned kTidyFolders = 60;  // every so many times

}  // namespace

void Guardian::TidyUp() {
  chores_.Add("tidy hooks", [this] {
    const Result<StateLock> lock =
        HookLedger::Lock(doors_.files, doors_.project, doors_.lock_limit);
    if (lock) (void)hooks_.CompactIfLarge(*lock);
  });
  chores_.Add("tidy taint", [this] {
    const Result<StateLock> lock =
        TaintLedger::Lock(doors_.files, doors_.project, doors_.lock_limit);
    if (lock) (void)taints_.CompactIfLarge(*lock);
  });
  chores_.Add("tidy deliveries", [this] { (void)messages_.CompactIfLarge(); });
  TidyNews();
  if (tidied_++ % kTidyFolders != 0) return;
  chores_.Add("tidy events",
              [this] { RemoveOldEventLogs(doors_.files, doors_.project, doors_.clock.Wall()); });
  chores_.Add("tidy outbox",
              [this] { RemoveOldTexts(doors_.files, doors_.project, doors_.clock.Wall()); });
  for (const std::string& folder : FoldersToTidy(doors_.files, doors_.project)) {
    chores_.Add("tidy " + folder, [this, folder] {
      RemoveOldTemporaries(doors_.files, folder, doors_.clock.Wall());
    });
  }
}

// One at a time, until few enough are left.
void Guardian::TidyNews() {
  chores_.Add("tidy news", [this] {
    SignalBox person = BoxOf(Recipient::Person());
    if (DropOldestNews(person)) TidyNews();
  });
}

}  // namespace belay
