#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "adapters/git/objects.h"
#include "adapters/git/test_git.h"
#include "base/text.h"

namespace belay {
namespace {

// Records what was synced.
class SyncedFiles final : public RealFileCalls {
 public:
  int Open(const std::string& path, int flags, mode_t mode) override {
    const int fd = RealFileCalls::Open(path, flags, mode);
    paths_[fd] = path;
    return fd;
  }
  int Sync(int fd) override {
    synced.insert(paths_[fd]);
    return RealFileCalls::Sync(fd);
  }
  int SyncDisk(int fd) override {
    ++disks;
    return RealFileCalls::SyncDisk(fd);
  }

  std::set<std::string> synced;
  int disks = 0;

 private:
  std::map<int, std::string> paths_;
};

class SyncObjectsTest : public ReplayTest {
 protected:
  // The candidate of "work".
  ObjectId Build(LandingStrategy strategy) {
    FileSystem files(synced_);
    auto room = MergeRoom::Open(git_, files, Place(), Resolve("main"));
    EXPECT_TRUE(room.ok());
    const auto replay =
        ReplayBranch(*room, {.head = Resolve("work"), .branch = "work", .strategy = strategy});
    EXPECT_TRUE(replay.ok()) << (replay ? "" : replay.error().message);
    return replay ? replay->candidate : ObjectId();
  }
  // Every loose object that is new with it, and its folder.
  void ExpectSynced(const ObjectId& candidate) {
    const std::string all =
        repo_.Git({"rev-list", "--objects", "--no-object-names", candidate.text(), "^main"});
    int count = 0;
    for (const std::string_view line : Split(all, '\n')) {
      if (line.empty()) continue;
      const std::string id(line);
      const std::string folder = CommonFolder() + "/objects/" + id.substr(0, 2);
      EXPECT_TRUE(synced_.synced.contains(folder + "/" + id.substr(2))) << id;
      EXPECT_TRUE(synced_.synced.contains(folder)) << folder;
      ++count;
    }
    EXPECT_GT(count, 3);
    EXPECT_TRUE(synced_.synced.contains(CommonFolder() + "/objects"));
  }

  SyncedFiles synced_;
};

// The objects of the merge itself are in a pack, which git syncs.
TEST_F(SyncObjectsTest, SyncsTheCommitsThatAMergeBrings) {
  OnBranch("work");
  CommitFile("deep/er/f", "x\n");
  repo_.Git({"checkout", "-q", "main"});
  CommitFile("more", "1\n");
  Build(LandingStrategy::kMerge);
  ExpectSynced(Resolve("work"));
  EXPECT_TRUE(synced_.synced.contains(CommonFolder() + "/objects/pack"));
  EXPECT_EQ(synced_.disks, 0);
}

TEST_F(SyncObjectsTest, SyncsABranchThatLandsAsItIs) {
  OnBranch("work");
  CommitFile("deep/a", "1\n");
  CommitFile("elsewhere/b", "2\n");
  const ObjectId candidate = Build(LandingStrategy::kRebase);
  EXPECT_EQ(candidate, Resolve("work"));
  ExpectSynced(candidate);
}

TEST_F(SyncObjectsTest, SyncsTheWholeDiskForManyCommits) {
  OnBranch("work");
  for (const char* const name : {"a", "b", "c"}) CommitFile(name, "1\n");
  Build(LandingStrategy::kRebase);
  EXPECT_EQ(synced_.disks, 1);
}

TEST_F(SyncObjectsTest, SyncsTheWholeDiskWhenThereIsMuch) {
  OnBranch("work");
  for (int i = 0; i < 600; ++i) repo_.Write("many/" + std::to_string(i), std::to_string(i));
  Commit("many");
  Build(LandingStrategy::kRebase);
  EXPECT_EQ(synced_.disks, 1);
}

}  // namespace
}  // namespace belay
