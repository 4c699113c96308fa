// Taking a snapshot is killed at every single change that it makes, and with every call of git
// failing: the result is a complete snapshot or none, and the next one works.

#include <set>

#include "snapshot/test_survive.h"
#include "testing/killing_calls.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

class SurviveKillTest : public SurviveTest {
 protected:
  SurviveKillTest() {
    repository_.Write("tracked.txt", "staged\n");
    repository_.Git({"add", "tracked.txt"});
    repository_.Write("tracked.txt", "changed\n");
    repository_.Write("new", "untracked\n");
    repository_.MakeLink("new", "link");
  }

  // The invariants after any interruption.
  void ExpectAllWell() {
    const auto all = ListSnapshots(git(), std::nullopt);
    ASSERT_TRUE(all.ok()) << all.error().message;
    for (const SavedSnapshot& snapshot : *all) {
      EXPECT_TRUE(snapshot.readable);
      if (!checked_.insert(snapshot.id.text()).second || !snapshot.record.skipped.empty()) continue;
      EXPECT_EQ(FilesOf(snapshot).size(), 3U) << snapshot.id.text();
    }
    const auto checked = git().Run({.arguments = {"fsck", "--connectivity-only"}});
    EXPECT_TRUE(checked.ok()) << checked.error().message;
  }
  // A state that no snapshot has yet.
  void Change() { repository_.Write("new", "state " + std::to_string(++count_)); }
  void ExpectNextWorks() {
    UnsyncedCalls calls;
    TestPlace place(repository_.path(), &calls);
    Change();
    const Result<Taken> taken = place.Take();
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    EXPECT_TRUE(taken->is_new);
    EXPECT_EQ(FilesOf(taken->snapshot).at("new").content, "state " + std::to_string(count_));
  }

  int count_ = 0;
  std::set<std::string> checked_;
};

TEST_F(SurviveKillTest, AtEveryChange) {
  std::size_t n = 1;
  for (bool ended = false; !ended && !HasFailure(); ++n) {
    SCOPED_TRACE("killed at change " + std::to_string(n));
    Change();
    const std::string before = Surroundings(repository_, place_);
    const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      return TestPlace(repository_.path(), &calls, &programs).Take().ok();
    });
    EXPECT_NE(run, KilledRun::kFailed);
    EXPECT_EQ(Surroundings(repository_, place_), before);
    ExpectAllWell();
    ExpectNextWorks();
    ExpectNothingLeft(place_);
    ended = run != KilledRun::kKilled;
  }
  EXPECT_GT(n, 20U);
  repository_.Git({"gc", "--prune=now", "-q"});
  checked_.clear();
  ExpectAllWell();
}

// Git is running then, and its input ends early.
TEST_F(SurviveKillTest, WhileItFeedsGit) {
  for (const std::string name : {"tracked.txt", "new", "link"}) {
    Change();
    const KilledRun run = RunKilledAtChange(1000, [&](FileCalls& real, Programs& programs) {
      WatchedCalls calls(real, [&](const WatchedCall& call) {
        if (call.path == repository_ / name) (void)kill(getpid(), SIGKILL);
      });
      return TestPlace(repository_.path(), &calls, &programs).Take().ok();
    });
    EXPECT_EQ(run, KilledRun::kKilled) << name;
    ExpectAllWell();
    ExpectNextWorks();
  }
  EXPECT_EQ(ListSnapshots(git(), std::nullopt)->size(), 3U);
}

// Simulates a killed git: call number `n` fails, before or after its work.
class FailingPrograms final : public Programs {
 public:
  FailingPrograms(std::size_t n, bool after) : left_(n), after_(after) {}

  Result<ProgramResult> Run(const ProgramRequest& request) override {
    if (left_-- != 1) return programs_.Run(request);
    failed = true;
    if (after_) (void)programs_.Run(request);
    return ProgramResult{137, "", "", false};
  }

  bool failed = false;

 private:
  PosixPrograms programs_;
  std::size_t left_;
  bool after_;
};

TEST_F(SurviveKillTest, WhenEachCallOfGitFails) {
  for (const bool after : {false, true}) {
    bool failed = true;
    for (std::size_t n = 1; failed && !HasFailure(); ++n) {
      SCOPED_TRACE("call " + std::to_string(n) + (after ? " after" : " before"));
      FailingPrograms programs(n, after);
      UnsyncedCalls calls;
      TestPlace place(repository_.path(), &calls, &programs);
      Change();
      const std::string before = Surroundings(repository_, place_);
      (void)place.Take();  // some of the calls are optional
      failed = programs.failed;
      EXPECT_EQ(Surroundings(repository_, place_), before);
      ExpectNothingLeft(place_);
      ExpectAllWell();
      ExpectNextWorks();
    }
  }
}

// Any call to the file system may fail.
TEST_F(SurviveKillTest, WhenCallsOfFilesFail) {
  bool failed = true;
  for (std::size_t n = 1; failed && !HasFailure(); ++n) {
    SCOPED_TRACE("call " + std::to_string(n));
    UnsyncedCalls real;
    FaultyCalls calls(real);
    calls.Plan({.number = n, .error = EIO});
    TestPlace place(repository_.path(), &calls);
    Change();
    const std::string before = Surroundings(repository_, place_);
    (void)place.Take();
    failed = calls.faults() > 0;
    EXPECT_EQ(Surroundings(repository_, place_), before);
    ExpectAllWell();
    n += 6;  // each seventh one
  }
  ExpectNextWorks();
  ExpectNothingLeft(place_);
}

}  // namespace
}  // namespace belay
