#include "guardian/respawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/agent_end.h"
#include "app/session_place.h"
#include "host/launch.h"
#include "host/run_record.h"
#include "os/program.h"
#include "store/durable_file.h"
#include "store/vault.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using Progress = Respawn::Progress;

// A crashed agent that is due, with everything that it left.
class RespawnTest : public ::testing::Test {
 protected:
  RespawnTest() {
    for (const std::string& folder :
         {project_.Vault(), project_.LockFolder(), project_.RunFolder()}) {
      EXPECT_TRUE(EnsureFolder(files_, folder).ok());
    }
    EXPECT_TRUE(ReplaceFile(files_, project_.FormatFile(), VaultFormatText()).ok());
    Identity crashed{agent_};
    crashed.status = AgentStatus::kCrashed;
    crashed.command = {"run"};
    crashed.exit = AgentExit{.cause = ExitCause::kCrash, .at = clock_.Wall()};
    crashed.restart.due = clock_.Wall();
    crashed.lease = OurLease(files_, project_);
    Record(crashed);
    EXPECT_TRUE(WriteLaunch(files_, project_, Spec("mend it"), "text").ok());
    EXPECT_TRUE(taints_.Begin(*TaintLedger::Lock(files_, project_), agent_.text(), {}).ok());
  }

  LaunchSpec Spec(const std::string& task) {
    return {.agent = agent_, .command = {"run"}, .folder = "/", .environment = {}, .task = task};
  }
  void Record(const Identity& identity) {
    IdentityLedger other(files_, clock_, project_);
    EXPECT_TRUE(
        other.Record(*IdentityLedger::Lock(files_, project_), IdentityChange{"test", "", identity})
            .ok());
  }
  Progress Step() {
    const Result<Progress> progress = respawn_.Step();
    EXPECT_TRUE(progress.ok()) << progress.error().message;
    return progress ? *progress : Progress::kNotNeeded;
  }
  Progress Finish() {
    Progress progress = Step();
    for (int i = 0; i < 10 && progress == Progress::kGoesOn; ++i) progress = Step();
    return progress;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  FakeRandom random_;
  PosixPrograms programs_;
  Layout project_{folder_.path(), folder_.path()};
  SuperviseSettings settings_;
  SessionEnv env_{files_, clock_, random_, programs_, project_, settings_};
  IdentityLedger identities_{files_, clock_, project_};
  HookLedger hooks_{files_, clock_, project_};
  TaintLedger taints_{files_, clock_, project_};
  AgentId agent_ = *AgentId::Parse("worker-a#3");
  AgentId successor_ = *AgentId::Parse("worker-a#4");
  Respawn respawn_{env_, {identities_, hooks_, taints_}, agent_};
};

// The same, in a conversation that can be resumed.
class RespawnInConversationTest : public RespawnTest {
 protected:
  void Crash(std::uint32_t failed_resumes) {
    folder_.MakeFolder("config/projects/p");
    folder_.Write("config/projects/p/" + session_ + ".jsonl",
                  "{\"type\":\"user\",\"message\":{\"content\":\"mend it\"}}\n");
    LaunchSpec spec = Spec("mend it");
    spec.environment["CLAUDE_CONFIG_DIR"] = folder_ / "config";
    ASSERT_TRUE(WriteLaunch(files_, project_, spec, "text").ok());
    Hook hook{.identity = agent_.identity(), .incarnation = agent_.incarnation()};
    hook.transcript_path = folder_ / ("config/projects/p/" + session_ + ".jsonl");
    ASSERT_TRUE(hooks_.Record(*HookLedger::Lock(files_, project_), "test", "", hook).ok());
    ASSERT_TRUE(identities_.CatchUp().ok());
    Identity crashed = *identities_.book().Find(agent_.identity());
    crashed.agent_kind = AgentKind::kClaude;
    crashed.command = {"claude", "-p"};
    crashed.session_id = session_;
    crashed.restart.failed_resumes = failed_resumes;
    Record(crashed);
  }
  std::vector<std::string> Command() {
    return ReadLaunchSpec(files_, project_, agent_.identity())->command;
  }

