// The simulated disk against the kernel: the same calls give the same results.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "testing/simulated_disk.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

// The simulated disk has the usual umask, the process that runs the tests may have another.
class UsualUmask {
 public:
  UsualUmask() : before_(umask(022)) {}
  UsualUmask(const UsualUmask&) = delete;
  UsualUmask& operator=(const UsualUmask&) = delete;
  ~UsualUmask() { umask(before_); }

 private:
  mode_t before_;
};

std::string ReadThrough(FileCalls& calls, const std::string& path) {
  const int fd = calls.Open(path, O_RDONLY | O_NOFOLLOW, 0);
  if (fd < 0) return "errno " + std::to_string(-fd);
  std::string content(1 << 16, '\0');
  const ssize_t count = calls.Read(fd, content.data(), content.size(), 0);
  content.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  calls.Close(fd);
  return content;
}

// Everything below a folder, seen only through the calls.
Snapshot LookThrough(FileCalls& calls, const std::string& root) {
  Snapshot seen;
  std::vector<std::string> todo{root};
  while (!todo.empty()) {
    const std::string folder = todo.back();
    todo.pop_back();
    std::vector<std::string> names;
    EXPECT_EQ(calls.List(folder, names), 0) << folder;
    for (const std::string& name : names) {
      const std::string path = folder + "/" + name;
      struct stat info {};
      EXPECT_EQ(calls.InspectPath(path, info), 0) << path;
      seen[path] = {info.st_mode, S_ISREG(info.st_mode) ? ReadThrough(calls, path) : ""};
      if (S_ISDIR(info.st_mode)) todo.push_back(path);
    }
  }
  return seen;
}

std::vector<std::string> SortedList(FileCalls& calls, const std::string& path) {
  std::vector<std::string> names;
  const int result = calls.List(path, names);
  std::ranges::sort(names);
  if (result != 0) names.push_back("errno " + std::to_string(-result));
  return names;
}

// The part of an inode that must be equal: its kind and bits, and for files length and names.
std::vector<std::uint64_t> Facts(int result, const struct stat& info) {
  if (result != 0) return {static_cast<std::uint64_t>(-result)};
  if (S_ISDIR(info.st_mode)) return {0, info.st_mode, info.st_nlink > 0};
  return {0, info.st_mode, info.st_nlink, static_cast<std::uint64_t>(info.st_size)};
}

class Pair {
 public:
  Pair() {
    for (std::size_t slash = 1; slash != std::string::npos;) {
      slash = folder_.path().find('/', slash + 1);
      EXPECT_EQ(disk_.MakeFolder(folder_.path().substr(0, slash), 0700), 0);
    }
    Same([&](FileCalls& calls) { return calls.MakeFolder(folder_ / "inner", 0755); });
    MakeLink("a", Below("link"));
    MakeLink("d", Below("link-to-d"));
    MakeLink("made", Below("nowhere"));
    MakeLink("loop", Below("loop"));
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    for (const auto& [simulated, real] : files_) kernel_.Close(real);
  }

  // One level down, so that ".." is still ours.
  std::string Below(const std::string& name) const { return folder_ / "inner/" + name; }

  void MakeLink(const std::string& target, const std::string& path) {
    const int real = symlink(target.c_str(), path.c_str()) == 0 ? 0 : -errno;
    RC_ASSERT(disk_.MakeLink(target, path) == real);
  }

  template <class Do>
  void Same(Do call) {
    const auto real = call(static_cast<FileCalls&>(kernel_));
    RC_ASSERT(call(static_cast<FileCalls&>(disk_)) == real);
  }

  void Open(const std::string& path, int flags, mode_t mode) {
    const int real = kernel_.Open(path, flags, mode);
    const int simulated = disk_.Open(path, flags, mode);
    if (real >= 0) files_.emplace_back(simulated, real);
    RC_ASSERT(std::min(simulated, 0) == std::min(real, 0));
  }

