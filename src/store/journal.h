// The truth of one family of records: a file that only grows, of JSON lines with checksums.
//
//   {"seq":0,"journal":"identities","version":1,"crc":"..."}      the header
//   {"seq":1,"kind":"spawned", ... ,"crc":"..."}                   what happened, one line each
//
// Several processes append, each under the lock of the journal; anybody reads, without it. What
// Append has acknowledged is on the disk. After a crash of any writer at any moment the next one
// finds every acknowledged record, cuts off what was never finished, and goes on.
//
// Compact replaces the file by one that begins with a snapshot: fewer records that say the same.
// Other processes notice by the file's identity and begin anew.
//
// What is behind the last good line is a torn tail, which the next writer cuts off: half a line, or
// whole lines that make no sense, of which it keeps a copy (PATH.damaged-N). Good lines behind bad
// ones are part of it if they say ("unsynced") that nothing from there on was known to be on the
// disk when they were written: what a crash leaves of an append of several records, or of several
// writers. Any other bad line with a good one behind it is damage: it stops reading there and
// refuses appending (kDamaged) until Repair has set it aside. So is a file without a header. A
// journal of a newer version is refused, never guessed.
//
// Who reads without the lock may see records before they are on the disk; a power cut can take
// those back, and a sync that failed twice. Whoever reads on then notices, and begins anew.

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

// Who follows a journal: told of every record in order, and when it must forget all it was told.
struct JournalFollower {
  std::function<void()> forget = [] {};
  std::function<void(std::uint64_t seq, const Json& record)> record = [](std::uint64_t,
                                                                         const Json&) {};
  // Offered every line before it is parsed, in the same order. True: the follower keeps what it
  // needs of it, and `record` isn't told of it. So that of many records about the same thing only
  // the last has to be parsed (codec/json_skim.h).
  std::function<bool(std::string_view line)> line = [](std::string_view) { return false; };
};

class Journal {
 public:
  // Nothing is opened yet. `name` stands in the header; a file with another one is refused.
  Journal(FileSystem& files, std::string path, std::string name)
      : files_(files), path_(std::move(path)), name_(std::move(name)) {}

  // Tells `follower` of everything that is new since the last call. A journal that isn't there is
  // an empty one. Only reads.
  Result<void> CatchUp(const JournalFollower& follower);
  // The same in bounded pieces; false when there is nothing more at present.
  Result<bool> CatchUpSome(const JournalFollower& follower);
  // Forgets everything, so that the next call tells all of it again.
  void StartOver(const JournalFollower& follower) { Forget(follower); }

  // Catches up first, then adds the records and gives the number of the last. They are objects
  // without "seq", "unsynced", "journal" and "crc". When it returns without error they and all
  // before them are on the disk, also when there are none to add; when it returns an error, a later
  // reader finds all of them, a first part, or none.
  Result<std::uint64_t> Append(const StateLock& lock, std::span<const Json> records,
                               const JournalFollower& follower);

  // Catches up first, then puts what `snapshot` gives in the place of everything there is. The
  // numbers go on. `follower` isn't told of the snapshot: it says what the follower knows. The
  // caller has put what was there into the archive (store/archive.h).
  Result<void> Compact(const StateLock& lock, const JournalFollower& follower,
                       const std::function<std::vector<Json>()>& snapshot);

  // Keeps the damaged file as `path`.damaged-N and puts one with every good record in its place,
  // under new numbers that go on from the old ones. Gives the number of lines left out. Does
  // nothing to a journal that is whole, and refuses what is another's or newer (kDamaged). Numbers
  // up to `used` mean something already, in the archive: a journal that ends before is not whole.
  Result<std::uint64_t> Repair(const StateLock& lock, std::uint64_t used = 0);
  // The same for a file of the archive that should end with the record `last`, also if it is
  // missing. Every good record keeps its number, and one of the kind "lost" stands in the place of
  // each that is lost. Gives how many these are.
  Result<std::uint64_t> RepairArchived(const StateLock& lock, std::uint64_t last);