  const std::string session_ = "0b0f2f4e-6d1b-4f0a-9c3f-0d6f4c1f7a11";
};

// So a successor that crashes before its first event doesn't end the conversation.
TEST_F(RespawnInConversationTest, TheConversationIsOnRecordFromTheStart) {
  ASSERT_NO_FATAL_FAILURE(Crash(0));
  EXPECT_EQ(Finish(), Progress::kReady);
  EXPECT_THAT(Command(), ::testing::IsSupersetOf({std::string("--resume"), session_}));
  EXPECT_EQ(identities_.book().Find(agent_.identity())->session_id, session_);
}

TEST_F(RespawnInConversationTest, AfterTwoResumesThatFailedItIsANewOne) {
  ASSERT_NO_FATAL_FAILURE(Crash(2));
  EXPECT_EQ(Finish(), Progress::kReady);
  EXPECT_THAT(Command(), ::testing::Not(::testing::Contains("--resume")));
  EXPECT_EQ(identities_.book().Find(agent_.identity())->session_id, "");
  const Result<std::string> journal =
      files_.Read(project_.JournalFile(IdentityFamily::kJournal), 1 << 20);
  ASSERT_TRUE(journal.ok());
  EXPECT_THAT(*journal, ::testing::HasSubstr("in a new conversation: it crashed soon after"));
}

TEST_F(RespawnTest, AfterAFewStepsItIsReadyToBeLaunched) {
  EXPECT_EQ(Step(), Progress::kGoesOn);
  EXPECT_EQ(identities_.book().Find(agent_.identity())->id, agent_);
  EXPECT_EQ(Finish(), Progress::kReady);
  EXPECT_EQ(respawn_.next().id, successor_);
  EXPECT_EQ(identities_.book().Find(agent_.identity())->status, AgentStatus::kSpawning);
  EXPECT_EQ(ReadLaunchSpec(files_, project_, agent_.identity())->agent, successor_);
}

TEST_F(RespawnTest, AStopBetweenTwoStepsHolds) {
  EXPECT_EQ(Step(), Progress::kGoesOn);
  Identity stopped = *identities_.book().Find(agent_.identity());
  stopped.status = AgentStatus::kTerminated;
  stopped.intent = Intent{"stop", "person", clock_.Wall()};
  Record(stopped);
  EXPECT_EQ(Finish(), Progress::kNotNeeded);
  EXPECT_EQ(identities_.book().Find(agent_.identity())->id, agent_);
}

TEST_F(RespawnTest, AMarkThatComesBetweenTwoStepsIsInherited) {
  for (int steps = 0; steps < 3; ++steps) {
    Respawn respawn(env_, {identities_, hooks_, taints_}, agent_);
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(respawn.Step().ok());
    ASSERT_TRUE(taints_
                    .Mark(*TaintLedger::Lock(files_, project_), agent_.text(),
                          TaintSource{.path = "secret-" + std::to_string(steps),
                                      .tool = "test",
                                      .at = {},
                                      .session = {}})
                    .ok());
  }
  EXPECT_EQ(Finish(), Progress::kReady);
  EXPECT_TRUE(respawn_.next().tainted);
}

// The last possible moment: everything else is written.
TEST_F(RespawnTest, AMarkRightBeforeTheIdentityIsRecordedIsInherited) {
  EXPECT_EQ(Step(), Progress::kGoesOn);
  EXPECT_EQ(Step(), Progress::kGoesOn);
  ASSERT_TRUE(taints_
                  .Mark(*TaintLedger::Lock(files_, project_), agent_.text(),
                        TaintSource{.path = "secret", .tool = "test", .at = {}, .session = {}})
                  .ok());
  EXPECT_EQ(Finish(), Progress::kReady);
  EXPECT_TRUE(respawn_.next().tainted);
  EXPECT_EQ(taints_.book().OfKnown(successor_.text()).state, TaintState::kTainted);
  EXPECT_TRUE(hooks_.book().Find(agent_.identity())->tainted);
}

TEST_F(RespawnTest, ALaunchFileReplacedBetweenTwoStepsIsRewritten) {
  EXPECT_EQ(Step(), Progress::kGoesOn);
  EXPECT_EQ(Step(), Progress::kGoesOn);
  ASSERT_TRUE(WriteLaunch(files_, project_, Spec("another task"), "text").ok());
  EXPECT_EQ(Finish(), Progress::kReady);
  EXPECT_EQ(ReadLaunchSpec(files_, project_, agent_.identity())->task, "mend it");
}

// It was recorded, its exec is paused before it writes anything, and its start is found to be late.
TEST_F(RespawnTest, OneThatIsGivenUpCanNoLongerBeStarted) {
  EXPECT_EQ(Finish(), Progress::kReady);
  clock_.Advance(settings_.spawn_deadline + std::chrono::seconds(1));
  const Result<Identity> settled = Finalize(env_, identities_, agent_.identity());
  ASSERT_TRUE(settled.ok()) << settled.error().message;
  EXPECT_EQ(settled->status, AgentStatus::kCrashed);
  const auto run = ReadRunRecord(files_, project_, agent_.identity());
  ASSERT_TRUE(run.ok() && *run);
  EXPECT_EQ((*run)->agent, successor_);
  EXPECT_EQ((*run)->state, RunState::kFailed);
}

}  // namespace
}  // namespace belay
