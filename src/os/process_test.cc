#include "os/process.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "testing/temp_folder.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

// Runs to its end; what it printed.
std::string OutputOf(SpawnRequest request) {
  TestPipe out;
  request.output = out.write.get();
  auto process = Process::Spawn(request);
  if (!process) return process.error().AsError().message;
  const std::string text = out.ReadAll();
  process->Wait();
  return text;
}

ExitStatus StatusOf(const std::string& script) {
  auto process = Process::Spawn({.command = {"sh", "-c", script}});
  return process ? process->Wait() : ExitStatus::Unknown();
}

// The status of another process's child: older kernels don't report it.
bool KilledOrUnknown(const ExitStatus& status) {
  return status == ExitStatus::Killed(SIGKILL) || status == ExitStatus::Unknown();
}

bool KernelReportsReaped() {
  utsname name{};
  int major = 0;
  int minor = 0;
  EXPECT_EQ(uname(&name), 0);
  EXPECT_EQ(std::sscanf(name.release, "%d.%d", &major, &minor), 2);
  return major > 6 || (major == 6 && minor >= 15);
}

// A shell with a `cat` in the background, which ends when we close `input`, or when the test dies.
class Family {
 public:
  // `rest` is what the shell does after it has started the cat.
  explicit Family(const std::string& rest)
      : shell_(*Process::Spawn({.command = {"sh", "-c", "cat <&3 & echo $!; " + rest},
                                .input = shell_input_.read.get(),
                                .output = out_.write.get(),
                                .more_fds = {{input.read.get(), 3}},
                                .group = SpawnGroup::kNewSession})),
        cat_(*Process::Open(std::stoi(out_.ReadLine()))) {
    input.read.Reset();
  }
  ~Family() {
    (void)shell_.SignalGroup(SIGKILL);
    shell_.Wait();
    cat_.Wait();
  }

  Process& shell() { return shell_; }
  Process& cat() { return cat_; }
  std::string ReadLine() const { return out_.ReadLine(); }

  TestPipe input;

 private:
  TestPipe shell_input_;
  TestPipe out_;
  Process shell_;
  Process cat_;
};

TEST(ProcessTest, GivesTheExitCodeAsAValue) {
  EXPECT_EQ(StatusOf("exit 0"), ExitStatus::Exited(0));
  EXPECT_EQ(StatusOf("exit 3"), ExitStatus::Exited(3));
}

TEST(ProcessTest, GivesTheSignalAsAValue) {
  EXPECT_EQ(StatusOf("kill -KILL $$"), ExitStatus::Killed(SIGKILL));
  EXPECT_EQ(StatusOf("kill -TERM $$"), ExitStatus::Killed(SIGTERM));
}

TEST(ProcessTest, GivesTheSameResultWhenAskedAgain) {
  auto process = Process::Spawn({.command = {"sh", "-c", "exit 7"}});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->Wait(), ExitStatus::Exited(7));
  EXPECT_EQ(process->Wait(), ExitStatus::Exited(7));
  EXPECT_EQ(process->TryWait(), ExitStatus::Exited(7));
}

TEST(ProcessTest, GivesNothingWhileItRuns) {
  TestPipe input;
  auto process = Process::Spawn({.command = {"cat"}, .input = input.read.get()});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->TryWait(), std::nullopt);
  input.write.Reset();
  EXPECT_EQ(process->Wait(), ExitStatus::Exited(0));
}

TEST(ProcessTest, ReportsThatThereIsNoSuchProgram) {
  const auto process = Process::Spawn({.command = {"/no-such-program"}});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().stage, SpawnStage::kExec);
  EXPECT_EQ(process.error().error, ENOENT);
  EXPECT_EQ(process.error().AsError().message, "exec /no-such-program: No such file or directory");
  EXPECT_EQ(process.error().AsError().code, ErrorCode::kNotFound);
}

TEST(ProcessTest, ReportsThatThereIsNoSuchProgramInThePath) {
  const auto process = Process::Spawn({.command = {"no-such-program-here"}});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().stage, SpawnStage::kExec);
  EXPECT_EQ(process.error().object, "no-such-program-here");
}

TEST(ProcessTest, ReportsThatTheProgramCantBeRun) {
  const TempFolder folder;
  folder.Write("text", "just words");
  const auto process = Process::Spawn({.command = {"./text"}, .folder = folder.path()});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().stage, SpawnStage::kExec);
  EXPECT_EQ(process.error().error, EACCES);
}

