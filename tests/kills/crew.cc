#include "kills/crew.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"
#include "os/fd.h"

namespace belay {

Crew::Member Crew::StartOne(std::size_t slot) {
  int ends[2];
  BELAY_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  UniqueFd read(ends[0]);
  const UniqueFd write(ends[1]);
  const std::uint32_t writer = ++writers_;
  auto process = Process::Spawn({.command = {program_, "--worker", folder_, std::to_string(writer),
                                             std::to_string(slot), std::to_string(chance_())},
                                 .output = write.get(),
                                 .errors = STDERR_FILENO,
                                 .group = SpawnGroup::kOurs});
  BELAY_CHECK(process.has_value());
  return {writer, *std::move(process), std::move(read)};
}

void Crew::Start(std::size_t count) {
  while (members_.size() < count) members_.push_back(StartOne(members_.size()));
}

void Crew::TakeIn(Member& member, std::string_view bytes) {
  member.partial += bytes;
  std::string_view rest = member.partial;
  for (; rest.size() >= sizeof(Report); rest.remove_prefix(sizeof(Report))) {
    Report report;
    std::memcpy(&report, rest.data(), sizeof(Report));
    ledger_.Add(report);
  }
  member.partial = std::string(rest);
}

// How many reports there were, or 1 at the end of them: the caller must not wait for more.
std::size_t Crew::ReadReports(Member& member) {
  std::string bytes(64 * sizeof(Report), '\0');
  const ssize_t got = read(member.reports.get(), bytes.data(), bytes.size());
  if (got <= 0) {
    member.reports.Reset();
    return 1;
  }
  bytes.resize(static_cast<std::size_t>(got));
  TakeIn(member, bytes);
  return bytes.size() / sizeof(Report);
}

void Crew::Listen(MonotonicTime until, std::size_t slot, std::size_t wanted) {
  for (std::size_t heard = 0; wanted == 0 || heard < wanted;) {
    const Duration left = until - clock_.Monotonic();
    if (left <= Duration(0)) return;
    std::vector<pollfd> waits;
    for (const Member& member : members_) waits.push_back({member.reports.get(), POLLIN, 0});
    const timespec limit{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    (void)ppoll(waits.data(), waits.size(), &limit, nullptr);
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      const std::size_t reports = ReadReports(members_[i]);
      if (i == slot) heard += reports;
    }
  }
}

// No other process has the pipe's other end, so that there is an end of it.
void Crew::Bury(Member& member) {
  const ExitStatus status = member.process.Wait();
  if (status != ExitStatus::Killed(SIGKILL)) {
    ledger_.Fail(fmt::format("worker {} ended by itself: {}", member.writer, status.text()));
  }
  std::string rest;
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  if (member.reports) BELAY_CHECK(ReadToEnd(member.reports.get(), kMost, rest) == 0);
  TakeIn(member, rest);
  BELAY_CHECK(member.partial.empty());
}

void Crew::Kill(const KillPlan& plan) {
  // A worker that waits for a lock may take long to say something.
  constexpr std::chrono::milliseconds kLongest{50};
  if (plan.reports > 0) Listen(clock_.Monotonic() + kLongest, plan.slot, plan.reports);
  Listen(clock_.Monotonic() + plan.delay, plan.slot, 0);
  Member& member = members_[plan.slot];
  (void)member.process.Signal(SIGKILL);
  Bury(member);
  member = StartOne(plan.slot);
}

void Crew::KillAll() {
  for (const Member& member : members_) (void)member.process.Signal(SIGKILL);
  for (Member& member : members_) Bury(member);
  members_.clear();
}

}  // namespace belay
