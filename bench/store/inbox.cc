// A sender in one process, a reader that sleeps in another: how long until the reader has what was
// sent. Ours: Inbox::Deliver, and an event loop that watches the inbox's folder and takes the
// message. The floor: a rename, and a read of a bare inotify. Both are measured from the moment
// before the rename, which makes the message visible.

#include "store/inbox.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/check.h"
#include "os/real_event_loop.h"
#include "row.h"
#include "rows.h"
#include "stamped_calls.h"

namespace belay::bench {
namespace {

constexpr int kSignals = 500;
constexpr double kMostMedianMicros = 500;
constexpr double kMostMicros = 5000;
constexpr Duration kLockLimit = std::chrono::seconds(30);

// What the reader reports of each message.
struct Report {
  double woken = 0;     // the folder's change has arrived
  double received = 0;  // the message is in hand
};

void Tell(int fd, const Report& report) {
  BELAY_CHECK(write(fd, &report, sizeof(report)) == sizeof(report));
}

// A process that reports over a pipe: first an empty report when it is ready, then one for each
// message.
class Reader {
 public:
  explicit Reader(const std::function<void(int)>& read_all) {
    BELAY_CHECK(pipe(ends_) == 0);
    child_ = fork();
    BELAY_CHECK(child_ >= 0);
    if (child_ == 0) {
      read_all(ends_[1]);
      _exit(0);
    }
    (void)Next();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    int status = 0;
    BELAY_CHECK(waitpid(child_, &status, 0) == child_ && status == 0);
    (void)close(ends_[0]);
    (void)close(ends_[1]);
  }

  Report Next() const {
    Report report;
    BELAY_CHECK(read(ends_[0], &report, sizeof(report)) == sizeof(report));
    return report;
  }

 private:
  int ends_[2] = {};
  pid_t child_ = -1;
};

// Long enough for the reader to be asleep again.
void Pause() { BELAY_CHECK(usleep(2000) == 0); }

struct Latencies {
  std::vector<double> woken;  // from before the rename, all of them
  std::vector<double> received;
  std::vector<double> after_return;  // from Deliver's return until received
  std::vector<double> in_all;        // from Deliver's beginning until received
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
    Tell(pipe, report);
    if (++count == kSignals) (*loop)->Stop();
  };
  BELAY_CHECK((*loop)->WatchFolder(folder, handle).ok());
  Tell(pipe, {});
  (*loop)->Run();
}

Latencies Ours(const std::string& folder) {
  const Reader reader([&](int pipe) { TakeAll(folder, pipe); });
  StampedCalls calls;
  FileSystem files(calls);
  const SystemClock clock;
  SystemRandom random;
  Inbox inbox(files, clock, random, folder, kLockLimit);
  Latencies times;
  for (int i = 0; i < kSignals; ++i) {
    Pause();
    const double start = MicrosNow();
    BELAY_CHECK(inbox.Deliver("sender", MakeObject({{"kind", "wake"}, {"number", i}})).ok());
    const double returned = MicrosNow();
    const Report report = reader.Next();
    times.woken.push_back(report.woken - calls.before_rename());
    times.received.push_back(report.received - calls.before_rename());
    times.after_return.push_back(report.received - returned);
    times.in_all.push_back(report.received - start);
  }
  return times;
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

std::vector<double> Floor(const std::string& folder) {
  const Reader reader([&](int pipe) { ReadNames(folder, pipe); });
  const std::string temporary = folder + "/temporary";
  const std::string path = folder + "/message";
  std::vector<double> times;
  for (int i = 0; i < kSignals; ++i) {
    Pause();
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    BELAY_CHECK(file >= 0 && close(file) == 0);
    const double start = MicrosNow();
    BELAY_CHECK(rename(temporary.c_str(), path.c_str()) == 0);
    times.push_back(reader.Next().woken - start);
  }
  return times;
}

bool PrintTimes(const std::string& what, const std::vector<double>& ours,
                const std::vector<double>& floor) {
  const double median = Median(ours);
  const double largest = Largest(ours);
  return Print(
      {"inbox: " + what, fmt::format("{:.0f} us, largest {:.0f}", median, largest),
       fmt::format("{:.0f} us, largest {:.0f}, bare inotify", Median(floor), Largest(floor)),
       fmt::format("{:.2f}", median / Median(floor)), "median 0.5 ms, largest 5 ms",
       median < kMostMedianMicros && largest <= kMostMicros});
}

}  // namespace

bool InboxRows(ScratchFolder& scratch) {
  const std::vector<double> floor = Floor(scratch.NewFolder("bare"));
  const Latencies times = Ours(scratch.NewFolder("inbox"));
  bool reached = PrintTimes("rename to reader awake", times.woken, floor);
  reached &= PrintTimes("rename to message taken", times.received, floor);
  reached &= PrintTimes("Deliver's return to message taken", times.after_return, floor);
  (void)PrintTimes("Deliver's start to message taken", times.in_all, floor);
  return reached;
}

}  // namespace belay::bench
