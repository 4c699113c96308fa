// The stored history of one family of records: an append-only file of JSON lines with checksums.
//
//   {"seq":0,"journal":"identities","version":1,"crc":"..."}      the header
//   {"seq":1,"kind":"spawned", ... ,"crc":"..."}                   what happened, one line each
//
// Several processes append, each under the lock of the journal; reading needs no lock. A record
// that Append has acknowledged is on the disk. After a crash of any writer at any moment the next
// one finds every acknowledged record, cuts off what was never finished, and continues.
//
// Compact replaces the file by one that begins with a snapshot: fewer records with the same
// meaning. Other processes notice the new file by its identity and read from the beginning.
//
// Everything after the last good line is a torn tail, which the next writer cuts off: half a line,
// or complete unreadable lines, of which it keeps a copy (PATH.damaged-N). Good lines after bad
// ones belong to it if they state ("unsynced") that nothing from there on was known to be on the
// disk when they were written: a crash leaves that of an append of several records, or of several
// writers. Any other bad line with a good one after it is damage: reading stops there and appending
// is refused (kDamaged) until Repair has set it aside. The same holds for a file without a header.
// A journal of a newer version is refused, never guessed.
//
// A reader without the lock may see records before they are on the disk; a power cut, or a sync
// that failed twice, can remove them again. The next read notices, and reads from the beginning.

#ifndef BELAY_STORE_JOURNAL_H_
#define BELAY_STORE_JOURNAL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/state_lock.h"

namespace belay {

// The consumer of a journal: called with every record in order, and when it must forget everything.
struct JournalFollower {
  std::function<void()> forget = [] {};
  std::function<void(std::uint64_t seq, const Json& record)> record = [](std::uint64_t,
                                                                         const Json&) {};
  // Called with every line before it is parsed, in the same order. True: the follower has taken
  // what it needs from it, and `record` isn't called for it. So of many records about the same
  // object only the last has to be parsed (codec/json_skim.h).
  std::function<bool(std::string_view line)> line = [](std::string_view) { return false; };
};

class Journal {
 public:
  // Opens nothing yet. `name` is in the header; a file with another one is refused.
  Journal(FileSystem& files, std::string path, std::string name)
      : files_(files), path_(std::move(path)), name_(std::move(name)) {}

  // Passes everything new since the last call to `follower`. A missing journal counts as an empty
  // one. Only reads.
  Result<void> CatchUp(const JournalFollower& follower);
  // The same in bounded pieces; false when there is nothing more for now.
  Result<bool> CatchUpSome(const JournalFollower& follower);
  // Forgets everything, so that the next call passes all records again.
  void StartOver(const JournalFollower& follower) { Forget(follower); }

  // Catches up first, then adds the records and returns the number of the last. They are objects
  // without "seq", "unsynced", "journal" and "crc". When it returns without error they and all
  // before them are on the disk, also when there are none to add; after an error, a later reader
  // finds all of them, the first few, or none.
  Result<std::uint64_t> Append(const StateLock& lock, std::span<const Json> records,
                               const JournalFollower& follower);

  // Catches up first, then replaces all records by the result of `snapshot`. The numbers go on.
  // `follower` isn't called with the snapshot, because it holds what the follower knows. The caller
  // has put the old records into the archive (store/archive.h).
  Result<void> Compact(const StateLock& lock, const JournalFollower& follower,
                       const std::function<std::vector<Json>()>& snapshot);

  // Keeps the damaged file as `path`.damaged-N and replaces it by one with every good record, under
  // new numbers that continue the old ones. Returns the number of lines left out. Does nothing to
  // an intact journal, and refuses another journal's file or a newer one (kDamaged). Numbers up to
  // `used` were used: a journal that ends before is not intact. `archived` are the records from
  // before the last compaction: if there are any, they replace the snapshot, of which lines may be
  // lost.
  Result<std::uint64_t> Repair(const StateLock& lock, std::uint64_t used = 0,
                               std::span<const Json> archived = {});
  // If the file is another journal's, keeps a copy in the same way. Gives whether.
  Result<bool> KeepIfOthers(const StateLock& lock);
  // The same for a file of the archive that should end with the record `last`, also if it is
  // missing. Every good record keeps its number, and a record of the kind "lost" replaces each lost
  // one. Returns the number of lost records.
  Result<std::uint64_t> RepairArchived(const StateLock& lock, std::uint64_t last);

