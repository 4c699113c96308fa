#include "host/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/process.h"
#include "os/this_process.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class HostTest : public ::testing::Test {
 protected:
  template <class T>
  static void ExpectRefused(const Result<T>& outcome, std::string_view why) {
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::kRefused);
    EXPECT_THAT(outcome.error().message, HasSubstr(std::string(why)));
    EXPECT_FALSE(outcome.error().hint.empty());
  }
  ActualState Probe(AgentHost host) {
    const Result<ProbeResult> found = HostOf(host).Probe(files_, project_, identity_);
    EXPECT_TRUE(found.ok());
    return found ? found->actual : ActualState::kForeign;
  }
  // A process group leader, like an agent.
  static Process Start(std::vector<std::string> command) {
    auto started = Process::Spawn({.command = std::move(command)});
    EXPECT_TRUE(started.has_value());
    return *std::move(started);
  }
  RunRecord RunOf(const Process& agent) {
    return {.agent = identity_.id,
            .state = RunState::kRunning,
            .parent = {1, 1, "another boot"},
            .process = *IdentityOf(agent.pid())};
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_.path(), folder_.path()};
  Identity identity_{*AgentId::Parse("worker-a#1")};
};

TEST_F(HostTest, OneThatBelayDidNotStartIsRefusedWithTheReasonOfItsHost) {
  for (const HostFacts& facts : kHosts) {
    EXPECT_EQ(facts.launched, facts.not_ours.empty()) << facts.name;
    if (facts.launched) continue;
    const Host& host = HostOf(facts.host);
    ExpectRefused(host.Launch(project_, identity_.id), facts.not_ours);
    ExpectRefused(host.Type(project_, identity_.id.identity(), "x", Duration()), facts.not_ours);
    const RunRecord run{.agent = identity_.id, .parent = {1, 1, "another boot"}};
    ExpectRefused(host.End(run, Force::kKill), facts.not_ours);
  }
}

TEST_F(HostTest, AnUnsupportedHostIsRefused) {
  for (const HostFacts& facts : kHosts) {
    if (facts.built) continue;
    const Result<Process> launched = HostOf(facts.host).Launch(project_, identity_.id);
    ASSERT_FALSE(launched.ok());
    EXPECT_THAT(launched.error().message, HasSubstr("isn't supported yet"));
  }
}

TEST_F(HostTest, OneWithoutARunRecordIsLookedForByItsProcess) {
  const ProcessIdentity us = *IdentityOf(static_cast<pid_t>(ThisProcess()));
  EXPECT_EQ(Probe(AgentHost::kExternal), ActualState::kEnded);
  EXPECT_EQ(Probe(AgentHost::kProcess), ActualState::kAbsent) << "belay would start that one";
  identity_.boot_id = us.boot_id;
  identity_.process = ProcessMark{us.pid, us.start_time};
  EXPECT_EQ(Probe(AgentHost::kExternal), ActualState::kRuns);
  identity_.process->start += 1;
  EXPECT_EQ(Probe(AgentHost::kExternal), ActualState::kEnded) << "another process of that pid";
}

TEST_F(HostTest, AHaltedAgentGetsTheRequestToEnd) {
  Process agent = Start({"sleep", "600"});
  ASSERT_TRUE(agent.Signal(SIGSTOP).ok());
  ASSERT_TRUE(HostOf(AgentHost::kProcess).End(RunOf(agent), Force::kAsk).ok());
  EXPECT_EQ(agent.Wait(), ExitStatus::Killed(SIGTERM));
}

TEST_F(HostTest, OneThatWillNotEndIsKilled) {
  Process agent = Start({"sh", "-c", "trap '' TERM; exec sleep 600"});
  ASSERT_TRUE(HostOf(AgentHost::kProcess).End(RunOf(agent), Force::kKill).ok());
  EXPECT_EQ(agent.Wait(), ExitStatus::Killed(SIGKILL));
}

}  // namespace
}  // namespace belay
