// Journals as they were before compaction (Layout::ArchiveFolder): NAME-<last number>.jsonl, the
// latest few of each. NAME-0.jsonl, without a record, is written before the first record of a
// journal and stays: so a lost journal isn't mistaken for one that never began.

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

// Removes what a crash left of copies.
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
// Puts a journal in the place of one that is lost: the latest one of the archive, or an empty one
// whose numbers go on. Gives its last number.
Result<std::uint64_t> RestoreLost(FileSystem& files, const StateLock& lock, const Layout& project,
                                  std::string_view journal);

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