  // Complete lines in the torn tail, as of the last read to the end.
  std::uint64_t bad_tail_lines() const { return bad_tail_lines_; }
  std::uint64_t last_seq() const { return last_seq_; }
  // Whether the file is still the one that was read, with everything that was read; it may have
  // grown.
  bool Continues() const;
  std::uint64_t bytes() const { return end_; }
  const std::string& path() const { return path_; }
  // The file that was read goes on from one in the archive that ends with this record.
  std::optional<std::uint64_t> archived() const { return archived_; }

 private:
  enum class Access { kRead, kAppend };
  struct Progress {
    std::uint64_t torn_bytes = 0;  // after the last good line
    bool at_end = false;
  };
  static constexpr std::uint64_t kEverything = UINT64_MAX;

  Result<void> Create();
  Result<void> Prepare(const JournalFollower& follower);
  Result<void> CutTail(std::uint64_t bytes);
  Result<void> KeepDamaged(std::string_view text);
  Result<void> SyncAll();
  void SaveAfterFailedSync(std::size_t bytes);
  Result<void> JudgeAfterGap(std::string_view line) const;
  Result<bool> Reopen(Access access, const JournalFollower& follower);
  Result<bool> LastLineIsUnchanged() const;
  void SetEnd(std::string_view lines, std::uint64_t end);
  Result<void> Open(Access access);
  Result<Progress> ReadOn(std::uint64_t most_bytes, const JournalFollower& follower);
  Result<Progress> Follow(std::uint64_t most_bytes, const JournalFollower& follower);
  Result<void> Accept(std::string_view line, const JournalFollower& follower);
  bool TakenByFollower(std::string_view line, const JournalFollower& follower) const;
  Result<void> AcceptHeader(const Json& header);
  void Forget(const JournalFollower& follower);
  Error Damaged(std::uint64_t offset, std::string_view why) const;

  FileSystem& files_;
  std::string path_;
  std::string name_;
  std::optional<File> file_;
  Access access_ = Access::kRead;  // how that file was opened
  bool name_is_safe_ = false;      // the name of that file is on the disk, not only in the cache
  std::uint64_t end_ = 0;          // end of the last good line that was read
  std::string last_bytes_;         // the last bytes of that line, before its newline
  std::optional<std::uint64_t> next_seq_;
  std::uint64_t last_seq_ = 0;
  std::optional<std::uint64_t>
      synced_seq_;  // known to be on the disk up to here; nothing: not known
  std::uint64_t bad_tail_lines_ = 0;
  std::optional<std::uint64_t> archived_;
};

// The lines of a journal as text; docs/formats/journal.md describes the format.

constexpr int kJournalVersion = 1;
constexpr std::uint64_t kLargestJournalSeq = std::uint64_t{1} << 62U;

// `seq` is the last number used before this file began; 0 in a new journal.
// `archived`: the journal up to that number is in the archive (store/archive.h).
std::string JournalHeaderLine(const std::string& name, std::uint64_t seq, bool archived = false);

// One line each, numbered from `first_seq` on. Records are objects without "seq", "unsynced",
// "journal" and "crc", or the program aborts. One that is too long or too deep is kRefused. Each
// line names the first number that was not known to be on the disk when it was written, unless that
// is its own.
Result<std::string> JournalLines(std::uint64_t first_seq, std::uint64_t unsynced,
                                 std::span<const Json> records);
// For a file that is written as a whole: every line names only itself.
Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records);

// The number of a record or header that was read; nothing when it has none, or one above the
// largest, after which no number would follow.
std::optional<std::uint64_t> JournalSeq(const Json& record);
// The "unsynced" number of a line, or its own number.
std::optional<std::uint64_t> JournalUnsynced(const Json& record);

// Removes the journal's own members from a record.
void StripJournalMembers(Json& record);

}  // namespace belay

#endif  // BELAY_STORE_JOURNAL_H_
