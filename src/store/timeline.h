// The records of all journals of a project as one story, in the order of their times (`at`): those
// that were archived (store/archive.h) first, then the journal itself.
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
  WallTime at;  // a record without a time happened when the one before it did
  Json record;
};

// Of the files in a folder of journals: "identities.jsonl" is the journal "identities". Sorted.
Result<std::vector<std::string>> JournalNames(const FileSystem& files, const std::string& folder);

// A record that a journal began with when it was made short: it says again what older records say.
void MarkRepeated(Json& record);
bool IsRepeated(const Json& record);

struct TimelineChoice {
  WallTime since = {};            // what was archived before isn't read
  std::string_view journal = {};  // only this one
};

class Timeline {
 public:
  using Sink = std::function<Result<void>(const TimelineEntry&)>;

  Timeline(FileSystem& files, const Layout& project, TimelineChoice choice = {})
      : files_(files), project_(project), choice_(choice) {}

  // Tells of everything that is new since the last call; what is repeated only where the older
  // records are gone. An error of `sink` ends it at once; one of a journal is given back when all
  // others have been told.
  Result<void> CatchUp(const Sink& sink);
  // Everything that couldn't be read in the last call.
  std::vector<Error> Errors() const;

 private:
  struct Source {
    std::deque<Journal> segments;     // oldest first; the last one is the journal itself
    std::vector<Error> missing = {};  // what can't be told
    std::deque<TimelineEntry> waiting = {};
    std::uint64_t told = 0;  // the last number; what is read again is not told again
    bool only_repeated = true;
    WallTime last = {};
    bool more = true;
    std::vector<Error> errors = {};
  };

  Result<void> FindSources();
  std::deque<Journal> SegmentsOf(const std::string& name);
  std::vector<Error> MissingOf(const std::string& name);
  static void NoteEarlyEnd(const std::string& name, Source& source);
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
