// Journals as they were before compaction (Layout::ArchiveFolder): NAME-<last number>.jsonl, the
// latest few of each.

#ifndef BELAY_STORE_ARCHIVE_H_
#define BELAY_STORE_ARCHIVE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

constexpr std::size_t kMostArchived = 8;  // of one journal

// Copies the journal, whose last record is `last_seq`, unchanged; durable when it returns. Copies
// older than the latest kMostArchived are removed.
Result<void> ArchiveJournal(FileSystem& files, const StateLock& lock, const Layout& project,
                            std::string_view journal, std::uint64_t last_seq);

// The paths of the archived copies of a journal, oldest first.
Result<std::vector<std::string>> ArchivedJournals(const FileSystem& files, const Layout& project,
                                                  std::string_view journal);

}  // namespace belay

#endif  // BELAY_STORE_ARCHIVE_H_
