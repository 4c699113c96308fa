// The part of a journal that writes.

#include <fmt/core.h>

#include "base/path.h"
#include "store/durable_file.h"
#include "store/free_name.h"
#include "store/journal.h"
#include "store/journal_lines.h"

namespace belay {

Result<void> Journal::Create() { return ReplaceFile(files_, path_, JournalHeaderLine(name_, 0)); }

// Stands at the end, with everything that was read on the disk and nothing behind it.
Result<void> Journal::Prepare(const JournalFollower& follower) {
  BELAY_TRY_ASSIGN(const bool there, Reopen(Access::kAppend, follower));
  if (!there) {
    BELAY_TRY(Create());
    BELAY_TRY(Reopen(Access::kAppend, follower));
  }
  BELAY_TRY_ASSIGN(const Progress tail, ReadOn(kEverything, follower));
  // Whoever made or compacted it may have been killed before its name was on the disk.
  if (!name_is_safe_) BELAY_TRY(files_.SyncFolder(std::string(ParentPath(path_))));
  name_is_safe_ = true;
  if (tail.torn_bytes > 0) BELAY_TRY(CutTail(tail.torn_bytes));
  return {};
}

// Half a line was never finished. Whole lines that make no sense may have been somebody's records
// before the disk spoilt them: they are kept.
Result<void> Journal::CutTail(std::uint64_t bytes) {
  if (bad_tail_lines_ > 0) {
    std::string tail(bytes, '\0');
    BELAY_TRY_ASSIGN(const std::size_t got, file_->ReadAt(end_, tail.data(), tail.size()));
    tail.resize(got);
    BELAY_TRY_ASSIGN(const std::string kept, FreeName(files_, path_ + ".damaged"));
    BELAY_TRY(ReplaceFile(files_, kept, tail));
  }
  BELAY_TRY(file_->Truncate(end_));
  bad_tail_lines_ = 0;
  return {};
}

Result<void> Journal::SyncAll() {
  BELAY_TRY(file_->SyncData());
  synced_seq_ = last_seq_;
  return {};
}

Result<std::uint64_t> Journal::Append(const StateLock&, std::span<const Json> records,
                                      const JournalFollower& follower) {
  BELAY_TRY(Prepare(follower));
  if (last_seq_ + records.size() > kLargestJournalSeq) return Damaged(end_, "no numbers are left");
  // Of a file that was just opened nothing is known. Later, what others wrote since our last sync
  // is named in our lines instead, which costs nothing.
  const bool all_synced = synced_seq_ && (*synced_seq_ == last_seq_ || !records.empty());
  if (!all_synced) BELAY_TRY(SyncAll());
  if (records.empty()) return last_seq_;
  BELAY_TRY_ASSIGN(const std::string lines, JournalLines(*next_seq_, *synced_seq_ + 1, records));
  BELAY_TRY(file_->Write(lines));
  if (Result<void> synced = file_->SyncData(); !synced) {
    SaveAfterFailedSync(lines.size());
    return std::move(synced).error();
  }
  StandBehind(std::string_view(lines).substr(0, lines.size() - 1), end_ + lines.size());
  last_seq_ += records.size();
  next_seq_ = last_seq_ + 1;
  synced_seq_ = last_seq_;
  return last_seq_;
}

// After a sync that failed the kernel may believe that those pages are clean, and never write them.
// Others may have read the lines already, so they aren't taken back but written into a new file. If
// that can't be done either, they are cut off: what is written in their place is written for sure.
void Journal::SaveAfterFailedSync(std::size_t bytes) {
  std::string text(end_ + bytes, '\0');
  const Result<std::size_t> got = file_->ReadAt(0, text.data(), text.size());
  const bool whole = got && *got == text.size();
  if (!whole || !ReplaceFile(files_, path_, text)) (void)file_->Truncate(end_);
}

Result<void> Journal::Compact(const StateLock& lock, const JournalFollower& follower,
                              const std::function<std::vector<Json>()>& snapshot) {
  BELAY_TRY(Append(lock, {}, follower));
  BELAY_TRY(RemoveLeftoversOf(files_, path_));
  const std::vector<Json> records = snapshot();
  BELAY_TRY_ASSIGN(const std::string lines, JournalLines(last_seq_ + 1, records));
  const std::string text = JournalHeaderLine(name_, last_seq_) + lines;
  BELAY_TRY(ReplaceFile(files_, path_, text));
  // Whoever made the snapshot knows what it says, and stands at the new end without reading it. If
  // opening fails, the next call notices that the file is another one.
  BELAY_TRY(Open(Access::kAppend));
  StandBehind(std::string_view(text).substr(0, text.size() - 1), text.size());
  last_seq_ += records.size();
  next_seq_ = last_seq_ + 1;
  synced_seq_ = last_seq_;
  return {};
}

}  // namespace belay
