#include "merges/person.h"

#include <fmt/core.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>

#include "base/check.h"

namespace belay {
namespace {

constexpr std::uint64_t kEditedFiles = 12;
constexpr std::uint64_t kShortThought = 40;  // milliseconds
constexpr std::uint64_t kLongThought = 400;
constexpr std::uint64_t kOverASecond = 1100;
constexpr const char* kHot = "hot/shared";

void Think(const std::stop_token& stop, std::uint64_t milliseconds) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  (void)never.wait_for(lock, stop, std::chrono::milliseconds(milliseconds), [] { return false; });
}

}  // namespace

Person::Person(const GitRepository& repository, std::uint64_t seed)
    : repository_(repository),
      thread_([this, seed](const std::stop_token& stop) { Work(stop, seed); }) {}

void Person::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  for (int i = 0; i < 100 && repository_.TryGit({"checkout", "-q", "--", kHot}) != 0; ++i) {
  }
  bool done = false;
  for (int i = 0; i < 100 && !done; ++i) {
    done = repository_.TryGit({"add", "p"}) == 0 && Commit({"--allow-empty"});
  }
  BELAY_CHECK(done);
}

// Always of the same size.
void Person::Edit(const std::string& path) {
  const std::string text = fmt::format("{} written as number {:08}\n", path, ++tries_);
  repository_.Write(path, text);
  files_[path] = text;
}

bool Person::Commit(std::vector<std::string> how) {
  const std::string subject = fmt::format("person {}", ++tries_);
  how.insert(how.begin(), {"commit", "-q", "-m", subject});
  const bool taken = repository_.TryGit(std::move(how)) == 0;
  if (taken) commits_.push_back(subject);
  if (!taken) ++refused_;
  return taken;
}

// Before and after a commit. Size and second are the same, so git has to compare the content. What
// lands in between writes the index too.
void Person::EditTwice(const std::string& path, const std::stop_token& stop) {
  if (repository_.TryGit({"add", "p"}) != 0 || !Commit({})) return;
  Edit(path);
  ++quick_;
  Think(stop, kOverASecond);
  if (repository_.TryGit({"diff", "--quiet", "--", path}) == 0) {
    fmt::print("git takes {} for unchanged\n", path);
    ++overlooked_;
  }
}

void Person::Work(const std::stop_token& stop, std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  while (!stop.stop_requested()) {
    const std::string edited = fmt::format("p/{}", chance() % kEditedFiles);
    Edit(edited);
    const std::size_t before = commits_.size();
    const std::string path = files_.begin()->first;
    switch (chance() % 9) {
      case 0:
        if (repository_.TryGit({"add", "p"}) == 0) (void)Commit({});
        break;
      case 1:
        (void)Commit({"-a"});
        break;
      case 2:
        if (repository_.TryGit({"add", "p"}) == 0) (void)Commit({"-a"});
        break;
      case 3:
        if (repository_.TryGit({"add", path}) == 0) (void)Commit({"--", path});
        break;
      case 4:
        (void)repository_.TryGit({"add", "p"});  // stays staged
        break;
      case 5:
        (void)repository_.TryGit({"status", "--porcelain"});
        break;
      case 6:  // in a file that lands too: its landing waits
        repository_.Write(kHot, fmt::format("tried {}\n", ++tries_));
        (void)repository_.TryGit({"diff", "--stat"});
        for (int i = 0; i < 100 && repository_.TryGit({"checkout", "-q", "--", kHot}) != 0; ++i) {
        }
        break;
      case 7:
        EditTwice(edited, stop);
        break;
      default:
        break;  // stays as it is
    }
    // No person commits all the time; what lands would never be tested to the end.
    Think(stop, chance() % (commits_.size() > before ? kLongThought : kShortThought));
  }
}

}  // namespace belay