  void Close(std::size_t which) {
    if (which >= files_.size()) return;
    Same([&](FileCalls& calls) { return calls.Close(Descriptor(calls, which)); });
    files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // One past the last stands for a descriptor that isn't open.
  int Descriptor(const FileCalls& calls, std::size_t which) const {
    if (which >= files_.size()) return -1;
    return &calls == &disk_ ? files_[which].first : files_[which].second;
  }

  std::size_t open_files() const { return files_.size(); }

  void LookTheSame() {
    RC_ASSERT(LookThrough(disk_, folder_.path()) == LookThrough(kernel_, folder_.path()));
  }

 private:
  TempFolder folder_;
  RealFileCalls kernel_;
  SimulatedDisk disk_;
  std::vector<std::pair<int, int>> files_;  // simulated and real
};

// One random step on both.
class Steps {
 public:
  explicit Steps(Pair& pair) : pair_(pair) {}

  void Take() {
    const int kind = *rc::gen::weightedElement<int>({{8, 0},
                                                     {3, 1},
                                                     {3, 2},
                                                     {6, 3},
                                                     {1, 4},
                                                     {3, 5},
                                                     {1, 6},
                                                     {2, 7},
                                                     {2, 8},
                                                     {2, 9},
                                                     {6, 10},
                                                     {3, 11},
                                                     {4, 12},
                                                     {2, 13},
                                                     {2, 14},
                                                     {1, 15}});
    switch (kind) {
      case 0:
        return Open();
      case 1:
        return pair_.Close(AnyFile());
      case 2:
        return Read();
      case 3:
        return Write();
      case 4:
        return OnFile([](FileCalls& calls, int fd) { return calls.Sync(fd); });
      case 5:
        return Truncate();
      case 6:
        return OnFile([](FileCalls& calls, int fd) { return calls.SyncData(fd); });
      case 7:
        return ChangeMode();
      case 8:
        return Inspect();
      case 9:
        return InspectPath();
      case 10:
        return Rename();
      case 11:
        return OnPath([](FileCalls& calls, const std::string& path) { return calls.Remove(path); });
      case 12:
        return MakeFolder();
      case 13:
        return OnPath(
            [](FileCalls& calls, const std::string& path) { return calls.RemoveFolder(path); });
      case 14:
        return OnPath(
            [](FileCalls& calls, const std::string& path) { return SortedList(calls, path); });
      default:
        return Lock();
    }
  }

 private:
  std::string AnyPath() {
    const auto name = *rc::gen::elementOf(std::vector<std::string>{
        "a",    "b",      "d",         "d/a",         "d/b",        "d/e",      "d/e/a",
        "e",    "link",   "link-to-d", "link-to-d/a", "nowhere",    "loop",     "none/a",
        "a/x",  "a/",     "d/",        "link/",       "link-to-d/", "nowhere/", "d/.",
        "d/..", "d/../a", "d/e/..",    "loop/a",      ".",          "..",       "d//e/"});
    return pair_.Below(name);
  }

  std::size_t AnyFile() { return *rc::gen::inRange<std::size_t>(0, pair_.open_files() + 1); }

  template <class Do>
  void OnFile(Do call) {
    const std::size_t file = AnyFile();
    pair_.Same([&](FileCalls& calls) { return call(calls, pair_.Descriptor(calls, file)); });
  }

  template <class Do>
  void OnPath(Do call) {
    const std::string path = AnyPath();
    pair_.Same([&](FileCalls& calls) { return call(calls, path); });
  }

  void Open() {
    int flags = *rc::gen::element(O_RDONLY, O_WRONLY, O_RDWR, O_RDWR);
    for (const int flag : {O_CREAT, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY, O_NOFOLLOW}) {
      if (*rc::gen::inRange(0, 3) == 0) flags |= flag;
    }
    pair_.Open(AnyPath(), flags | O_NONBLOCK, *rc::gen::element<mode_t>(0644, 0600, 0777));
  }

