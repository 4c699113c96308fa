// What `belay event` costs the agent that waits for it, seen in the system calls it makes and not
// by a clock: how long it takes beside a bare program is measured by `bench/run event`.

#include <sys/file.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "guard_sandbox.h"
#include "ledger/event_log.h"
#include "os/fd.h"
#include "os/process_tree.h"
#include "testing/places.h"
#include "traced_calls.h"

namespace belay {
namespace {

// Those that wait for a process or for the disk, start a process, or ask one.
const std::set<long> kMayTakeLong = {
    SYS_fsync,  SYS_fdatasync, SYS_syncfs, SYS_sync,   SYS_sync_file_range, SYS_flock,
    SYS_clone,  SYS_clone3,    SYS_wait4,  SYS_waitid, SYS_nanosleep,       SYS_clock_nanosleep,
    SYS_socket, SYS_connect,   SYS_ppoll,  SYS_futex,  SYS_epoll_pwait,     SYS_execveat};

// Starting alone takes some thirty. Whatever is read or asked for besides shows here.
constexpr std::size_t kMostCalls = 100;
// For each process above it: open, read, close. It looks at so many at most.
constexpr std::size_t kCallsPerProcess = 3;
constexpr std::size_t kMostAbove = 16;

class EventCostTest : public GuardSandbox {
 protected:
  std::vector<long> Calls(const std::vector<std::string>& words) {
    std::vector<std::string> command = {BelayBinary()};
    command.insert(command.end(), words.begin(), words.end());
    const auto calls = TracedCalls(
        {.command = command,
         .folder = folder_ / "repo",
         .input = folder_ / "input",
         .environment = {"BELAY_AGENT_ID=orchestrator-login#1", "HOME=" + folder_.path()}});
    EXPECT_TRUE(calls) << "it can't be traced, or didn't end as it should";
    return calls.value_or(std::vector<long>());
  }
  std::vector<long> CallsOfEvent(const std::string& event) {
    folder_.Write("input", R"({"session_id":"s1","hook_event_name":")" + event +
                               R"(","tool_name":"Bash","tool_input":{"command":"make"}})");
    return Calls({"event", event});
  }
  std::vector<std::string_view> Recorded() {
    std::vector<std::string_view> names;
    for (const AgentEvent& event : LastEvents(files_, project_, Present("login").id.identity())) {
      names.push_back(EventKindName(event.kind));
    }
    return names;
  }
  // Whatever can be locked in the vault.
  std::vector<UniqueFd> LockEverything() {
    std::vector<UniqueFd> held;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project_.Vault())) {
      if (!entry.is_regular_file()) continue;
      UniqueFd file(open(entry.path().c_str(), O_RDWR | O_CLOEXEC));
      (void)flock(file.get(), LOCK_EX | LOCK_NB);  // the guardian and the exec keep theirs
      held.push_back(std::move(file));
    }
    return held;
  }
  static std::size_t Count(const std::vector<long>& calls, long number) {
    return static_cast<std::size_t>(std::count(calls.begin(), calls.end(), number));
  }
};

TEST_F(EventCostTest, WaitsForNoLockNoDiskAndNoProcess) {
  Process& guardian = StartGuardian();
  Start("login");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  const std::vector<UniqueFd> held = LockEverything();
  const std::size_t above = 1 + AncestorIds(getpid(), kMostAbove - 1).size();
  for (const char* event : {"PreToolUse", "PostToolUse"}) {
    const std::vector<long> calls = CallsOfEvent(event);
    for (const long call : calls)
      EXPECT_FALSE(kMayTakeLong.contains(call)) << event << ": " << call;
    EXPECT_EQ(Count(calls, SYS_write), 1U) << event;  // of the line itself
    EXPECT_LE(calls.size(), kMostCalls + kCallsPerProcess * above) << event;
  }
  EXPECT_THAT(Recorded(), ::testing::ElementsAre("tool_starting", "tool_finished"));
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
}

// So the test above would see it.
TEST_F(EventCostTest, OtherCommandsDoLockAndSync) {
  Spawn("login", {AgentScript("login", kWaits)});
  folder_.Write("input", "");
  const std::vector<long> calls = Calls({"hook", "note", "orchestrator-login", "half done"});
  EXPECT_GT(Count(calls, SYS_flock), 0U);
  EXPECT_GT(Count(calls, SYS_fsync) + Count(calls, SYS_fdatasync), 0U);
}

}  // namespace
}  // namespace belay
