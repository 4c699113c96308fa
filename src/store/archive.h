// Journals as they were before compaction (Layout::ArchiveFolder): NAME-<last number>.jsonl, the
// latest few of each. NAME-0.jsonl, without a record, is written before the first record of a
// journal and stays: so a lost journal isn't mistaken for one that never began. Its header has the
// last acknowledged number: so a journal that was cut isn't mistaken for a shorter one.

#ifndef BELAY_STORE_ARCHIVE_H_
#define BELAY_STORE_ARCHIVE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "store/journal.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

constexpr std::size_t kMostArchived = 8;  // of one journal

// Copies the journal, whose last record is `last_seq`, unchanged; durable when it returns. Copies
// older than the latest kMostArchived are removed.
Result<void> ArchiveJournal(FileSystem& files, const StateLock& lock, const Layout& project,
                            std::string_view journal, std::uint64_t last_seq);

// Removes what a crash left of files of the archive.
Result<void> RemoveUnfinishedCopies(FileSystem& files, const StateLock& lock, const Layout& project,
                                    std::string_view journal);

// The paths of the archived copies of a journal, oldest first, without NAME-0.
Result<std::vector<std::string>> ArchivedJournals(const FileSystem& files, const Layout& project,
                                                  std::string_view journal);
// The last number of such a file; that of the latest file, 0 when there is none.
std::uint64_t ArchivedNumber(std::string_view path, std::string_view journal);
Result<std::uint64_t> LatestArchived(const FileSystem& files, const Layout& project,
                                     std::string_view journal);

// The names of all journals that are there, or that the archive knows of. Sorted.
Result<std::vector<std::string>> KnownJournals(const FileSystem& files, const Layout& project);

std::string BeginningOf(const Layout& project, std::string_view journal);  // NAME-0.jsonl
// The journal is there, without a record yet; durable when it returns.
Result<void> MarkBegun(FileSystem& files, const StateLock& lock, const Layout& project,
                       std::string_view journal);
// kDamaged when the archive knows of the journal, and it isn't there.
Result<void> CheckNotLost(const FileSystem& files, const Layout& project, std::string_view journal);

// Notes in NAME-0.jsonl that the journal is on the disk up to that record. The note itself isn't
// synced: a power cut may lose it, never the record that it is about.
void NoteEnd(FileSystem& files, const StateLock& lock, const Layout& project,
             std::string_view journal, std::uint64_t last_seq);
// That number; 0 when it isn't known. Read it before the journal, which may grow.
std::uint64_t NotedEnd(const FileSystem& files, const Layout& project, std::string_view journal);
// kDamaged when the journal ends with `last_seq`, although it had records up to `noted`.
Result<void> CheckNotCut(const Layout& project, std::string_view journal, std::uint64_t last_seq,
                         std::uint64_t noted);

// The largest number that is known to be used, by the note or the archive.
Result<std::uint64_t> LastKnownNumber(const FileSystem& files, const Layout& project,
                                      std::string_view journal);
// It, and the records of the latest file of the archive,
// marked as repeated (store/timeline.h). No records if that file can't be read to its end.
struct KnownRecords {
  std::uint64_t last_seq = 0;
  std::uint64_t archived = 0;  // the number of that file; 0: none
  bool lacks_some = false;     // some of its records are lost
  std::vector<Json> records = {};
};
Result<KnownRecords> ReadKnownRecords(FileSystem& files, const Layout& project,
                                      std::string_view journal);
// Puts a journal in the place of one that is lost: with these records, under numbers that go on.
Result<void> RestoreLost(FileSystem& files, const StateLock& lock, const Layout& project,
                         std::string_view journal, const KnownRecords& known);

struct ArchiveFault {
  std::string path;
  std::uint64_t number;  // with which that file ends, or should
  Error error;
};

// A file of the archive ends with another record than its name says.
Error EarlyEnd(const std::string& path, std::uint64_t last_seq, std::uint64_t number);
// Files of the archive that should be there and aren't; reads little.
std::vector<ArchiveFault> MissingArchives(FileSystem& files, const Layout& project,
                                          std::string_view journal);
// These, and those that are damaged or end too early; reads everything.
std::vector<ArchiveFault> CheckArchive(FileSystem& files, const Layout& project,
                                       std::string_view journal);

}  // namespace belay

#endif  // BELAY_STORE_ARCHIVE_H_
