// The records of all journals of a folder as one story, in the order of their times (`at`).
//
// Several journals are read side by side in pieces, so memory stays small however long they are.
// Anybody may look, without a lock. One that is damaged tells what is before the damage; the others
// tell everything.

#ifndef BELAY_STORE_TIMELINE_H_
#define BELAY_STORE_TIMELINE_H_

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/journal.h"

namespace belay {

struct TimelineEntry {
  std::string_view journal;
  std::uint64_t seq;
  WallTime at;  // a record without a time happened when the one before it did
  Json record;
};

// Of the files in a folder of journals: "identities.jsonl" is the journal "identities". Sorted.
Result<std::vector<std::string>> JournalNames(const FileSystem& files, const std::string& folder);

class Timeline {
 public:
  using Sink = std::function<Result<void>(const TimelineEntry&)>;

  Timeline(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  // Tells of everything that is new since the last call. An error of `sink` ends it at once; one of
  // a journal is given back when all others have been told.
  Result<void> CatchUp(const Sink& sink);

 private:
  struct Source {
    Journal journal;
    std::deque<TimelineEntry> waiting = {};
    std::uint64_t told = 0;  // the last number; what is repeated after a compaction is not told
    WallTime last = {};
    bool more = true;
    Result<void> outcome = {};
  };

  Result<void> FindSources();
  void Fill(const std::string& name, Source& source);
  Source* Earliest();

  FileSystem& files_;
  std::string folder_;
  std::map<std::string, Source> sources_;
};

}  // namespace belay

#endif  // BELAY_STORE_TIMELINE_H_
