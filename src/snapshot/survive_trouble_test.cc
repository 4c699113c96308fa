// Snapshots while others write, files vanish or are unreadable, or the disk is full.

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "snapshot/test_survive.h"

namespace belay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Lets a test act before a file is opened, or forbid it.
class TroubledCalls final : public RealFileCalls {
 public:
  int Open(const std::string& path, int flags, mode_t mode) override {
    const int error = before_open ? before_open(path) : 0;
    return error != 0 ? -error : RealFileCalls::Open(path, flags, mode);
  }
  int InspectPath(const std::string& path, struct stat& info) override {
    if (before_inspect) before_inspect(path);
    return RealFileCalls::InspectPath(path, info);
  }

  std::function<int(const std::string&)> before_open;  // returns the errno
  std::function<void(const std::string&)> before_inspect;
};

class SurviveTroubleTest : public SurviveTest {
 protected:
  SavedSnapshot TakeInTrouble() {
    TestPlace place(repository_.path(), &calls_);
    Result<Taken> taken = place.Take();
    if (!taken) throw std::runtime_error(taken.error().message);
    ExpectWhole(repository_.path(), taken->snapshot);
    ExpectNothingLeft(place);
    return taken->snapshot;
  }

  TroubledCalls calls_;
};

// Repeats an action in a thread, as long as the object lives.
class Busy {
 public:
  explicit Busy(std::function<void(int round)> act)
      : thread_([this, act = std::move(act)] {
          for (int round = 0; !stop_; ++round) act(round);
        }) {}
  ~Busy() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST_F(SurviveTroubleTest, FilesThatGrow) {
  std::vector<std::string> seen;
  {
    std::ofstream log(repository_ / "server.log", std::ios::app);
    std::ofstream tracked(repository_ / "tracked.txt", std::ios::app);
    const Busy writer([&](int round) {
      log << round << std::endl;
      tracked << round << std::endl;
    });
    for (int i = 0; i < 5; ++i) {
      const auto files = FilesOf(TakeInTrouble());
      seen.push_back(files.at("server.log").content);
      seen.push_back(files.at("tracked.txt").content);
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string last = repository_.Read(i % 2 == 0 ? "server.log" : "tracked.txt");
    EXPECT_TRUE(last.starts_with(seen[i])) << i;
  }
}

// Each version is a new file, renamed into place: one of them is captured, never a mixture.
TEST_F(SurviveTroubleTest, FilesThatAreReplaced) {
  const auto replace = [&](const std::string& name, std::size_t bytes, int round) {
    const std::string next = repository_.outside() / (name + ".next");
    std::ofstream(next) << std::string(bytes, static_cast<char>('a' + round % 26));
    fs::rename(next, repository_ / name);
  };
  replace("tracked.txt", 100'000, 0);
  replace("large", 5'000'000, 0);
  const Busy writer([&](int round) {
    replace("tracked.txt", 100'000, round);
    replace("large", 5'000'000, round);
  });
  for (int i = 0; i < 3; ++i) {
    const auto files = FilesOf(TakeInTrouble());
    for (const char* name : {"tracked.txt", "large"}) {
      const std::string& content = files.at(name).content;
      EXPECT_GE(content.size(), 100'000U) << name;
      EXPECT_EQ(content.find_first_not_of(content[0]), std::string::npos) << name;
    }
  }
}

TEST_F(SurviveTroubleTest, FilesThatVanishBeforeTheyAreOpened) {
  repository_.Write("new", "x");
  repository_.Write("stays", "x");
  repository_.Write("tracked.txt", "changed\n");
  calls_.before_open = [&](const std::string& path) {
    for (const char* name : {"new", "tracked.txt"}) {
      if (path == repository_ / name) repository_.Remove(name);
    }
    return 0;
  };
  const SavedSnapshot snapshot = TakeInTrouble();
  const auto files = FilesOf(snapshot);
  EXPECT_EQ(files.count("new") + files.count("tracked.txt"), 0U);
  EXPECT_EQ(files.at("stays").content, "x");
  EXPECT_THAT(snapshot.record.skipped, ::testing::IsEmpty());
}

TEST_F(SurviveTroubleTest, FoldersThatVanishBeforeTheyAreLookedAt) {
  repository_.Write("folder/a", "x");
  repository_.Write("folder/b", "x");
  repository_.Write("stays", "x");
  calls_.before_inspect = [&](const std::string& path) {
    if (path == repository_ / "folder/a") repository_.Remove("folder");
  };
  EXPECT_EQ(FilesOf(TakeInTrouble()).count("stays"), 1U);
}

TEST_F(SurviveTroubleTest, FilesThatBecomeFoldersOrLinks) {
  repository_.outside().Write("elsewhere", "not ours");
  repository_.Write("a", "x");
  repository_.Write("b", "x");
  calls_.before_inspect = [&](const std::string& path) {
    if (path == repository_ / "a") {
      repository_.Remove("a");
      repository_.Write("a/inner", "x");
    }
    if (path == repository_ / "b") {
      repository_.Remove("b");
      repository_.MakeLink("../elsewhere", "b");
    }
  };
  const auto files = FilesOf(TakeInTrouble());
  EXPECT_EQ(files.count("a"), 0U);
  EXPECT_EQ(files.at("b").content, "../elsewhere");
}

// Between inspecting and opening: the target of a link is never captured in place of the file.
TEST_F(SurviveTroubleTest, AFileThatBecomesALinkAtTheLastMoment) {
  repository_.outside().Write("elsewhere", "not ours");
  repository_.Write("a", "x");
  calls_.before_open = [&](const std::string& path) {
    if (path == repository_ / "a") {
      repository_.Remove("a");
      repository_.MakeLink("../elsewhere", "a");
    }
    return 0;
  };
  const auto files = FilesOf(TakeInTrouble());
  if (files.count("a") > 0) {
    EXPECT_NE(files.at("a").content, "not ours");
  }
}

TEST_F(SurviveTroubleTest, FilesThatMayNotBeRead) {
  repository_.Write("new", "x");
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("stays", "x");
  calls_.before_open = [&](const std::string& path) {
    return path == repository_ / "new" || path == repository_ / "tracked.txt" ? EACCES : 0;
  };
  const SavedSnapshot snapshot = TakeInTrouble();
  EXPECT_THAT(snapshot.record.skipped,
              ElementsAre(SkippedPath{"tracked.txt", SkipReason::kUnreadable},
                          SkippedPath{"new", SkipReason::kUnreadable}));
  EXPECT_EQ(FilesOf(snapshot).at("tracked.txt").content, "first\n");
  EXPECT_EQ(FilesOf(snapshot).at("stays").content, "x");
}

// In a separate process, since a limit and a mount are permanent. True on success.
bool InAnotherProcess(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    act();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

bool MountSmallDisk(const std::string& folder) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  (void)mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4m") == 0;
}

std::string Noise(std::size_t bytes) {
  std::string noise;
  std::uint32_t state = 1;
  while (noise.size() < bytes) {
    state = state * 1664525U + 1013904223U;
    noise += static_cast<char>(state >> 24U);
  }
  return noise;
}

TEST_F(SurviveTroubleTest, AFullDisk) {
  repository_.outside().MakeFolder("disk");
  const std::string disk = repository_.outside() / "disk";
  const bool may = InAnotherProcess([&] {
    if (!MountSmallDisk(disk)) _exit(1);
  });
  if (!may) GTEST_SKIP() << "a small disk can't be mounted here";
  EXPECT_TRUE(InAnotherProcess([&] {
    EXPECT_TRUE(MountSmallDisk(disk));
    const std::string clone = disk + "/clone";
    repository_.Git({"clone", "-q", repository_.path(), clone});
    repository_.outside().Write("disk/clone/a", Noise(2'500'000));
    TestPlace place(clone);
    const std::string before = Surroundings(repository_, place);
    const Result<Taken> taken = place.Take();
    EXPECT_FALSE(taken.ok());
    if (taken) return;
    EXPECT_THAT(taken.error().hint, HasSubstr("free some disk space"));
    EXPECT_EQ(Surroundings(repository_, place), before);
    EXPECT_EQ(repository_.GitIn(clone, {"for-each-ref", "refs/belay"}), "");
    ExpectNothingLeft(place);
    fs::resize_file(clone + "/a", 1'000'000);
    EXPECT_TRUE(place.Take().ok());
    ExpectNothingLeft(place);
  }));
}

// Git is stopped at various file sizes: a complete snapshot or none, and nothing left over.
TEST_F(SurviveTroubleTest, ALimitOnTheSizeOfFiles) {
  repository_.Write("a", Noise(3'000));
  repository_.Write("tracked.txt", "changed\n");
  const std::string before = Surroundings(repository_, place_);
  int failures = 0;
  for (const rlim_t limit : {0, 10, 41, 100, 300, 1000, 1100, 2000, 3000, 3500, 4000, 100'000}) {
    const bool taken = InAnotherProcess([&] {
      (void)std::signal(SIGXFSZ, SIG_IGN);
      const rlimit most{limit, limit};
      (void)setrlimit(RLIMIT_FSIZE, &most);
      if (!TestPlace(repository_.path()).Take().ok()) _exit(1);
    });
    const std::string refs = repository_.Git({"for-each-ref", "refs/belay"});
    EXPECT_EQ(refs.empty(), !taken) << limit;
    EXPECT_EQ(Surroundings(repository_, place_), before);
    failures += taken ? 0 : 1;
    if (taken) break;
  }
  EXPECT_GT(failures, 3);
  TakeAll();
}

}  // namespace
}  // namespace belay