  void Read() {
    const auto count = *rc::gen::inRange<std::size_t>(0, 20);
    const auto offset = *rc::gen::inRange<off_t>(-1, 20);
    OnFile([&](FileCalls& calls, int fd) {
      std::string buffer(count, '-');
      const ssize_t result = calls.Read(fd, buffer.data(), count, offset);
      return std::to_string(result) + buffer;
    });
  }

  void Write() {
    const auto bytes = *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
    const auto times = *rc::gen::element<std::size_t>(1, 1, 1, 200);
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += bytes;
    OnFile([&](FileCalls& calls, int fd) { return calls.Write(fd, text.data(), text.size()); });
  }

  void Truncate() {
    const auto size = *rc::gen::element<off_t>(-1, 0, 1, 5, 40, 5000);
    OnFile([&](FileCalls& calls, int fd) { return calls.Truncate(fd, size); });
  }

  void ChangeMode() {
    const auto mode = *rc::gen::element<mode_t>(0777, 0755, 0700);
    OnFile([&](FileCalls& calls, int fd) { return calls.ChangeMode(fd, mode); });
  }

  void Inspect() {
    OnFile([](FileCalls& calls, int fd) {
      struct stat info {};
      const int result = calls.Inspect(fd, info);
      return Facts(result, info);
    });
  }

  void InspectPath() {
    OnPath([](FileCalls& calls, const std::string& path) {
      struct stat info {};
      const int result = calls.InspectPath(path, info);
      return Facts(result, info);
    });
  }

  void Rename() {
    const std::string to = AnyPath();
    OnPath([&](FileCalls& calls, const std::string& from) { return calls.Rename(from, to); });
  }

  void MakeFolder() {
    const auto mode = *rc::gen::element<mode_t>(0755, 0700, 01777);
    OnPath([&](FileCalls& calls, const std::string& path) { return calls.MakeFolder(path, mode); });
  }

  void Lock() {
    const int operation = *rc::gen::element(LOCK_SH, LOCK_EX, LOCK_UN, 3, 16);
    OnFile([&](FileCalls& calls, int fd) { return calls.Lock(fd, operation | LOCK_NB); });
  }

  Pair& pair_;
};

TEST(SimulatedDiskKernelTest, GivesWhatTheKernelGives) {
  const UsualUmask usual;
  EXPECT_TRUE(rc::check([] {
    Pair pair;
    pair.Open(pair.Below("a"), O_RDWR | O_CREAT, 0644);
    pair.Same([&](FileCalls& calls) { return calls.MakeFolder(pair.Below("d"), 0755); });
    Steps steps(pair);
    const int count = *rc::gen::inRange(0, 40);
    for (int i = 0; i < count; ++i) {
      steps.Take();
      pair.LookTheSame();
    }
  }));
}

TEST(SimulatedDiskKernelTest, LosesItsLockLikeTheKernelWhenItCantBeMadeExclusive) {
  const UsualUmask usual;
  Pair pair;
  for (int i = 0; i < 3; ++i) pair.Open(pair.Below("a"), O_RDWR | O_CREAT, 0644);
  const std::pair<std::size_t, int> kCalls[] = {
      {0, LOCK_SH}, {1, LOCK_SH}, {2, LOCK_EX}, {0, LOCK_EX}, {1, LOCK_EX}, {0, LOCK_SH},
      {1, LOCK_UN}, {1, LOCK_UN}, {2, LOCK_EX}, {0, LOCK_SH}, {0, LOCK_EX}, {1, LOCK_SH}};
  for (const auto& [file, operation] : kCalls) {
    pair.Same([&, file = file, operation = operation](FileCalls& calls) {
      return calls.Lock(pair.Descriptor(calls, file), operation | LOCK_NB);
    });
  }
}

}  // namespace
}  // namespace belay
