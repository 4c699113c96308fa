// What a crash may leave on a simulated disk, and what it never leaves.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "testing/simulated_disk.h"

namespace belay {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::size_t kAll = 100000;

// Zeros in a literal: "ab00" stands for two letters and two zero bytes.
std::string Zeros(std::string text) {
  std::ranges::replace(text, '0', '\0');
  return text;
}

void Append(SimulatedDisk& disk, const std::string& path, const std::string& bytes) {
  const int fd = disk.Open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  disk.Write(fd, bytes.data(), bytes.size());
  disk.Close(fd);
}

void SyncPath(SimulatedDisk& disk, const std::string& path) {
  const int fd = disk.Open(path, O_RDONLY, 0);
  EXPECT_EQ(disk.Sync(fd), 0) << path;
  disk.Close(fd);
}

class CrashStatesTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& bytes) { Append(disk_, path, bytes); }
  void Sync(const std::string& path) { SyncPath(disk_, path); }
  void WriteAndSync(const std::string& path, const std::string& bytes) {
    Write(path, bytes);
    Sync(path);
  }

  // The names in the root folder with what is in them, as in "a=new b=old", of each crash state.
  std::set<std::string> Outcomes() const {
    std::set<std::string> outcomes;
    for (const SimulatedDisk& state : disk_.CrashStates(kAll, 1)) {
      std::string outcome;
      for (const auto& [path, entry] : state.TakeSnapshot()) {
        if (!outcome.empty()) outcome += " ";
        outcome += path.substr(1) + (S_ISDIR(entry.mode) ? "/" : "=" + entry.content);
      }
      outcomes.insert(outcome);
    }
    return outcomes;
  }

  SimulatedDisk disk_;
};

TEST_F(CrashStatesTest, LeavesOneStateWhenEverythingIsSynced) {
  WriteAndSync("/tmp", "new");
  disk_.Rename("/tmp", "/file");
  Sync("/");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("file=new"));
  EXPECT_THAT(disk_.CrashStates(kAll, 1), SizeIs(1));
}

TEST_F(CrashStatesTest, MayGiveAnEmptyTornOrZeroFileWhenItWasRenamedWithoutSync) {
  WriteAndSync("/file", "old");
  Sync("/");
  Write("/tmp", "new");
  disk_.Rename("/tmp", "/file");
  Sync("/");
  EXPECT_THAT(Outcomes(),
              UnorderedElementsAre("file=", "file=n", "file=ne", "file=new", Zeros("file=000"),
                                   Zeros("file=n00"), Zeros("file=ne0")));
}

TEST_F(CrashStatesTest, MayBringBackTheOldContentWhenTheFolderWasNotSynced) {
  WriteAndSync("/file", "old");
  Sync("/");
  WriteAndSync("/tmp", "new");
  disk_.Rename("/tmp", "/file");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("file=old", "file=old tmp=new", "file=new"));
}

TEST_F(CrashStatesTest, MayLoseTheNameOfASyncedFile) {
  WriteAndSync("/file", "data");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("", "file=data"));
}

TEST_F(CrashStatesTest, MayLoseTearOrZeroWhatWasAppendedButNothingBefore) {
  WriteAndSync("/log", "ab");
  Sync("/");
  Write("/log", "cde");
  EXPECT_THAT(Outcomes(),
              UnorderedElementsAre("log=ab", "log=abc", "log=abcd", "log=abcde", Zeros("log=ab000"),
                                   Zeros("log=abc00"), Zeros("log=abcd0")));
}

TEST_F(CrashStatesTest, MayKeepALaterWriteWithoutAnEarlierOne) {
  WriteAndSync("/log", "a");
  Sync("/");
  Write("/log", "b");
  Write("/log", "c");
  EXPECT_THAT(Outcomes(),
              UnorderedElementsAre("log=a", "log=ab", "log=abc", Zeros("log=a0"), Zeros("log=a0c"),
                                   Zeros("log=a00"), Zeros("log=ab0")));
}

