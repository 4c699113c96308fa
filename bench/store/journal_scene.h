// A journal with its lock, as a command holds it, and records of the usual size.

#ifndef BELAY_BENCH_STORE_JOURNAL_SCENE_H_
#define BELAY_BENCH_STORE_JOURNAL_SCENE_H_

#include <string>
#include <utility>

#include "base/check.h"
#include "store/journal.h"

namespace belay::bench {

// About 120 bytes as a line.
inline Json SampleRecord(int number) {
  return MakeObject({{"kind", "hook_updated"},
                     {"at", "2026-11-15T06:36:00.123456Z"},
                     {"agent", "fix-login#3"},
                     {"step", number}});
}

class JournalScene {
 public:
  explicit JournalScene(std::string path) : path_(std::move(path)) {}

  void Append(std::span<const Json> records) {
    const Result<StateLock> lock = StateLock::Acquire(files_, lock_path(), kLockLimit);
    BELAY_CHECK(lock.ok() && journal_.Append(*lock, records, {}).ok());
  }
  void AppendOne(int number) {
    const Json record = SampleRecord(number);
    Append({&record, 1});
  }

  static constexpr Duration kLockLimit = std::chrono::seconds(30);
  std::string lock_path() const { return path_ + ".lock"; }
  FileSystem& files() { return files_; }
  Journal& journal() { return journal_; }

 private:
  std::string path_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Journal journal_{files_, path_, "bench"};
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_STORE_JOURNAL_SCENE_H_
