// Agents that behave strangely, under the real guardian; and what it says to a service manager.

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "guard_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GuardAgentsTest : public GuardSandbox {
 protected:
  // Waits for a script to name a process in a file.
  ProcessIdentity NamedIn(const std::string& file) {
    EXPECT_TRUE(Await([&] { return folder_.Read(file).find('\n') != std::string::npos; }));
    const Result<ProcessIdentity> found = IdentityOf(std::stoi("0" + folder_.Read(file)));
    EXPECT_TRUE(found.ok()) << file;
    return found ? *found : ProcessIdentity{0, 0, ""};
  }
  std::string In(const std::string& file) { return "\"" + folder_ / file + "\""; }
};

TEST_F(GuardAgentsTest, ChildrenOfADeadAgentAreEndedBeforeItRestarts) {
  StartGuardian();
  const Identity agent = Start("login", "case $BELAY_AGENT_ID in\n*#1) sleep 600 & echo $! >" +
                                            In("child") + " ;;\nesac\n" + std::string(kWaits));
  const ProcessIdentity child = NamedIn("child");
  ASSERT_TRUE(IsAlive(child));
  Kill(agent);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_FALSE(IsAlive(child));
  EXPECT_THAT(Incarnations("login"), ElementsAre("orchestrator-login#2"));
}

TEST_F(GuardAgentsTest, ADaemonOfADeadAgentIsEndedBeforeItRestarts) {
  StartGuardian();
  const Identity agent =
      Start("login", "case $BELAY_AGENT_ID in\n*#1) (setsid sh -c 'trap \"\" TERM HUP; echo $$ >" +
                         In("daemon") + "; while :; do sleep 1; done' &) ;;\nesac\n" +
                         std::string(kWaits));
  const ProcessIdentity daemon = NamedIn("daemon");
  ASSERT_TRUE(IsAlive(daemon));
  Kill(agent);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_FALSE(IsAlive(daemon));
}

TEST_F(GuardAgentsTest, AnAgentThatDaemonisesHasEndedAndTakesItsDaemonWithIt) {
  ASSERT_EQ(RunReal({"mkfifo", folder_ / "go"}).exit_code, 0);
  StartGuardian();
  Start("login", "(setsid sh -c 'trap \"\" TERM HUP; echo $$ >" + In("daemon") +
                     "; while :; do sleep 1; done' &)\nread -r line <" + In("go") + "\nexit 0\n");
  const Result<Process> daemon = Process::Open(NamedIn("daemon"));
  ASSERT_TRUE(daemon.ok());
  ASSERT_EQ(RunReal({"sh", "-c", "echo >" + In("go")}).exit_code, 0);
  EXPECT_EQ(AwaitStatus("login", 1, AgentStatus::kTerminated).exit->cause, ExitCause::kClean);
  EXPECT_TRUE(EndsWithin(*daemon, kBound));
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
}

TEST_F(GuardAgentsTest, AnAgentThatIgnoresTermIsStoppedAllTheSame) {
  Supervise({"stop_grace: 200ms"});
  StartGuardian();
  const Identity agent =
      Start("login", "trap '' TERM\necho >" + In("ready") + "\n" + std::string(kWaits));
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(folder_ / "ready"); }));
  ASSERT_EQ(Belay({"stop", "login"}).exit_code, 0);
  EXPECT_FALSE(Lives(agent.process));
  AwaitStatus("login", 1, AgentStatus::kTerminated);
}

TEST_F(GuardAgentsTest, AnAgentThatIsReplacedByAnotherProgramIsTheSameAgent) {
  StartGuardian();
  const Identity agent =
      Start("login", "exec sh -c 'echo $$ >" + In("pid-$BELAY_AGENT_ID") + "; exec sleep 600'\n");
  const ProcessIdentity replaced = NamedIn("pid-orchestrator-login#1");
  EXPECT_EQ(replaced.pid, agent.process->pid);
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
  Kill(agent);
  AwaitStatus("login", 2, AgentStatus::kAlive);
}

TEST_F(GuardAgentsTest, AnAgentThatEndsAtOnceIsRecordedAsItEnded) {
  StartGuardian();
  Spawn("done", {AgentScript("done", "exit 0\n")});
  Spawn("failed", {AgentScript("failed", "exit 3\n")}, {"--no-respawn"});
  EXPECT_EQ(AwaitStatus("done", 1, AgentStatus::kTerminated).exit->code, 0);
  EXPECT_EQ(AwaitStatus("failed", 1, AgentStatus::kCrashed).exit->code, 3);
}

