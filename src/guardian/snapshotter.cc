#include "guardian/snapshotter.h"

#include <algorithm>
#include <utility>

namespace belay {
namespace {

constexpr std::size_t kMostAtOnce = 4;
constexpr std::size_t kMostOrdinary = kMostAtOnce - 1;
constexpr auto kLimit = std::chrono::minutes(2);

}  // namespace

void Snapshotter::Take(const IdentityName& agent, std::string message, Haste haste,
                       Callback callback) {
  Jobs& jobs = haste == Haste::kWaitedFor ? urgent_ : waiting_;
  jobs.push_back({agent, std::move(message), haste, std::move(callback)});
  StartMore();
}

void Snapshotter::Hurry(const IdentityName& agent) {
  const auto job = std::find_if(waiting_.begin(), waiting_.end(),
                                [&](const Job& one) { return one.agent == agent; });
  if (job == waiting_.end()) return;
  job->haste = Haste::kWaitedFor;
  urgent_.splice(urgent_.end(), waiting_, job);
  StartMore();
}

bool Snapshotter::HasRoom() const {
  if (!urgent_.empty()) return running_.size() < kMostAtOnce;
  const auto ordinary = std::count_if(running_.begin(), running_.end(),
                                      [](const Job& one) { return one.haste == Haste::kOrdinary; });
  return !waiting_.empty() && running_.size() < kMostAtOnce &&
         static_cast<std::size_t>(ordinary) < kMostOrdinary;
}

void Snapshotter::StartMore() {
  while (HasRoom() && !held_back_()) {
    Jobs& jobs = urgent_.empty() ? waiting_ : urgent_;
    running_.splice(running_.end(), jobs, jobs.begin());
    const auto job = std::prev(running_.end());
    const Result<void> started = Start(job);
    // In a later round: the callback must not run before Take has returned.
    if (!started) {
      loop_.Post([this, job, error = started.error()] { Finish(job, error); });
    }
  }
}

Result<void> Snapshotter::Start(Jobs::iterator job) {
  const ProgramRequest request{.command = {belay_, "snapshot", "take", job->agent.text(), "--json",
                                           "--root", project_.Root(), "--message", job->message},
                               .limit = kLimit};
  BELAY_TRY_ASSIGN(job->program, BackgroundProgram::Start(loop_, request, [this, job](auto result) {
                     Finish(job, result ? ParseSnapshotOutcome(result->out)
                                        : Result<SnapshotOutcome>(std::move(result).error()));
                   }));
  return {};
}

void Snapshotter::Finish(Jobs::iterator job, const Result<SnapshotOutcome>& outcome) {
  const Job done = std::move(*job);
  running_.erase(job);
  done.callback(outcome);
  StartMore();
}

}  // namespace belay
