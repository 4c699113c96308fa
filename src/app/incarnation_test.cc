#include "app/incarnation.h"

#include <gtest/gtest.h>

#include "os/program.h"
#include "store/durable_file.h"
#include "store/vault.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

// Two processes use the same journal: one is about to record a start, the other interferes.
class StartTest : public ::testing::Test {
 protected:
  StartTest() {
    EXPECT_TRUE(files_.CreateFolder(project_.Vault(), 0700).ok());
    EXPECT_TRUE(files_.CreateFolder(project_.LockFolder(), 0700).ok());
    EXPECT_TRUE(ReplaceFile(files_, project_.FormatFile(), VaultFormatText()).ok());
    Record(Identity{agent_});
    EXPECT_TRUE(ledger_.CatchUp().ok());
  }

  void Record(const Identity& identity) {
    IdentityLedger other(files_, clock_, project_);
    EXPECT_TRUE(other.Record(Lock(), IdentityChange{"test", "", identity}).ok());
  }
  IdentityLock Lock() { return *IdentityLedger::LockUnchecked(files_, project_, Duration(0)); }
  bool Start() {
    const RunRecord run{.agent = agent_,
                        .state = RunState::kRunning,
                        .parent = {10, 1, "boot"},
                        .process = ProcessIdentity{11, 2, "boot"}};
    const Result<bool> recorded = RecordStart(env_, ledger_, Lock(), run);
    EXPECT_TRUE(recorded.ok());
    return recorded && *recorded;
  }
  const Identity& Present() { return *ledger_.book().Find(agent_.identity()); }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  FakeRandom random_;
  PosixPrograms programs_;
  Layout project_{folder_.path(), folder_.path()};
  SuperviseSettings settings_;
  SessionEnv env_{files_, clock_, random_, programs_, project_, settings_};
  IdentityLedger ledger_{files_, clock_, project_};
  AgentId agent_ = *AgentId::Parse("worker-a#3");
};

TEST_F(StartTest, RecordsItsProcess) {
  EXPECT_TRUE(Start());
  EXPECT_EQ(Present().status, AgentStatus::kAlive);
  EXPECT_EQ(Present().process, (ProcessMark{11, 2}));
}

TEST_F(StartTest, KeepsAStopRequestedDuringTheStart) {
  Identity asked{agent_};
  asked.intent = Intent{"stop", "person", clock_.Wall()};
  Record(asked);
  EXPECT_TRUE(Start());
  EXPECT_EQ(Present().status, AgentStatus::kAlive);
  EXPECT_EQ(Present().intent, asked.intent);
}

TEST_F(StartTest, ChangesNothingAboutAnAgentThatWasCancelled) {
  Identity given_up{agent_};
  given_up.status = AgentStatus::kTerminated;
  Record(given_up);
  EXPECT_FALSE(Start());
  EXPECT_EQ(Present(), given_up);
}

TEST_F(StartTest, ChangesNothingOnceThereIsASuccessor) {
  const Identity next{AgentId(agent_.identity(), 4)};
  Record(next);
  EXPECT_FALSE(Start());
  EXPECT_EQ(Present(), next);
}

TEST_F(StartTest, AdoptsAnAgentThatStartedLate) {
  Identity late{agent_};
  late.status = AgentStatus::kCrashed;
  late.restart.due = clock_.Wall();
  Record(late);
  EXPECT_TRUE(Start());
  EXPECT_EQ(Present().restart.due, std::nullopt);
}

}  // namespace
}  // namespace belay