TEST_F(CrashStatesTest, MayKeepTheSecondPageOfAWriteWithoutTheFirst) {
  WriteAndSync("/log", "");
  Sync("/");
  Write("/log", std::string(4096, 'x') + "y");
  EXPECT_EQ(disk_.pending(), 2u);
  EXPECT_THAT(Outcomes(), Contains("log=" + std::string(4096, '\0') + "y"));
}

TEST_F(CrashStatesTest, LeavesOldOrNewBytesWhereAFileIsOverwritten) {
  WriteAndSync("/file", "old");
  Sync("/");
  const int fd = disk_.Open("/file", O_WRONLY, 0);
  disk_.Write(fd, "NEW", 3);
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("file=old", "file=Nld", "file=NEd", "file=NEW"));
}

TEST_F(CrashStatesTest, MayLoseATruncationAndKeepTheWriteAfterIt) {
  WriteAndSync("/file", "older");
  Sync("/");
  const int fd = disk_.Open("/file", O_WRONLY | O_TRUNC, 0);
  disk_.Write(fd, "N", 1);
  EXPECT_THAT(Outcomes(),
              UnorderedElementsAre("file=older", "file=Nlder", "file=", "file=N", Zeros("file=0")));
}

TEST_F(CrashStatesTest, MayLetTwoRenamesArriveInAnyOrder) {
  for (const char* path : {"/a", "/b"}) WriteAndSync(path, path + 1);
  Sync("/");
  disk_.Rename("/a", "/c");
  disk_.Rename("/b", "/d");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("a=a b=b", "b=b c=a", "a=a d=b", "c=a d=b"));
}

TEST_F(CrashStatesTest, MayBringBackARemovedFile) {
  WriteAndSync("/file", "data");
  Sync("/");
  disk_.Remove("/file");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("file=data", ""));
  Sync("/");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre(""));
}

TEST_F(CrashStatesTest, KeepsTheOrderOfChangesToOneName) {
  WriteAndSync("/file", "1");
  Sync("/");
  disk_.Remove("/file");
  WriteAndSync("/file", "2");
  disk_.Remove("/file");
  WriteAndSync("/file", "3");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("file=1", "file=2", "file=3", ""));
}

TEST_F(CrashStatesTest, NeverKeepsARenameWithoutTheChangesThatItBuildsOn) {
  WriteAndSync("/a", "1");
  Sync("/");
  disk_.Rename("/a", "/b");
  WriteAndSync("/a", "2");
  disk_.Rename("/a", "/c");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("a=1", "b=1", "a=2 b=1", "b=1 c=2"));
}

TEST_F(CrashStatesTest, MayLeaveBothNamesOrNeitherOfAMoveBetweenFolders) {
  disk_.MakeFolder("/from", 0755);
  disk_.MakeFolder("/to", 0755);
  WriteAndSync("/from/a", "1");
  disk_.SyncEverything();
  disk_.Rename("/from/a", "/to/a");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("from/ from/a=1 to/", "from/ to/",
                                               "from/ from/a=1 to/ to/a=1", "from/ to/ to/a=1"));
  Sync("/to");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("from/ from/a=1 to/ to/a=1", "from/ to/ to/a=1"));
  Sync("/from");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("from/ to/ to/a=1"));
}

TEST_F(CrashStatesTest, LeavesTwoNamesOfOneFileAfterSuchAMove) {
  disk_.MakeFolder("/to", 0755);
  WriteAndSync("/a", "1");
  disk_.SyncEverything();
  disk_.Rename("/a", "/to/a");
  Sync("/to");
  for (SimulatedDisk& state : disk_.CrashStates(kAll, 1)) {
    if (!state.Content("/a")) continue;
    Append(state, "/a", "2");
    EXPECT_EQ(state.Content("/to/a"), "12");
    EXPECT_EQ(state.Rename("/a", "/to/a"), 0);
    EXPECT_EQ(state.Content("/a"), "12") << "POSIX: nothing happens";
  }
}

TEST_F(CrashStatesTest, LosesWhatIsInAFolderThatIsLost) {
  disk_.MakeFolder("/d", 0755);
  WriteAndSync("/d/a", "1");
  Sync("/d");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("", "d/ d/a=1"));
}

TEST_F(CrashStatesTest, MayLoseWhatIsInAFolderThatIsKept) {
  disk_.MakeFolder("/d", 0755);
  WriteAndSync("/d/a", "1");
  Sync("/");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("d/", "d/ d/a=1"));
}

