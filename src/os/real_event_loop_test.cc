#include "os/real_event_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "testing/temp_folder.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RealEventLoopTest : public ::testing::Test {
 protected:
  RealEventLoopTest() : loop_(std::move(*RealEventLoop::Create())) {}

  // Until the test stops it. A missing event fails here instead of hanging.
  void Run() {
    const TimerId patience = loop_->StartTimer(seconds(60), [this] {
      ADD_FAILURE() << "nothing happened";
      loop_->Stop();
    });
    loop_->Run();
    loop_->CancelTimer(patience);
  }

  std::unique_ptr<RealEventLoop> loop_;
};

TEST_F(RealEventLoopTest, FiresTimersInOrder) {
  std::string fired;
  const MonotonicTime now = loop_->Now();  // the same for all, however long this takes
  loop_->StartTimerAt(now + milliseconds(3), [&] { loop_->Stop(); });
  loop_->StartTimerAt(now + milliseconds(2), [&] { fired += "c"; });
  loop_->StartTimerAt(now + milliseconds(1), [&] { fired += "a"; });
  loop_->StartTimerAt(MonotonicTime(), [&] { fired += "0"; });
  Run();
  EXPECT_EQ(fired, "0ac");
}

TEST_F(RealEventLoopTest, NeverFiresATimerEarly) {
  const MonotonicTime due = loop_->Now() + std::chrono::microseconds(1500);
  loop_->StartTimerAt(due, [&] {
    EXPECT_GE(loop_->Now(), due);
    loop_->Stop();
  });
  Run();
}

TEST_F(RealEventLoopTest, SleepsUntilTheNextTimer) {
  loop_->StartTimer(milliseconds(50), [&] { loop_->Stop(); });
  rusage before{};
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &before), 0);
  Run();
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &after), 0);
  EXPECT_LE(after.ru_nvcsw - before.ru_nvcsw, 5);  // times that it went to sleep
  const auto busy = [](const rusage& usage) {
    return seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  EXPECT_LT(busy(after) - busy(before), milliseconds(25));
}

TEST_F(RealEventLoopTest, NeverFiresATimerThatACallbackCancelled) {
  bool fired = false;
  TimerId victim{};
  loop_->StartTimer(Duration(0), [&] { loop_->CancelTimer(victim); });
  victim = loop_->StartTimer(Duration(0), [&] { fired = true; });
  loop_->StartTimer(milliseconds(1), [&] { loop_->Stop(); });
  Run();
  EXPECT_FALSE(fired);
}

TEST_F(RealEventLoopTest, ATimerOfZeroStarvesNoOtherEvent) {
  TestPipe pipe;
  ASSERT_EQ(WriteAll(pipe.write.get(), "x"), 0);
  std::function<void()> again = [&] { loop_->StartTimer(Duration(0), again); };
  again();
  ASSERT_TRUE(loop_->Watch(pipe.read.get(), Readiness::kReadable, [&] { loop_->Stop(); }).ok());
  Run();
}

TEST_F(RealEventLoopTest, TakesATimerThatNeverComes) {
  loop_->StartTimer(Duration::max(), [] { ADD_FAILURE(); });
  loop_->StartTimer(Duration(0), [&] { loop_->Stop(); });
  Run();
}

