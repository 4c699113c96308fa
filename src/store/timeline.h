// The records of all journals of a project as one history, in the order of their times (`at`): the
// archived ones (store/archive.h) first, then the journal itself.
//
// The journals are read in parallel in pieces, so memory stays small however long they are. Reading
// needs no lock. A damaged journal yields its records before the damage; the others yield
// everything.

#ifndef BELAY_STORE_TIMELINE_H_
#define BELAY_STORE_TIMELINE_H_

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/journal.h"
#include "store/layout.h"

namespace belay {

struct TimelineEntry {
  std::string_view journal;
  std::uint64_t seq;
  WallTime at;  // a record without a time has that of the record before it
  Json record;
};

// The journals in a folder: "identities.jsonl" is the journal "identities". Sorted.
Result<std::vector<std::string>> JournalNames(const FileSystem& files, const std::string& folder);

// Marks a record of the snapshot that a compacted journal begins with: it repeats older records.
void MarkRepeated(Json& record);
bool IsRepeated(const Json& record);

struct TimelineChoice {
  WallTime since = {};            // older archives aren't read
  std::string_view journal = {};  // only this one
};

class Timeline {
 public:
  using Sink = std::function<Result<void>(const TimelineEntry&)>;

  Timeline(FileSystem& files, const Layout& project, TimelineChoice choice = {})
      : files_(files), project_(project), choice_(choice) {}

  // Passes everything new since the last call to `sink`; repeated records only where the older ones
  // are gone. An error of `sink` ends the call; an error of a journal is returned after all others
  // were read.
  Result<void> CatchUp(const Sink& sink);
  // Every error of the last call.
  std::vector<Error> Errors() const;

 private:
  struct Source {
    std::deque<Journal> segments;     // oldest first; the last one is the journal itself
    std::vector<Error> missing = {};  // what can't be read
    std::uint64_t noted = 0;          // the journal had records up to this one
    std::deque<TimelineEntry> waiting = {};
    std::uint64_t last_passed_on = 0;  // a number; records read again are skipped
    bool only_repeated = true;
    WallTime last = {};
    bool more = true;
    std::vector<Error> errors = {};
  };

  Result<void> FindSources();
  std::deque<Journal> SegmentsOf(const std::string& name);
  std::vector<Error> MissingOf(const std::string& name);
  void NoteEarlyEnd(const std::string& name, Source& source) const;
  void Take(const std::string& name, Source& source, std::uint64_t seq, const Json& record);
  void Fill(const std::string& name, Source& source);
  Source* Earliest();

  FileSystem& files_;
  const Layout& project_;
  TimelineChoice choice_;
  std::map<std::string, Source> sources_;
};

}  // namespace belay

#endif  // BELAY_STORE_TIMELINE_H_
