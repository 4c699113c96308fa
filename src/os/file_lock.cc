#include "os/file_lock.h"

#include <signal.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "os/clock.h"

namespace belay {
namespace {

int InterruptSignal() { return SIGRTMAX - 1; }

void DoNothing(int) {}

timespec SpecOf(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {seconds.count(), (duration - seconds).count()};
}

// Interrupts the blocking call of this thread after `limit`, and keeps doing so: a single signal
// could arrive just before the call begins.
class Interrupter {
 public:
  explicit Interrupter(Duration limit) {
    struct sigaction action {};
    action.sa_handler = DoNothing;  // and no SA_RESTART: the call must return
    (void)sigaction(InterruptSignal(), &action, nullptr);
    // The parent may have blocked it, and the mask survives exec.
    sigset_t only;
    (void)sigemptyset(&only);
    (void)sigaddset(&only, InterruptSignal());
    (void)pthread_sigmask(SIG_UNBLOCK, &only, &mask_before_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = InterruptSignal();
    event._sigev_un._tid = gettid();
    made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    const itimerspec times{SpecOf(std::chrono::milliseconds(10)), SpecOf(limit)};
    if (made_) (void)timer_settime(timer_, 0, &times, nullptr);
  }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  ~Interrupter() {
    if (made_) (void)timer_delete(timer_);
    (void)pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  bool made() const { return made_; }

 private:
  sigset_t mask_before_{};
  timer_t timer_{};
  bool made_ = false;
};

Result<void> LockExclusively(File& file, const Clock& clock, MonotonicTime end) {
  Result<void> at_once = file.Lock(LOCK_EX | LOCK_NB);
  const Duration limit = end - clock.Monotonic();
  const bool wait = !at_once && at_once.error().code == ErrorCode::kBusy && limit > Duration(0);
  if (!wait) return at_once;
  const Interrupter interrupter(limit);
  if (!interrupter.made()) return SystemError("create a timer", errno);
  while (true) {
    Result<void> locked = file.Lock(LOCK_EX);
    const bool interrupted = !locked && locked.error().code == ErrorCode::kBusy;
    if (!interrupted || clock.Monotonic() >= end) return locked;
  }
}

Result<bool> IsStillThere(const FileSystem& files, const File& file) {
  BELAY_TRY_ASSIGN(const FileInfo ours, file.Inspect());
  const Result<FileInfo> there = files.Inspect(file.path());
  if (!there && !IsMissing(there)) return there.error();
  return there && there->inode == ours.inode && there->device == ours.device;
}

}  // namespace

Result<File> OpenLocked(FileSystem& files, const std::string& path, std::uint32_t mode,
                        Duration limit) {
  const SystemClock clock;
  const MonotonicTime end = clock.Monotonic() + limit;
  // A file removed at the last moment is worth one more try, without waiting.
  for (bool last = false;;) {
    BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, mode));
    BELAY_TRY(LockExclusively(file, clock, end));
    BELAY_TRY_ASSIGN(const bool there, IsStillThere(files, file));
    if (there) return file;
    if (last) return Error{ErrorCode::kBusy, "lock " + path + ": other processes keep removing it"};
    last = clock.Monotonic() >= end;
  }
}

}  // namespace belay
