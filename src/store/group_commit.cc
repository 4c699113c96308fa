#include "store/group_commit.h"

namespace belay {

Result<std::uint64_t> GroupCommit::Commit(const std::vector<Json>& records) {
  BELAY_TRY_ASSIGN(const StateLock lock, StateLock::Acquire(files_, lock_path_, lock_limit_));
  return journal_.Append(lock, records, {});
}

// The first that finds no commit under way does it for all who wait; the others sleep until theirs
// is done, or until it is their turn to do one.
Result<std::uint64_t> GroupCommit::Append(Json record) {
  Request mine{std::move(record)};
  std::unique_lock<std::mutex> guard(mutex_);
  waiting_.push_back(&mine);
  changed_.wait(guard, [&] { return mine.done || !committing_; });
  if (mine.done) return mine.outcome;

  committing_ = true;
  const std::vector<Request*> batch(waiting_.begin(), waiting_.end());
  waiting_.clear();
  std::vector<Json> records;
  records.reserve(batch.size());
  for (Request* request : batch) records.push_back(std::move(request->record));
  guard.unlock();
  const Result<std::uint64_t> last = Commit(records);
  guard.lock();
  std::uint64_t seq = last ? *last - batch.size() : 0;
  for (Request* request : batch) {
    if (last) {
      request->outcome = ++seq;
    } else {
      request->outcome = last.error();
    }
    request->done = true;
  }
  committing_ = false;
  changed_.notify_all();
  return mine.outcome;
}

}  // namespace belay