TEST_F(CrashStatesTest, MayBringBackARemovedFolderWithTheFilesThatWereInIt) {
  disk_.MakeFolder("/d", 0755);
  WriteAndSync("/d/a", "1");
  disk_.SyncEverything();
  disk_.Remove("/d/a");
  disk_.RemoveFolder("/d");
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("", "d/", "d/ d/a=1"));
}

TEST_F(CrashStatesTest, SurvivesFoldersThatAreMovedIntoEachOther) {
  for (const char* path : {"/a", "/b"}) disk_.MakeFolder(path, 0755);
  disk_.SyncEverything();
  disk_.Rename("/a", "/b/a");
  disk_.Rename("/b/a", "/a");
  disk_.Rename("/b", "/a/b");
  EXPECT_THAT(Outcomes(), Contains("a/ a/b/"));
}

TEST_F(CrashStatesTest, KeepsPermissionBitsOnlyAfterAFullSync) {
  WriteAndSync("/file", "data");
  Sync("/");
  const int fd = disk_.Open("/file", O_RDONLY, 0);
  disk_.ChangeMode(fd, 0600);
  disk_.SyncData(fd);
  EXPECT_THAT(disk_.CrashStates(kAll, 1), SizeIs(2));
  disk_.Sync(fd);
  const auto states = disk_.CrashStates(kAll, 1);
  ASSERT_THAT(states, SizeIs(1));
  EXPECT_EQ(states[0].TakeSnapshot().at("/file").mode, S_IFREG | 0600u);
}

TEST_F(CrashStatesTest, ForgetsFilesThatNoCrashCanBringBack) {
  const int fd = disk_.Open("/file", O_WRONLY | O_CREAT, 0644);
  disk_.Remove("/file");
  Sync("/");
  disk_.Write(fd, "hello", 5);
  EXPECT_THAT(disk_.CrashStates(kAll, 1), SizeIs(1));
  disk_.Close(fd);
  EXPECT_EQ(disk_.pending(), 0u);
}

TEST_F(CrashStatesTest, CountsNoCombinationsOfFilesThatNoCrashCanBringBack) {
  const int fd = disk_.Open("/file", O_WRONLY | O_CREAT, 0644);
  disk_.Remove("/file");
  WriteAndSync("/log", "");
  Sync("/");
  disk_.Write(fd, std::string(100000, 'x').data(), 100000);
  Write("/log", "abcdefghi");
  EXPECT_THAT(disk_.CrashStates(19, 1), SizeIs(19)) << "lost, or 1 to 9 bytes, or 0 to 8 and zeros";
}

TEST_F(CrashStatesTest, LeavesDisksThatAreClosedUnlockedAndDurable) {
  const int fd = disk_.Open("/file", O_WRONLY | O_CREAT, 0644);
  disk_.Lock(fd, LOCK_EX);
  disk_.AfterEachChange([](const SimulatedDisk&) { FAIL() << "the hook went along"; });
  for (SimulatedDisk& state : disk_.CrashStates(kAll, 1)) {
    EXPECT_EQ(state.open_files(), 0u);
    EXPECT_EQ(state.pending(), 0u);
    EXPECT_THAT(state.CrashStates(kAll, 1), SizeIs(1));
    const int again = state.Open("/file", O_WRONLY | O_CREAT, 0644);
    EXPECT_EQ(state.Lock(again, LOCK_EX), 0);
  }
}

// More than can be counted.

class ManyCrashStatesTest : public CrashStatesTest {
 protected:
  ManyCrashStatesTest() {
    for (int i = 0; i < 10; ++i) {
      Write("/file" + std::to_string(i), std::string(1000, static_cast<char>('a' + i)));
    }
    many_ = Looks(2000, 1);
  }

  std::vector<Snapshot> Looks(std::size_t limit, std::uint64_t seed) const {
    std::vector<Snapshot> looks;
    for (const SimulatedDisk& state : disk_.CrashStates(limit, seed))
      looks.push_back(state.TakeSnapshot());
    return looks;
  }

