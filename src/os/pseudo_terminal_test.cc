#include "os/pseudo_terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing/temp_folder.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

std::string ReadUntilEnd(const PseudoTerminal& terminal, Process& process) {
  (void)process.Wait();
  std::string text;
  char buffer[4096];
  for (std::size_t count = 0; (count = terminal.Read(buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, count);
  }
  return text;
}

HeldRequest Shell(const std::string& script) {
  return {{"sh", "-c", script}, "/", {{"PATH", getenv("PATH")}, {"A", "b"}}};
}

TEST(PseudoTerminal, TheProgramLeadsASessionOnIt) {
  const auto terminal = PseudoTerminal::Open({30, 100});
  ASSERT_TRUE(terminal.ok());
  auto held =
      HeldProcess::Start(Shell("stty size; echo $A; pwd; ps -o sid=,tpgid= -p $$"), *terminal);
  ASSERT_TRUE(held.has_value());
  const std::string pid = std::to_string(held->process().pid());
  ASSERT_TRUE(held->LetGo().has_value());
  const std::string out = ReadUntilEnd(*terminal, held->process());
  EXPECT_EQ(out.find("30 100\r\nb\r\n/\r\n"), 0u) << out;
}

TEST(PseudoTerminal, TheProgramGetsNothingOfOurs) {
  const auto terminal = PseudoTerminal::Open({});
  const int open_at_exec = open("/dev/null", O_RDONLY);  // without close-on-exec
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  auto held = HeldProcess::Start(
      // No pipe: the shell would have its ends open for a moment.
      Shell("ls -1 /proc/$$/fd; grep -c 'SigBlk:.0000000000000000' /proc/self/status"), *terminal);
  pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(held->LetGo().has_value());
  const std::string out = ReadUntilEnd(*terminal, held->process());
  EXPECT_EQ(out, "0\r\n1\r\n2\r\n1\r\n");
  close(open_at_exec);
}

TEST(PseudoTerminal, WhoIsNotLetGoEndsWithoutRunning) {
  const TempFolder folder;
  const auto terminal = PseudoTerminal::Open({});
  std::optional<Process> process;
  {
    auto held = HeldProcess::Start(Shell("touch " + (folder / "ran")), *terminal);
    ASSERT_TRUE(held.has_value());
    process = std::move(held->process());
  }
  EXPECT_EQ(process->Wait(), ExitStatus::Exited(127));
  EXPECT_NE(access((folder / "ran").c_str(), F_OK), 0);
}

TEST(PseudoTerminal, WhoIsHeldEndsWhenItsParentIsKilled) {
  const TempFolder folder;
  TestPipe pids;
  const pid_t parent = fork();
  if (parent == 0) {
    const auto terminal = PseudoTerminal::Open({});
    auto held = HeldProcess::Start(Shell("touch " + (folder / "ran")), *terminal);
    (void)WriteAll(pids.write.get(), std::to_string(held->process().pid()) + "\n");
    pause();
    _exit(0);
  }
  auto held = Process::Open(std::stoi(pids.ReadLine()));
  ASSERT_TRUE(held.ok());
  EXPECT_FALSE(held->TryWait().has_value());
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  (void)held->Wait();
  EXPECT_NE(access((folder / "ran").c_str(), F_OK), 0);
}

TEST(PseudoTerminal, AProgramThatCannotRunReportsWhy) {
  const auto terminal = PseudoTerminal::Open({});
  auto missing = HeldProcess::Start({{"no-such-program"}, "/", {{"PATH", "/bin"}}}, *terminal);
  ASSERT_TRUE(missing.has_value());
  const auto gone = missing->LetGo();
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().AsError().message, "exec no-such-program: No such file or directory");
  EXPECT_EQ(missing->process().Wait(), ExitStatus::Exited(127));
  const auto nowhere = HeldProcess::Start({{"true"}, "/no/such", {}}, *terminal);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().stage, SpawnStage::kFolder);
}

TEST(PseudoTerminal, LooksTheProgramUpInItsOwnPath) {
  TempFolder folder;
  folder.Write("mine", "#!/bin/sh\necho mine\n");
  ASSERT_EQ(chmod((folder / "mine").c_str(), 0755), 0);
  const auto terminal = PseudoTerminal::Open({});
  auto held = HeldProcess::Start({{"mine"}, "/", {{"PATH", folder.path()}}}, *terminal);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(held->LetGo().has_value());
  EXPECT_EQ(ReadUntilEnd(*terminal, held->process()), "mine\r\n");
}

TEST(PseudoTerminal, AProgramThatClosesItDoesNotHangItUp) {
  const auto terminal = PseudoTerminal::Open({});
  TestPipe go;
  auto held = HeldProcess::Start(Shell("exec >&- 2>&- <&-; kill -STOP $$"), *terminal);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(held->LetGo().has_value());
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(held->process().pid()), &info, WSTOPPED), 0);
  pollfd ready{terminal->fd(), POLLIN, 0};
  EXPECT_EQ(poll(&ready, 1, 0), 0);
  ASSERT_TRUE(held->process().Signal(SIGKILL).ok());
  (void)held->process().Wait();
}

}  // namespace
}  // namespace belay
