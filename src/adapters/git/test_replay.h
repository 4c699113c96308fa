// The branch "work" is put on main, in a real repository.

#ifndef BELAY_ADAPTERS_GIT_TEST_REPLAY_H_
#define BELAY_ADAPTERS_GIT_TEST_REPLAY_H_

#include <string>
#include <utility>

#include "adapters/git/replay.h"
#include "adapters/git/test_merge.h"

namespace belay {

class ReplayTest : public MergeTest {
 protected:
  Result<Replay> TryReplay(const ReplayRequest& request) {
    MergeRoom room = OpenRoom(Resolve("main"));
    return ReplayBranch(room, request);
  }
  // Puts the branch "work" on main.
  Replay Land(LandingStrategy strategy = LandingStrategy::kRebase, const ObjectId& start = {}) {
    auto replay = TryReplay(
        {.head = Resolve("work"), .branch = "work", .strategy = strategy, .start = start});
    EXPECT_TRUE(replay.ok()) << (replay ? "" : replay.error().message);
    return replay ? *std::move(replay) : Replay{Replay::End::kConflict, strategy};
  }
  std::string Log(const ObjectId& commit, const std::string& format) const {
    return repo_.Git({"log", "--format=" + format, "main.." + commit.text()});
  }
  // Two commits on "work", and one on main since.
  void Diverge() const {
    OnBranch("work");
    CommitFile("a", "1\n");
    CommitFile("b", "2\n");
    OnBranch("main");
    CommitFile("c", "3\n");
  }
  // A commit on top of the branch "work", with `edit` applied to the bytes of an ordinary one.
  ObjectId PutOnWork(const std::string& from, const std::string& to) const {
    std::string bytes = Show(Resolve("work"));
    bytes.replace(bytes.find(from), from.size(), to);
    const ObjectId id = WriteCommit(bytes);
    repo_.Git({"update-ref", "refs/heads/work", id.text()});
    return id;
  }
  static std::string HeadersAndMessage(const std::string& commit) {
    return commit.substr(commit.find("author "));
  }
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_TEST_REPLAY_H_