  // What becomes of one file when all names arrive and all other data do.
  bool IsFound(const std::string& path, const std::string& content) const {
    Snapshot expected = disk_.TakeSnapshot();
    expected[path].content = content;
    return std::ranges::find(many_, expected) != many_.end();
  }

  std::vector<Snapshot> many_;
};

TEST_F(ManyCrashStatesTest, GivesAsManyAsTheLimitAllows) {
  for (const std::size_t limit : {1u, 4u, 5u, 100u, 1000u}) {
    EXPECT_THAT(disk_.CrashStates(limit, 1), SizeIs(limit));
  }
}

TEST_F(ManyCrashStatesTest, DependsOnTheSeedAndOnNothingElse) {
  EXPECT_EQ(Looks(300, 7), Looks(300, 7));
  EXPECT_NE(Looks(300, 7), Looks(300, 8));
}

TEST_F(ManyCrashStatesTest, AlwaysHasTheExtremes) {
  Snapshot only_names = disk_.TakeSnapshot();
  for (auto& [path, entry] : only_names) entry.content.clear();
  const auto looks = Looks(4, 99);
  EXPECT_THAT(looks, Contains(Snapshot{}));
  EXPECT_THAT(looks, Contains(disk_.TakeSnapshot()));
  EXPECT_THAT(looks, Contains(only_names));
}

TEST_F(ManyCrashStatesTest, HasEachChangeLostAlone) {
  for (const auto& [path, entry] : disk_.TakeSnapshot()) {
    Snapshot without = disk_.TakeSnapshot();
    without.erase(path);
    EXPECT_THAT(many_, Contains(without)) << path;
    EXPECT_TRUE(IsFound(path, "")) << path;
  }
}

TEST_F(ManyCrashStatesTest, HasEachChangeKeptAlone) {
  for (const auto& [path, entry] : disk_.TakeSnapshot()) {
    EXPECT_THAT(many_, Contains(Snapshot{{path, entry}})) << path;
    EXPECT_THAT(many_, Contains(Snapshot{{path, {entry.mode, ""}}})) << path;
  }
}

TEST_F(ManyCrashStatesTest, KeepsWithAChangeWhatItNeeds) {
  for (const char* pair : {"3x", "xy", "yz"}) {
    disk_.Rename(std::string("/file") + pair[0], std::string("/file") + pair[1]);
  }
  const SeenEntry empty{S_IFREG | 0644, ""};
  EXPECT_THAT(Looks(2000, 1), Contains(Snapshot{{"/filez", empty}}));
}

TEST_F(ManyCrashStatesTest, HasEachWriteTornAndZeroedAlone) {
  const std::string bytes(1000, 'd');
  for (const std::size_t kept : {1u, 500u, 999u}) {
    EXPECT_TRUE(IsFound("/file3", bytes.substr(0, kept)));
    EXPECT_TRUE(IsFound("/file3", bytes.substr(0, kept) + std::string(1000 - kept, '\0')));
  }
  EXPECT_TRUE(IsFound("/file3", std::string(1000, '\0')));
}

// Random histories of three names in one folder, with an independent check of what may be left.

struct Written {
  std::string content;
  std::size_t synced = 0;
};

