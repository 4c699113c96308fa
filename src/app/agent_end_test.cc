#include "app/agent_end.h"

#include <gtest/gtest.h>

#include "app/session_place.h"
#include "os/program.h"
#include "store/durable_file.h"
#include "store/vault.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/temp_folder.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

// File calls that can write a record of the agent's end while its run record is being read.
class ProbeRunTest : public ::testing::Test {
 protected:
  ProbeRunTest() {
    for (const std::string& folder : {project_.Vault(), project_.RunFolder()}) {
      EXPECT_TRUE(EnsureFolder(plain_, folder).ok());
    }
    EXPECT_TRUE(ReplaceFile(plain_, project_.FormatFile(), VaultFormatText()).ok());
  }

  RunRecord Run(RunState state) {
    const ProcessIdentity gone{1, 1, "another boot"};
    RunRecord run{.agent = agent_, .state = state, .parent = gone};
    run.process = gone;
    if (state == RunState::kEnded) run.exit = ExitStatus::Exited(0);
    return run;
  }
  ProbeResult Find() {
    Identity identity{agent_};
    identity.status = AgentStatus::kSpawning;
    identity.lease = OurLease(files_, project_);
    Result<ProbeResult> found = ProbeRun(env_, identity);
    EXPECT_TRUE(found.ok());
    return found ? *std::move(found) : ProbeResult{};
  }
  void Before(const WatchedCall& call) {
    if (call.kind == CallKind::kOpen) reading_ = call.path == project_.RunFile(agent_.identity());
    if (call.kind != CallKind::kClose || !reading_ || !end_while_reading_) return;
    end_while_reading_ = false;
    EXPECT_TRUE(WriteRunRecord(plain_, project_, Run(RunState::kEnded)).ok());
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem plain_{calls_};
  WatchedCalls watched_{calls_, [this](const WatchedCall& call) { Before(call); }};
  FileSystem files_{watched_};
  FakeClock clock_;
  FakeRandom random_;
  PosixPrograms programs_;
  Layout project_{folder_.path(), folder_.path()};
  SuperviseSettings settings_;
  SessionEnv env_{files_, clock_, random_, programs_, project_, settings_};
  AgentId agent_ = *AgentId::Parse("worker-a#1");
  bool reading_ = false;
  bool end_while_reading_ = false;
};

TEST_F(ProbeRunTest, AnEndThatIsWrittenDuringTheProbeIsSeen) {
  ASSERT_TRUE(WriteRunRecord(plain_, project_, Run(RunState::kRunning)).ok());
  end_while_reading_ = true;
  const ProbeResult found = Find();
  EXPECT_EQ(found.actual, ActualState::kEnded);
  ASSERT_TRUE(found.run);
  EXPECT_EQ(found.run->exit, ExitStatus::Exited(0));
}

TEST_F(ProbeRunTest, AnExecWithoutARecordLeavesTheEndUnknown) {
  ASSERT_TRUE(WriteRunRecord(plain_, project_, Run(RunState::kRunning)).ok());
  const ProbeResult found = Find();
  EXPECT_EQ(found.actual, ActualState::kEnded);
  ASSERT_TRUE(found.run);
  EXPECT_FALSE(found.run->exit);
}

TEST_F(ProbeRunTest, AnAgentThatWasNotStartedIsAbsent) {
  EXPECT_EQ(Find().actual, ActualState::kAbsent);
}

}  // namespace
}  // namespace belay
