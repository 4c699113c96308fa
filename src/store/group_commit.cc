#include "store/group_commit.h"

#include "store/journal_lines.h"

namespace belay {

Result<std::uint64_t> GroupCommit::Commit(const std::vector<Json>& records) {
  BELAY_TRY_ASSIGN(const StateLock lock, StateLock::Acquire(files_, lock_path_, lock_limit_));
  return journal_.Append(lock, records, {});
}

void GroupCommit::Lead(Batch& batch, std::unique_lock<std::mutex> guard) {
  turn_.wait(guard, [&] { return !committing_; });
  committing_ = true;
  open_.reset();
  guard.unlock();
  Result<std::uint64_t> last = Commit(batch.records);
  guard.lock();
  committing_ = false;
  batch.last = std::move(last);
  batch.done = true;
  guard.unlock();
  turn_.notify_one();
  batch.finished.notify_all();
}

Result<std::uint64_t> GroupCommit::Append(Json record) {
  // Alone first, with the longest number: one that can't be kept must not take others down with it.
  BELAY_TRY(JournalLines(kLargestJournalSeq, {&record, 1}));
  std::unique_lock<std::mutex> guard(mutex_);
  const bool leads = open_ == nullptr;
  if (leads) open_ = std::make_shared<Batch>();
  const std::shared_ptr<Batch> batch = open_;
  batch->records.push_back(std::move(record));
  const std::size_t place = batch->records.size();
  if (leads) {
    Lead(*batch, std::move(guard));
  } else {
    batch->finished.wait(guard, [&] { return batch->done; });
  }
  if (!batch->last) return batch->last.error();
  return *batch->last - batch->records.size() + place;
}

}  // namespace belay