TEST_F(GuardAgentsTest, NotifiesTheServiceManagerThatItIsReadyAndWell) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder_ / "notify";
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const timeval bound{60, 0};
  ASSERT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof(bound)), 0);
  const auto next = [&] {
    char text[100];
    const ssize_t count = recv(socket.get(), text, sizeof(text), 0);
    return std::string(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  };
  Process& guardian = StartGuardian({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "200000"}});
  std::vector<std::string> first = {next(), next()};
  EXPECT_THAT(first, ::testing::UnorderedElementsAre("READY=1", "WATCHDOG=1"));
  EXPECT_EQ(next(), "WATCHDOG=1");
  EXPECT_EQ(next(), "WATCHDOG=1");
  EndGuardian(guardian);
  std::string last = next();
  while (last == "WATCHDOG=1") last = next();
  EXPECT_EQ(last, "STOPPING=1");
}

class GuardAgentsKillTest : public GuardAgentsTest {
 protected:
  // The most that a process ever had in memory, in kB.
  static std::uint64_t MostMemoryOf(std::int64_t pid) {
    const std::string status = ReadProcFile(fmt::format("/proc/{}/status", pid));
    const std::size_t at = status.find("VmHWM:");
    EXPECT_NE(at, std::string::npos);
    return at == std::string::npos ? 0 : std::stoull(status.substr(at + 6));
  }
};

// 64 MB, and with BELAY_ROUNDS so many times more.
TEST_F(GuardAgentsKillTest, AnAgentThatFillsItsTerminalDoesNoHarm) {
  const char* rounds = std::getenv("BELAY_ROUNDS");
  const int megabytes = 64 * std::max(1, std::atoi(rounds != nullptr ? rounds : "1"));
  StartGuardian();
  Start("other");
  const Identity loud = Start(
      "loud",
      fmt::format("case $BELAY_AGENT_ID in\n*#1) head -c {}M /dev/zero | tr '\\0' x; echo >{} "
                  ";;\nesac\n{}",
                  megabytes, In("filled"), kWaits));
  ASSERT_TRUE(Await([&] { return folder_.Read("filled") == "\n"; }, std::chrono::minutes(10)));
  EXPECT_LT(MostMemoryOf(loud.parent->pid), 12'000U) << "kB";
  std::uintmax_t kept = 0;
  for (const std::string& log :
       {project_.RunLog(Name("loud")), project_.OlderRunLog(Name("loud"))}) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(log, error);
    kept += error ? 0 : bytes;
  }
  EXPECT_LT(kept, 17'000'000U);
  EXPECT_GT(kept, 8'000'000U);
  EXPECT_TRUE(Is("other", 1, AgentStatus::kAlive));
  Kill(loud);
  AwaitStatus("loud", 2, AgentStatus::kAlive);
}

TEST_F(GuardAgentsKillTest, AnAgentThatExitsAtOnceTwentyTimesIsStartedEachTime) {
  SuperviseWithoutBackoff();
  StartGuardian();
  Spawn("login", {AgentScript("login", "case $BELAY_AGENT_ID in *#21) ;; *) exit 1;; esac\n" +
                                           std::string(kWaits))});
  EXPECT_EQ(AwaitStatus("login", 21, AgentStatus::kAlive).restart.restarts, 20U);
  EXPECT_THAT(Incarnations("login"), ElementsAre("orchestrator-login#21"));
}

// In a mount namespace of its own, where a disk can be made small.
class FullDiskKillTest : public GuardSandbox {};

TEST_F(FullDiskKillTest, ADiskThatIsFullDelaysAComeback) {
  if (RunReal({"unshare", "--user", "--map-root-user", "--mount", "true"}).exit_code != 0) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  const std::string agent = AgentScript("login", kWaits);
  folder_.Write("full-disk.sh", R"(set -e
belay=$1 place=$2 agent=$3
end() {
  rm -f filler
  "$belay" stop login --now --quiet >/dev/null 2>&1 || true
  kill -TERM "$guardian" 2>/dev/null || true
}
trap end EXIT
mkdir "$place/small"
mount -t tmpfs -o size=3m tmpfs "$place/small"
cd "$place/small"
git init -q . --template=
"$belay" init --yes --quiet >/dev/null
mkfifo "$place/said"
"$belay" guard 2>"$place/said" & guardian=$!
exec 3<"$place/said"
until_said() {
  while read -r line <&3; do
    case $line in *"$1"*) return 0 ;; esac
  done
  return 1
}
until_said guarding
pid=$("$belay" spawn --name login --json -- "$agent" | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p')
until_said 'login#1 is running'
cat /dev/zero >filler 2>/dev/null || true
kill -9 "$pid"
until_said 'No space left'
rm filler
until_said 'login#2 is running'
"$belay" why login | grep -c 'restarted after orchestrator-login#1'
cat <&3 >/dev/null &
"$belay" stop login --now --quiet >/dev/null
kill -TERM "$guardian"
wait "$guardian"
echo "ended $?"
wait
)");
  const RunOutcome outcome =
      RunReal({"timeout", "120", "unshare", "--user", "--map-root-user", "--mount", "sh",
               folder_ / "full-disk.sh", BelayBinary(), folder_.path(), agent});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1\n"), HasSubstr("ended 0"))) << outcome.err;
  AlsoEnd(folder_ / "small");
}

}  // namespace
}  // namespace belay