class History {
 public:
  void Step() {
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
      case 1:
        return Append(AnyName(), *rc::gen::element<std::string>("x", "yz"));
      case 2:
        return SyncFile(AnyName());
      case 3:
        return Rename(AnyName(), AnyName());
      case 4:
        return Remove(AnyName());
      default:
        return SyncFolder();
    }
  }

  const SimulatedDisk& disk() const { return disk_; }

  void Judge(const SimulatedDisk& state) const {
    for (const std::string& name : kNames) {
      const auto content = state.Content("/" + name);
      RC_ASSERT(IsLegal(past_.at(name), content));
    }
    for (const auto& [path, entry] : state.TakeSnapshot())
      RC_ASSERT(past_.contains(path.substr(1)));
    RC_ASSERT(InodesOf(state) == InodeNamesOnce(state));
    for (const ino_t inode : safe_) RC_ASSERT(InodesOf(state).contains(inode));
  }

 private:
  using File = std::shared_ptr<Written>;
  inline static const std::vector<std::string> kNames{"a", "b", "c"};

  static std::string AnyName() { return *rc::gen::elementOf(kNames); }

  static ino_t InodeOf(SimulatedDisk disk, const std::string& path) {
    struct stat info {};
    return disk.InspectPath(path, info) == 0 ? info.st_ino : 0;
  }

  static std::multiset<ino_t> InodesOf(const SimulatedDisk& disk) {
    std::multiset<ino_t> inodes;
    for (const auto& [path, entry] : disk.TakeSnapshot()) inodes.insert(InodeOf(disk, path));
    return inodes;
  }

  static std::multiset<ino_t> InodeNamesOnce(const SimulatedDisk& disk) {
    const auto inodes = InodesOf(disk);
    const std::set<ino_t> once(inodes.begin(), inodes.end());
    return {once.begin(), once.end()};
  }

  static bool IsLegal(const std::set<File>& past, const std::optional<std::string>& content) {
    return std::ranges::any_of(past, [&](const File& file) {
      return file == nullptr ? !content : content && MayBe(*file, *content);
    });
  }

  static bool MayBe(const Written& file, const std::string& content) {
    if (content.size() < file.synced || content.size() > file.content.size()) return false;
    for (std::size_t i = 0; i < content.size(); ++i) {
      const bool is_hole = i >= file.synced && content[i] == '\0';
      if (content[i] != file.content[i] && !is_hole) return false;
    }
    return true;
  }

  void Name(const std::string& name, const File& file) {
    now_[name] = file;
    past_[name].insert(file);
  }

  void Append(const std::string& name, const std::string& bytes) {
    belay::Append(disk_, "/" + name, bytes);
    if (!now_[name]) Name(name, std::make_shared<Written>());
    now_[name]->content += bytes;
  }

  void SyncFile(const std::string& name) {
    if (!now_[name]) return;
    SyncPath(disk_, "/" + name);
    now_[name]->synced = now_[name]->content.size();
  }

  void Rename(const std::string& from, const std::string& to) {
    if (!now_[from] || from == to) return;
    safe_.erase(InodeOf(disk_, "/" + to));
    disk_.Rename("/" + from, "/" + to);
    Name(to, now_[from]);
    Name(from, nullptr);
  }

  void Remove(const std::string& name) {
    if (!now_[name]) return;
    safe_.erase(InodeOf(disk_, "/" + name));
    disk_.Remove("/" + name);
    Name(name, nullptr);
  }

  void SyncFolder() {
    SyncPath(disk_, "/");
    for (auto& [name, files] : past_) files = {now_[name]};
    const auto inodes = InodesOf(disk_);
    safe_ = {inodes.begin(), inodes.end()};
  }

  SimulatedDisk disk_;
  std::map<std::string, File> now_;
  // The inodes that each name has had since the folder was last synced; null: nothing.
  std::map<std::string, std::set<File>> past_{{"a", {nullptr}}, {"b", {nullptr}}, {"c", {nullptr}}};
  std::set<ino_t> safe_;  // had a durable name and lost none since but by renaming
};

TEST(CrashStatesPropertyTest, LeavesNothingThatIsForbidden) {
  EXPECT_TRUE(rc::check([] {
    History history;
    const int steps = *rc::gen::inRange(0, 25);
    for (int i = 0; i < steps; ++i) {
      history.Step();
      for (const SimulatedDisk& state : history.disk().CrashStates(100, 1)) history.Judge(state);
    }
  }));
}

TEST(CrashStatesPropertyTest, PicksItsSamplesFromAllThatIsLegal) {
  EXPECT_TRUE(rc::check([] {
    History history;
    const int steps = *rc::gen::inRange(0, 10);
    for (int i = 0; i < steps; ++i) history.Step();
    std::vector<Snapshot> all;
    for (const SimulatedDisk& state : history.disk().CrashStates(kAll, 1)) {
      all.push_back(state.TakeSnapshot());
    }
    for (const SimulatedDisk& state : history.disk().CrashStates(20, 1)) {
      RC_ASSERT(std::ranges::find(all, state.TakeSnapshot()) != all.end());
    }
  }));
}

}  // namespace
}  // namespace belay
