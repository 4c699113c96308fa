// Several processes take snapshots at once, and while git collects garbage. BELAY_ROUNDS multiplies
// the number of rounds.

#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "snapshot/test_survive.h"
#include "testing/real_process.h"

namespace belay {
namespace {

int Rounds(int usual) {
  const char* factor = std::getenv("BELAY_ROUNDS");
  return usual * (factor != nullptr ? std::max(1, std::atoi(factor)) : 1);
}

class SurviveRacesTest : public SurviveTest {
 protected:
  std::string Check() {
    return place_.git().Run({.arguments = {"fsck", "--connectivity-only", "--no-dangling"}}).ok()
               ? ""
               : "damaged";
  }
};

TEST_F(SurviveRacesTest, SeveralAtOnce) {
  std::mutex mutex;
  std::set<std::string> ids;
  std::vector<SavedSnapshot> all;
  const auto work = [&](int who) {
    TestPlace place(repository_.path());
    for (int round = 0; round < Rounds(5); ++round) {
      const std::string text = std::to_string(who) + " " + std::to_string(round);
      repository_.Write("of" + std::to_string(who), text);
      const Result<Taken> taken = place.Take();
      const std::scoped_lock lock(mutex);
      ASSERT_TRUE(taken.ok()) << taken.error().message;
      if (taken->is_new) {
        EXPECT_TRUE(ids.insert(taken->snapshot.id.text()).second) << taken->snapshot.id.text();
      }
      all.push_back(taken->snapshot);
      const auto files = FilesOf(taken->snapshot);
      EXPECT_EQ(files.at("of" + std::to_string(who)).content, text);
    }
  };
  std::vector<std::thread> workers;
  for (int who = 0; who < 3; ++who) workers.emplace_back(work, who);
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(ListSnapshots(git(), std::nullopt)->size(), ids.size());
  EXPECT_EQ(Check(), "");
  TakeAll();
}

// Runs programs one after the other, repeatedly, until the end of the scope.
class Collectors {
 public:
  Collectors(const GitRepository& repository, const std::vector<std::string>& scripts)
      : outside_(repository.outside()) {
    for (const std::string& script : scripts) {
      threads_.emplace_back([&repository, script] {
        const std::string loop = "while [ ! -e ../stop ]; do " + script + "; done";
        RunReal({"sh", "-c", loop},
                {.folder = repository.path(), .environment = GitRepository::Environment()});
      });
    }
  }
  ~Collectors() {
    outside_.Write("stop", "");
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  const TempFolder& outside_;
  std::vector<std::thread> threads_;
};

// With changes, with content that existed before, and with the oldest snapshots being deleted.
TEST_F(SurviveRacesTest, WhileGarbageIsCollected) {
  std::vector<SavedSnapshot> kept;
  {
    const Collectors collectors(repository_,
                                {"git gc --prune=now -q", "git repack -adq; git prune --expire=now",
                                 "git pack-refs --all --prune; git prune-packed"});
    for (int round = 0; round < Rounds(8); ++round) {
      repository_.Write("changes", std::to_string(round));
      repository_.Write("returns", round % 2 == 0 ? "even\n" : "odd\n");
      repository_.Write("tracked.txt", round % 3 == 0 ? "first\n" : "changed\n");
      if (round % 4 == 0) repository_.TryGit({"add", "returns"});
      if (round % 4 == 2)
        repository_.TryGit({"rm", "-q", "--cached", "--ignore-unmatch", "returns"});
      const Result<Taken> taken = place_.Take();
      ASSERT_TRUE(taken.ok()) << round << ": " << taken.error().message;
      EXPECT_TRUE(taken->is_new);
      kept.push_back(taken->snapshot);
      const auto files = FilesOf(taken->snapshot);
      EXPECT_EQ(files.at("changes").content, std::to_string(round));
      EXPECT_EQ(files.at("returns").content, round % 2 == 0 ? "even\n" : "odd\n");
      if (kept.size() < 4) continue;
      const RefAndValue oldest{kept[0].id.Ref(), kept[0].commit};
      const Result<void> deleted = DeleteRefs(git(), {&oldest, 1});
      EXPECT_TRUE(deleted.ok() || deleted.error().code == ErrorCode::kBusy);
      kept.erase(kept.begin());
    }
  }
  for (const SavedSnapshot& snapshot : kept) ExpectWhole(repository_.path(), snapshot);
  repository_.Git({"gc", "--prune=now", "-q"});
  for (const SavedSnapshot& snapshot : kept) ExpectWhole(repository_.path(), snapshot);
  TakeAll();
}

// Only the ref keeps a snapshot: neither the branch nor the files.
TEST_F(SurviveRacesTest, AfterTheBranchIsGone) {
  repository_.Git({"switch", "-q", "-c", "doomed"});
  repository_.Write("tracked.txt", "committed\n");
  repository_.CommitAll("doomed");
  ChangeSome(repository_.path());
  const SavedSnapshot snapshot = TakeAll();
  const auto before = FilesOf(snapshot);
  repository_.Git({"reset", "-q", "--hard"});
  repository_.Git({"clean", "-fdxq"});
  repository_.Git({"switch", "-q", "main"});
  repository_.Git({"branch", "-q", "-D", "doomed"});
  repository_.Git({"reflog", "expire", "--expire=now", "--all"});
  repository_.Git({"gc", "--prune=now", "-q"});
  EXPECT_EQ(FilesOf(snapshot), before);
  ExpectWhole(repository_.path(), snapshot);
}

}  // namespace
}  // namespace belay
