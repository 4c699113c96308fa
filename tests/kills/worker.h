// One process of the campaign: does operations of the store chosen by chance, on files, a journal
// and an inbox that it shares with the other workers, until it is killed.
//
//   FOLDER/own-SLOT, own-SLOT-kept      replaced by the worker of this slot, one process at a time
//   FOLDER/shared, shared-kept          by all, under shared.lock; "-kept" ones keep a .prev
//   FOLDER/journal, journal.lock        appended to and compacted by all
//   FOLDER/inbox/                       every worker sends to it and receives from it
//
// The kernel nearly always ends a short write before it ends the process. So every other worker
// writes in pieces of a few bytes, to be killed between them.

#ifndef BELAY_KILLS_WORKER_H_
#define BELAY_KILLS_WORKER_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "kills/contents.h"
#include "kills/report.h"
#include "os/clock.h"
#include "os/random.h"
#include "store/inbox.h"
#include "testing/faulty_calls.h"

namespace belay {

// A message that was handed out comes again after this time.
constexpr std::chrono::milliseconds kLease{30};
constexpr std::string_view kJournalName = "kills";

class Worker {
 public:
  Worker(std::string folder, std::uint32_t writer, std::uint32_t slot, std::uint64_t seed, int fd);

  // Comes back only when something failed, which it has reported.
  void Run();

 private:
  struct Choice {
    unsigned weight;
    Result<void> (Worker::*act)();
  };
  static const std::array<Choice, 10> kChoices;

  Result<void> ReplaceOwn() { return Replace(own_, false); }
  Result<void> ReplaceOwnKeeping() { return Replace(own_ + "-kept", true); }
  Result<void> ReplaceShared();
  Result<void> ReplaceSharedKeeping();
  Result<void> Append();
  Result<void> Compact();
  Result<void> Deliver();
  Result<void> Handle();
  Result<void> TakeSnapshot();
  Result<void> Prune();

  Result<void> ActOnce();
  Result<void> Replace(const std::string& name, bool keep);
  Result<void> Acknowledge(const InboxMessage& message);
  Result<StateLock> Lock(std::string_view name);
  std::uint64_t Below(std::uint64_t limit) { return chance_() % limit; }

  std::string folder_;
  std::uint32_t writer_;
  std::string own_;
  std::mt19937_64 chance_;
  Reporter reporter_;

  RealFileCalls real_calls_;
  FaultyCalls calls_{real_calls_};  // only for the short writes
  FileSystem files_{calls_};
  SystemClock clock_;
  SystemRandom random_;
  Journal journal_;
  Tally tally_;  // what the journal said
  Inbox inbox_;
  std::uint64_t appended_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace belay

#endif  // BELAY_KILLS_WORKER_H_
