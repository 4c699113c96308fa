// A guardian with 1,000 deadlines: one timer, so it wakes up as often as without any; and how long
// it takes when all of them come at one instant.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "app/control.h"
#include "base/check.h"
#include "ledger/task_ledger.h"
#include "row.h"
#include "rows.h"
#include "scene.h"

namespace belay::bench {
namespace {

constexpr int kDeadlines = 1000;
constexpr auto kFastHeartbeat = "supervise:\n  heartbeat: 5s\n";
constexpr double kWatchedMicros = 20e6;  // four heartbeats
constexpr double kMostMoreWakeUps = 4;   // of other processes' doing, such as our own questions
constexpr double kMostSeconds = 30;

class DeadlineScene {
 public:
  DeadlineScene(const Programs& programs, ScratchFolder& scratch)
      : scene_(programs, scratch.NewFolder("deadlines") + "/p", kFastHeartbeat),
        tasks_(scene_.files(), clock_, scene_.project()) {
    scene_.StartGuardian();
    (void)Sleeps();
  }

  double WakeUps() {
    const double before = Sleeps();
    (void)usleep(static_cast<useconds_t>(kWatchedMicros));
    return Sleeps() - before - 1;  // one of them was to answer us
  }

  // Tasks in progress, each with a deadline of its own, an hour and more away.
  void AddTasks() {
    const auto lock = TaskLedger::Lock(scene_.files(), scene_.project());
    BELAY_CHECK(lock.ok() && tasks_.CatchUp().ok());
    for (int i = 0; i < kDeadlines; ++i) {
      Task task{.id = *TaskId::Parse(fmt::format("d{}", i)), .title = "work"};
      task.status = TaskStatus::kInProgress;
      task.owner = fmt::format("worker-d{}", i);
      task.wave = "w1";
      task.deadline = clock_.Wall() + std::chrono::hours(1) + std::chrono::seconds(i);
      BELAY_CHECK(tasks_.Add(*lock, std::move(task), "bench").ok());
    }
  }

  // Their wave ends now; until all of them are pending again.
  double EndWave() {
    const double start = MicrosNow();
    {
      const auto lock = TaskLedger::Lock(scene_.files(), scene_.project());
      BELAY_CHECK(lock.ok() && tasks_.SetWave(*lock, "w1", clock_.Wall()).ok());
    }
    for (int left = kDeadlines; left > 0; (void)usleep(10'000)) {
      BELAY_CHECK(MicrosNow() < start + 300e6 && tasks_.CatchUp().ok());
      left = static_cast<int>(std::ranges::count_if(tasks_.book().tasks(), [](const auto& one) {
        return one.second.status == TaskStatus::kInProgress;
      }));
    }
    return (MicrosNow() - start) / 1e6;
  }

 private:
  double Sleeps() const {
    const auto answer =
        AskGuardian(scene_.project(), MakeObject({{"do", "status"}}), std::chrono::seconds(60));
    BELAY_CHECK(answer.ok() && answer->has_value());
    return static_cast<double>(*(*answer)->Find("sleeps")->AsInteger());
  }

  Scene scene_;
  SystemClock clock_;
  TaskLedger tasks_;
};

}  // namespace

bool DeadlineRows(const Programs& programs, ScratchFolder& scratch) {
  DeadlineScene scene(programs, scratch);
  (void)scene.WakeUps();  // until it has done what it does at its start
  const double without = scene.WakeUps();
  scene.AddTasks();
  (void)scene.WakeUps();
  const double with = scene.WakeUps();
  bool reached =
      Print({fmt::format("guardian of {} deadlines: wake-ups in four heartbeats", kDeadlines),
             fmt::format("{:.0f}", with), fmt::format("{:.0f} without any", without), "",
             fmt::format("at most {} more", kMostMoreWakeUps), with <= without + kMostMoreWakeUps});
  const double seconds = scene.EndWave();
  reached &= Print(
      {fmt::format("{} deadlines at one instant: until each task is pending again", kDeadlines),
       fmt::format("{:.1f} s", seconds), "", "", fmt::format("at most {} s", kMostSeconds),
       seconds <= kMostSeconds});
  return reached;
}

}  // namespace belay::bench