  // Whole lines in the torn tail, as of the last reading to the end.
  std::uint64_t bad_tail_lines() const { return bad_tail_lines_; }
  std::uint64_t last_seq() const { return last_seq_; }
  std::uint64_t bytes() const { return end_; }
  const std::string& path() const { return path_; }
  // The file that was read goes on from one in the archive that ends with this record.
  std::optional<std::uint64_t> archived() const { return archived_; }

 private:
  enum class Access { kRead, kAppend };
  struct Progress {
    std::uint64_t torn_bytes = 0;  // behind the last good line
    bool at_end = false;
  };
  static constexpr std::uint64_t kEverything = UINT64_MAX;

  Result<void> Create();
  Result<void> Prepare(const JournalFollower& follower);
  Result<void> CutTail(std::uint64_t bytes);
  Result<void> KeepDamaged(std::string_view text);
  Result<void> SyncAll();
  void SaveAfterFailedSync(std::size_t bytes);
  Result<void> JudgeBehindHole(std::string_view line) const;
  Result<bool> Reopen(Access access, const JournalFollower& follower);
  Result<bool> StandsWhereItStood() const;
  void StandBehind(std::string_view lines, std::uint64_t end);
  Result<void> Open(Access access);
  Result<Progress> ReadOn(std::uint64_t most_bytes, const JournalFollower& follower);
  Result<Progress> Follow(std::uint64_t most_bytes, const JournalFollower& follower);
  Result<void> Accept(std::string_view line, const JournalFollower& follower);
  bool TakenAsText(std::string_view line, const JournalFollower& follower) const;
  Result<void> AcceptHeader(const Json& header);
  void Forget(const JournalFollower& follower);
  Error Damaged(std::uint64_t offset, std::string_view why) const;

  FileSystem& files_;
  std::string path_;
  std::string name_;
  std::optional<File> file_;
  Access access_ = Access::kRead;  // what that file was opened for
  bool name_is_safe_ = false;      // the name of that file is on the disk, not only in the cache
  std::uint64_t end_ = 0;          // behind the last good line that was read
  std::string last_bytes_;         // with which that line ends, before its newline
  std::optional<std::uint64_t> next_seq_;
  std::uint64_t last_seq_ = 0;
  std::optional<std::uint64_t> synced_seq_;  // up to here on the disk for sure; nothing: not known
  std::uint64_t bad_tail_lines_ = 0;
  std::optional<std::uint64_t> archived_;
};

// The lines of a journal as text; docs/formats/journal.md has the format.

constexpr int kJournalVersion = 1;
constexpr std::uint64_t kLargestJournalSeq = std::uint64_t{1} << 62U;

// `seq` is the last number used before this file began; 0 in a new journal.
// `archived`: the journal up to that number is in the archive (store/archive.h).
std::string JournalHeaderLine(const std::string& name, std::uint64_t seq, bool archived = false);

// One line each, numbered from `first_seq` on. Records are objects without "seq", "unsynced",
// "journal" and "crc", or the program stops. One that is too long or too deep is kRefused. Each
// line says from which number on nothing was known to be on the disk when it was written, unless
// that is its own.
Result<std::string> JournalLines(std::uint64_t first_seq, std::uint64_t unsynced,
                                 std::span<const Json> records);
// Of a file that is written as a whole: each stands for itself.
Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records);

// The number of a record or header that was read; nothing when it has none, or one
// above the largest, from which the numbers couldn't go on.
std::optional<std::uint64_t> JournalSeq(const Json& record);
// What its line says of that, or its own number.
std::optional<std::uint64_t> JournalUnsynced(const Json& record);

// Takes what belongs to the journal out of a record.
void StripJournalMembers(Json& record);

}  // namespace belay

#endif  // BELAY_STORE_JOURNAL_H_