TEST_F(RealEventLoopTest, FiresTenThousandTimersInOrder) {
  std::vector<MonotonicTime> fired;
  const MonotonicTime start = loop_->Now();
  for (int i = 0; i < 10'000; ++i) {
    const MonotonicTime due = start + std::chrono::microseconds((i * 7919) % 10'000);
    loop_->StartTimerAt(due, [&fired, due] { fired.push_back(due); });
  }
  loop_->StartTimerAt(start + milliseconds(10), [&] { loop_->Stop(); });
  Run();
  EXPECT_EQ(fired.size(), 10'000u);
  EXPECT_TRUE(std::is_sorted(fired.begin(), fired.end()));
}

TEST_F(RealEventLoopTest, ReportsWhatIsReadableAndWhatIsWritable) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd a(ends[0]);
  const UniqueFd b(ends[1]);
  // Both on the same descriptor: first it can only be written, then both.
  std::string seen;
  WatchId writable{};
  ASSERT_TRUE(loop_
                  ->Watch(a.get(), Readiness::kReadable,
                          [&] {
                            seen += "r";
                            loop_->Stop();
                          })
                  .ok());
  writable = *loop_->Watch(a.get(), Readiness::kWritable, [&] {
    seen += "w";
    loop_->Unwatch(writable);
    ASSERT_EQ(WriteAll(b.get(), "x"), 0);
  });
  Run();
  EXPECT_EQ(seen, "wr");
}

TEST_F(RealEventLoopTest, CountsAHangUpAsReadable) {
  TestPipe pipe;
  ASSERT_TRUE(loop_->Watch(pipe.read.get(), Readiness::kReadable, [&] { loop_->Stop(); }).ok());
  pipe.write.Reset();
  Run();
}

TEST_F(RealEventLoopTest, NeverCallsAWatchThatWasEndedInTheSameRound) {
  TestPipe pipes[2];
  WatchId ids[2];
  int calls = 0;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(WriteAll(pipes[i].write.get(), "x"), 0);
    ids[i] = *loop_->Watch(pipes[i].read.get(), Readiness::kReadable, [&, i] {
      ++calls;
      loop_->Unwatch(ids[1 - i]);
      loop_->Unwatch(ids[i]);
      loop_->StartTimer(Duration(0), [&] { loop_->Stop(); });
    });
  }
  Run();
  EXPECT_EQ(calls, 1);
}

TEST_F(RealEventLoopTest, GivesNoEventOfAClosedDescriptorToItsSuccessor) {
  TestPipe old_pipe;
  TestPipe other;
  TestPipe fresh;
  ASSERT_EQ(WriteAll(old_pipe.write.get(), "x"), 0);
  ASSERT_EQ(WriteAll(other.write.get(), "x"), 0);
  const int number = old_pipe.read.get();
  WatchId ids[2];
  // The kernel reports both in one round. The first callback replaces the second pipe by an empty
  // one.
  const auto replace = [&] {
    for (const WatchId id : ids) loop_->Unwatch(id);
    ASSERT_EQ(dup3(fresh.read.get(), number, O_CLOEXEC), number);
    ASSERT_TRUE(loop_->Watch(number, Readiness::kReadable, [] { ADD_FAILURE(); }).ok());
    loop_->StartTimer(milliseconds(1), [&] { loop_->Stop(); });
  };
  ids[0] = *loop_->Watch(other.read.get(), Readiness::kReadable, replace);
  ids[1] = *loop_->Watch(number, Readiness::kReadable, replace);
  Run();
}