TEST(ProcessTest, ReportsThatTheFolderIsMissingAndNotTheProgram) {
  const TempFolder folder;
  const auto process = Process::Spawn({.command = {"cat"}, .folder = folder / "gone"});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().stage, SpawnStage::kFolder);
  EXPECT_EQ(process.error().error, ENOENT);
  EXPECT_EQ(process.error().object, folder / "gone");
}

TEST(ProcessTest, ReportsThatTheFolderIsAFile) {
  const TempFolder folder;
  folder.Write("file", "");
  const auto process = Process::Spawn({.command = {"cat"}, .folder = folder / "file"});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().stage, SpawnStage::kFolder);
  EXPECT_EQ(process.error().error, ENOTDIR);
}

TEST(ProcessTest, ReportsThatADescriptorIsNotOpen) {
  const auto process = Process::Spawn({.command = {"cat"}, .input = 987'654});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().AsError().message, "dup 987654: Bad file descriptor");
}

TEST(ProcessTest, RunsInTheGivenFolder) {
  const TempFolder folder;
  EXPECT_EQ(OutputOf({.command = {"pwd", "-P"}, .folder = folder.path()}), folder.path() + "\n");
}

TEST(ProcessTest, ReplacesTheWholeEnvironment) {
  EXPECT_EQ(OutputOf({.command = {"env"}, .environment = {{{"A", "1"}, {"B", "x y"}}}}),
            "A=1\nB=x y\n");
  EXPECT_EQ(OutputOf({.command = {"env"}, .environment = Environment::Variables()}), "");
}

TEST(ProcessTest, InheritsTheEnvironmentByDefault) {
  ASSERT_EQ(setenv("BELAY_TEST_WORD", "hello", 1), 0);
  EXPECT_EQ(OutputOf({.command = {"sh", "-c", "echo $BELAY_TEST_WORD"}}), "hello\n");
  ASSERT_EQ(unsetenv("BELAY_TEST_WORD"), 0);
}

// A child that gets two pipes under these numbers writes into the right ones.
void ExpectPassedOn(TestPipe& a, int a_theirs, TestPipe& b, int b_theirs) {
  const std::string script = fmt::format("echo a >&{}; echo b >&{}", a_theirs, b_theirs);
  auto process =
      Process::Spawn({.command = {"bash", "-c", script},  // dash knows no numbers above 9
                      .more_fds = {{a.write.get(), a_theirs}, {b.write.get(), b_theirs}}});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->Wait(), ExitStatus::Exited(0));
  EXPECT_EQ(a.ReadLine(), "a");
  EXPECT_EQ(b.ReadLine(), "b");
}

TEST(ProcessTest, PassesDescriptorsOnInEachOthersPlace) {
  TestPipe a;
  TestPipe b;
  ExpectPassedOn(a, b.write.get(), b, a.write.get());
}

TEST(ProcessTest, PassesDescriptorsOnUnderNumbersThatAreFreeHere) {
  TestPipe a;
  TestPipe b;
  const int taken = b.write.get();
  for (int i = 1; i < 10; ++i) ExpectPassedOn(a, taken + i + 1, b, taken + i);
}

TEST(ProcessTest, PassesNoOtherDescriptorOnEvenIfItLacksCloseOnExec) {
  const UniqueFd leak(fcntl(0, F_DUPFD, 100));  // NOLINT(android-cloexec-fcntl): that is the point
  ASSERT_TRUE(leak);
  EXPECT_EQ(StatusOf("test -e /proc/$$/fd/2"), ExitStatus::Exited(0));
  EXPECT_EQ(StatusOf("test -e /proc/$$/fd/" + std::to_string(leak.get())), ExitStatus::Exited(1));
}

TEST(ProcessTest, StartsWithoutOurBlockedAndIgnoredSignals) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(StatusOf("kill -TERM $$"), ExitStatus::Killed(SIGTERM));
  EXPECT_EQ(StatusOf("kill -PIPE $$"), ExitStatus::Killed(SIGPIPE));
  (void)std::signal(SIGPIPE, handler);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST(ProcessTest, LeadsAGroupOrASessionAsAsked) {
  const std::string script = "cut -d' ' -f5,6 /proc/$$/stat; echo $$";
  const auto ids = [&](SpawnGroup group) {
    return OutputOf({.command = {"sh", "-c", script}, .group = group});
  };
  const std::string ours = std::to_string(getpgrp()) + " " + std::to_string(getsid(0)) + "\n";
  EXPECT_TRUE(ids(SpawnGroup::kOurs).starts_with(ours));
  const std::string session = ids(SpawnGroup::kNewSession);
  const std::string leader = session.substr(0, session.find(' '));
  EXPECT_EQ(session, leader + " " + leader + "\n" + leader + "\n");
}

TEST(ProcessTest, KillsAWholeGroup) {
  Family family("wait");
  ASSERT_TRUE(family.shell().SignalGroup(SIGKILL).ok());
  EXPECT_EQ(family.shell().Wait(), ExitStatus::Killed(SIGKILL));
  EXPECT_TRUE(KilledOrUnknown(family.cat().Wait()));
}

TEST(ProcessTest, KillsAGroupWhoseLeaderIsGone) {
  Family family("exit 0");
  EXPECT_EQ(family.shell().Wait(), ExitStatus::Exited(0));
  ASSERT_TRUE(family.shell().SignalGroup(SIGKILL).ok());
  EXPECT_TRUE(KilledOrUnknown(family.cat().Wait()));
}

TEST(ProcessTest, SignalsNoProcessAfterTheEnd) {
  auto process = Process::Spawn({.command = {"true"}});
  ASSERT_TRUE(process);
  process->Wait();
  EXPECT_EQ(process->Signal(SIGTERM).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(process->SignalGroup(SIGTERM).error().code, ErrorCode::kNotFound);
}

TEST(ProcessTest, OpensWhatIsNoChildAndSeesItEnd) {
  Family family("wait");
  EXPECT_EQ(*ParentOf(family.cat().pid()), family.shell().pid());
  EXPECT_EQ(family.cat().TryWait(), std::nullopt);
  ASSERT_TRUE(family.cat().Signal(SIGKILL).ok());
  EXPECT_TRUE(KilledOrUnknown(family.cat().Wait()));
}

TEST(ProcessTest, KnowsHowAProcessEndedThatAnotherOneReaped) {
  Family family("wait; echo reaped; exec cat");
  ASSERT_TRUE(family.cat().Signal(SIGKILL).ok());
  ASSERT_EQ(family.ReadLine(), "reaped");
  EXPECT_EQ(family.cat().TryWait(),
            KernelReportsReaped() ? ExitStatus::Killed(SIGKILL) : ExitStatus::Unknown());
}

TEST(ProcessTest, KnowsTheStatusOfAZombieThatIsNoChild) {
  // The shell becomes another cat, which never reaps its child.
  Family family("exec cat");
  family.input.write.Reset();
  EXPECT_EQ(family.cat().Wait(), ExitStatus::Exited(0));
}

TEST(ProcessTest, OpensNoProcessThatDoesNotExist) {
  auto process = Process::Spawn({.command = {"true"}});
  ASSERT_TRUE(process);
  process->Wait();
  EXPECT_EQ(Process::Open(process->pid()).error().code, ErrorCode::kNotFound);
}

TEST(ProcessTest, OpensByIdentityOnlyTheVeryProcess) {
  TestPipe input;
  auto process = Process::Spawn({.command = {"cat"}, .input = input.read.get()});
  ASSERT_TRUE(process);
  const ProcessIdentity identity = *IdentityOf(process->pid());
  EXPECT_TRUE(Process::Open(identity).ok());
  ProcessIdentity reused = identity;
  reused.start_time += 1;
  EXPECT_EQ(Process::Open(reused).error().code, ErrorCode::kNotFound);
  input.write.Reset();
  process->Wait();
  EXPECT_EQ(Process::Open(identity).error().code, ErrorCode::kNotFound);
}

TEST(ProcessTest, CountsAZombieAsDead) {
  TestPipe input;
  auto process = Process::Spawn({.command = {"cat"}, .input = input.read.get()});
  ASSERT_TRUE(process);
  const ProcessIdentity identity = *IdentityOf(process->pid());
  EXPECT_TRUE(IsAlive(identity));
  input.write.Reset();
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(identity.pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(*IdentityOf(process->pid()), identity);
  EXPECT_FALSE(IsAlive(identity));
  EXPECT_EQ(DeadChild(), identity.pid);
  process->Wait();
  EXPECT_FALSE(IsAlive(identity));
  EXPECT_EQ(DeadChild(), std::nullopt);
}

TEST(ProcessTest, AdoptsADoublyForkedGrandchildAsASubreaper) {
  ASSERT_TRUE(BecomeSubreaper().ok());
  {
    Family family("exit 0");
    EXPECT_EQ(family.shell().Wait(), ExitStatus::Exited(0));
    EXPECT_EQ(*ParentOf(family.cat().pid()), getpid());
    family.input.write.Reset();
    EXPECT_EQ(family.cat().Wait(), ExitStatus::Exited(0));
    EXPECT_EQ(family.cat().Signal(0).error().code, ErrorCode::kNotFound);  // reaped, by us
  }
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

}  // namespace
}  // namespace belay
