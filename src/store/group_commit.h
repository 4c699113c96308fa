// Many threads, one journal: whoever comes while a commit is under way waits, and the next commit
// takes all of them along with one write and one sync.
//
// Append blocks until the record is on the disk or the commit failed. Threads are served in the
// order in which they came.

#ifndef BELAY_STORE_GROUP_COMMIT_H_
#define BELAY_STORE_GROUP_COMMIT_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "store/journal.h"

namespace belay {

class GroupCommit {
 public:
  // Owns neither; `journal` is used by nobody else meanwhile. `lock_path` is the journal's lock,
  // which each commit takes anew, so that other processes get their turn.
  GroupCommit(FileSystem& files, Journal& journal, std::string lock_path, Duration lock_limit)
      : files_(files),
        journal_(journal),
        lock_path_(std::move(lock_path)),
        lock_limit_(lock_limit) {}

  Result<std::uint64_t> Append(Json record);

 private:
  // Records that go to the disk together. The first thread of a batch commits it, as soon as the
  // one before is done; the others sleep until then, and are woken only then.
  struct Batch {
    std::vector<Json> records;
    bool done = false;
    Result<std::uint64_t> last = std::uint64_t{0};  // number of its last record
    std::condition_variable finished;
  };

  void Lead(Batch& batch, std::unique_lock<std::mutex> guard);
  Result<std::uint64_t> Commit(const std::vector<Json>& records);

  FileSystem& files_;
  Journal& journal_;
  std::string lock_path_;
  Duration lock_limit_;

  std::mutex mutex_;
  std::shared_ptr<Batch> open_;  // takes records until its commit begins
  bool committing_ = false;
  std::condition_variable turn_;  // of the one who leads the open batch
};

}  // namespace belay

#endif  // BELAY_STORE_GROUP_COMMIT_H_