TEST_F(RealEventLoopTest, RefusesWhatCantBeWaitedFor) {
  const TempFolder folder;
  folder.Write("file", "x");
  const UniqueFd file(open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(loop_->Watch(file.get(), Readiness::kReadable, [] {}).ok());
  EXPECT_EQ(loop_->Watch(987'654, Readiness::kReadable, [] {}).error().message,
            "watch descriptor 987654: Bad file descriptor");
}

TEST_F(RealEventLoopTest, WakesWhenAChildDies) {
  TestPipe input;
  auto child = Process::Spawn({.command = {"cat"}, .input = input.read.get()});
  ASSERT_TRUE(child);
  std::optional<ExitStatus> status;
  ASSERT_TRUE(loop_
                  ->WatchProcess(*child,
                                 [&] {
                                   status = child->TryWait();
                                   loop_->Stop();
                                 })
                  .ok());
  loop_->Post([&] { ASSERT_TRUE(child->Signal(SIGKILL).ok()); });
  Run();
  EXPECT_EQ(status, ExitStatus::Killed(SIGKILL));
}

TEST_F(RealEventLoopTest, WakesWhenTheChildOfAnotherProcessDies) {
  TestPipe input;
  TestPipe out;
  auto shell = Process::Spawn({.command = {"sh", "-c", "cat <&3 & echo $!; wait"},
                               .output = out.write.get(),
                               .more_fds = {{input.read.get(), 3}}});
  ASSERT_TRUE(shell);
  auto cat = Process::Open(std::stoi(out.ReadLine()));
  ASSERT_TRUE(cat.ok());
  std::optional<ExitStatus> status;
  ASSERT_TRUE(loop_
                  ->WatchProcess(*cat,
                                 [&] {
                                   status = cat->TryWait();
                                   loop_->Stop();
                                 })
                  .ok());
  loop_->Post([&] { ASSERT_TRUE(cat->Signal(SIGKILL).ok()); });
  Run();
  EXPECT_TRUE(status == ExitStatus::Killed(SIGKILL) || status == ExitStatus::Unknown());
  EXPECT_EQ(shell->Wait(), ExitStatus::Exited(0));
}

TEST_F(RealEventLoopTest, ReportsADeathOnceEvenIfItHappenedBefore) {
  auto child = Process::Spawn({.command = {"true"}});
  ASSERT_TRUE(child);
  child->Wait();
  int deaths = 0;
  ASSERT_TRUE(loop_
                  ->WatchProcess(*child,
                                 [&] {
                                   ++deaths;
                                   loop_->StartTimer(milliseconds(1), [&] { loop_->Stop(); });
                                 })
                  .ok());
  child = tl::unexpected(ExecFailure{});  // the watch doesn't need it
  Run();
  EXPECT_EQ(deaths, 1);
}

TEST_F(RealEventLoopTest, ReportsSignals) {
  std::string seen;
  ASSERT_TRUE(loop_->WatchSignal(SIGUSR1, [&] { seen += "1"; }).ok());
  ASSERT_TRUE(loop_
                  ->WatchSignal(SIGUSR2,
                                [&] {
                                  seen += "2";
                                  loop_->Stop();
                                })
                  .ok());
  loop_->Post([] { ASSERT_EQ(kill(getpid(), SIGUSR1), 0); });
  loop_->StartTimer(milliseconds(1), [] { ASSERT_EQ(kill(getpid(), SIGUSR2), 0); });
  Run();
  EXPECT_EQ(seen, "12");
}

TEST_F(RealEventLoopTest, LeavesTheSignalsAsTheyWere) {
  const WatchId first = *loop_->WatchSignal(SIGUSR1, [] {});
  const WatchId second = *loop_->WatchSignal(SIGUSR1, [] {});
  ASSERT_TRUE(loop_->WatchSignal(SIGUSR2, [] {}).ok());
  const auto blocked = [](int signal) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, signal) == 1;
  };
  loop_->Unwatch(first);
  EXPECT_TRUE(blocked(SIGUSR1));
  loop_->Unwatch(second);
  EXPECT_FALSE(blocked(SIGUSR1));
  EXPECT_TRUE(blocked(SIGUSR2));
  loop_.reset();
  EXPECT_FALSE(blocked(SIGUSR2));
}

TEST_F(RealEventLoopTest, RefusesSignalsThatCannotBeCaught) {
  for (const int signal : {SIGKILL, SIGSTOP, 0, -1, 1000}) {
    EXPECT_EQ(loop_->WatchSignal(signal, [] {}).error().code, ErrorCode::kRefused) << signal;
  }
}

TEST_F(RealEventLoopTest, ReportsChangesOfNamesInAFolder) {
  const TempFolder folder;
  folder.MakeFolder("inbox");
  std::vector<FolderEvent> events;
  ASSERT_TRUE(loop_
                  ->WatchFolder(folder / "inbox",
                                [&](const FolderEvent& event) {
                                  events.push_back(event);
                                  if (event.name == "last") loop_->Stop();
                                })
                  .ok());
  folder.Write("outside", "x");
  folder.Write("inbox/made", "x");
  std::filesystem::rename(folder / "outside", folder / "inbox/moved");
  std::filesystem::rename(folder / "inbox/made", folder / "away");
  std::filesystem::remove(folder / "inbox/moved");
  folder.Write("inbox/last", "");
  Run();
  const std::vector<FolderEvent> expected = {{FolderChange::kCreated, "made"},
                                             {FolderChange::kMovedIn, "moved"},
                                             {FolderChange::kDeleted, "made"},
                                             {FolderChange::kDeleted, "moved"},
                                             {FolderChange::kCreated, "last"}};
  EXPECT_EQ(events, expected);
}

TEST_F(RealEventLoopTest, NotifiesOnlyContentWatchesThatAFileGrew) {
  const TempFolder folder;
  folder.MakeFolder("journals");
  folder.Write("journals/a", "one");
  std::vector<FolderEvent> names;
  std::vector<FolderEvent> content;
  ASSERT_TRUE(loop_
                  ->WatchFolderContent(folder / "journals",
                                       [&](const FolderEvent& event) {
                                         content.push_back(event);
                                         loop_->Stop();
                                       })
                  .ok());
  ASSERT_TRUE(loop_
                  ->WatchFolder(folder / "journals",
                                [&](const FolderEvent& event) { names.push_back(event); })
                  .ok());
  std::ofstream(folder / "journals/a", std::ios::app) << "two";
  Run();
  EXPECT_EQ(content, (std::vector<FolderEvent>{{FolderChange::kWritten, "a"}}));
  EXPECT_TRUE(names.empty());
}

TEST_F(RealEventLoopTest, ReportsThatTheFolderItselfIsGone) {
  const TempFolder folder;
  for (const char* name : {"deleted", "moved"}) folder.MakeFolder(name);
  int gone = 0;
  const auto count = [&](const FolderEvent& event) {
    EXPECT_EQ(event, (FolderEvent{FolderChange::kGone, ""}));
    if (++gone == 2) loop_->Stop();
  };
  ASSERT_TRUE(loop_->WatchFolder(folder / "deleted", count).ok());
  ASSERT_TRUE(loop_->WatchFolder(folder / "moved", count).ok());
  std::filesystem::remove(folder / "deleted");
  std::filesystem::rename(folder / "moved", folder / "elsewhere");
  folder.Write("elsewhere/later", "");
  Run();
}

TEST_F(RealEventLoopTest, NotifiesAllWatchesOfAFolderUntilTheyStop) {
  const TempFolder folder;
  std::string seen;
  WatchId first{};
  first = *loop_->WatchFolder(folder.path(), [&](const FolderEvent& event) {
    seen += "1" + event.name;
    loop_->Unwatch(first);
  });
  ASSERT_TRUE(loop_
                  ->WatchFolder(folder.path(),
                                [&](const FolderEvent& event) {
                                  seen += "2" + event.name;
                                  if (event.name == "b") loop_->Stop();
                                })
                  .ok());
  folder.Write("a", "");
  folder.Write("b", "");
  Run();
  EXPECT_EQ(seen, "1a2a2b");
}

TEST_F(RealEventLoopTest, ReportsAMissingFolder) {
  const TempFolder folder;
  folder.Write("file", "");
  for (const char* name : {"missing", "file"}) {
    EXPECT_EQ(loop_->WatchFolder(folder / name, [](const FolderEvent&) {}).error().code,
              ErrorCode::kNotFound);
  }
}

TEST_F(RealEventLoopTest, RunsWhatOtherThreadsPost) {
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  int sum = 0;  // touched by the loop's thread only
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        loop_->Post([&] {
          if (++sum == kThreads * kEach) loop_->Stop();
        });
      }
    });
  }
  Run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, kThreads * kEach);
}

TEST_F(RealEventLoopTest, RunsWhatWasPostedInOrderAlsoFromCallbacks) {
  std::string seen;
  loop_->Post([&] {
    seen += "a";
    loop_->Post([&] {
      seen += "c";
      loop_->Stop();
    });
  });
  loop_->Post([&] { seen += "b"; });
  Run();
  EXPECT_EQ(seen, "abc");
}

TEST_F(RealEventLoopTest, IsStoppedByAnotherThread) {
  std::thread other([&] { loop_->Stop(); });
  Run();
  other.join();
}

TEST_F(RealEventLoopTest, ReturnsAtOnceWhenStoppedBeforeAndThenRunsAgain) {
  loop_->Stop();
  Run();
  bool fired = false;
  loop_->StartTimer(Duration(0), [&] {
    fired = true;
    loop_->Stop();
  });
  Run();
  EXPECT_TRUE(fired);
}

}  // namespace
}  // namespace belay
