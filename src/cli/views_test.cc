#include "cli/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "app/agents_view.h"
#include "base/text.h"
#include "os/process_identity.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/temp_folder.h"
#include "ui/width.h"

namespace belay {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

TEST(AgentsViewTest, WritesAgesInTheUnitThatMatters) {
  EXPECT_EQ(AgeText(kNow - 5s, kNow), "5s");
  EXPECT_EQ(AgeText(kNow - 119s, kNow), "119s");
  EXPECT_EQ(AgeText(kNow - 2min, kNow), "2m");
  EXPECT_EQ(AgeText(kNow - 119min, kNow), "119m");
  EXPECT_EQ(AgeText(kNow - 2h, kNow), "2h");
  EXPECT_EQ(AgeText(kNow - 50h, kNow), "2d");
  EXPECT_EQ(AgeText(kNow + 1h, kNow), "0s");
}

TEST(AgentsViewTest, ShowsWhenAnAgentRestarts) {
  EXPECT_EQ(DueText({.due = kNow + 4min, .wait = 5min}, kNow), "restarting in 4m");
  EXPECT_EQ(DueText({.due = kNow + 300ms, .wait = 1s}, kNow), "restarting now");
  EXPECT_EQ(DueText({.due = kNow - 1s, .wait = 5min}, kNow), "due now");
}

class AgentRowsTest : public ::testing::Test {
 protected:
  AgentRowsTest() { clock_.JumpWall(kNow - clock_.Wall()); }

  void Add(const std::string& id, AgentStatus status, Duration ended_ago = 0s,
           RestartState restart = {}) {
    Identity identity{*AgentId::Parse(id)};
    identity.status = status;
    identity.last_seen = identity.created_at = kNow - ended_ago;
    identity.host = AgentHost::kSelf;
    identity.restart = std::move(restart);
    if (!IsRunning(status)) identity.exit = AgentExit{.at = kNow - ended_ago};
    book_.Apply(IdentityRecord(kNow - ended_ago, "test", "", identity));
  }
  // Its process is the test itself.
  void AddRunning(const std::string& id, const std::function<void(Identity&)>& change) {
    const ProcessIdentity here = *IdentityOf(getpid());
    Identity identity{*AgentId::Parse(id)};
    identity.status = AgentStatus::kAlive;
    identity.created_at = identity.last_seen = kNow;
    identity.host = AgentHost::kExternal;
    identity.process = ProcessMark{here.pid, here.start_time};
    identity.boot_id = here.boot_id;
    change(identity);
    book_.Apply(IdentityRecord(kNow, "test", "", identity));
  }
  std::vector<AgentRow> Rows(bool all = false) { return AgentRows(env_, book_, hooks_, all); }
  std::vector<std::string> Ids(bool all) {
    std::vector<std::string> ids;
    for (const AgentRow& row : Rows(all)) ids.push_back(row.identity->id.text());
    return ids;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  FakeRandom random_{1};
  PosixPrograms programs_;
  Layout project_{folder_.path(), std::nullopt};
  SuperviseSettings settings_;
  SessionEnv env_{files_, clock_, random_, programs_, project_, settings_};
  IdentityBook book_;
  HookBook hooks_;
};

TEST_F(AgentRowsTest, ShowsTheTierOfAContextAndTheConversation) {
  settings_.context.limits.low = 40;
  AddRunning("a-full#1", [](Identity& identity) {
    identity.context_fill = 41.0;
    identity.session_id = "s1";
  });
  AddRunning("a-new#1", [](Identity&) {});
  const std::vector<AgentRow> rows = Rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(*RowJson(rows[0]).Find("context_tier"), Json("LOW"));
  EXPECT_EQ(*RowJson(rows[0]).Find("session_id"), Json("s1"));
  EXPECT_TRUE(RowJson(rows[1]).Find("context_tier")->is_null());
  EXPECT_TRUE(RowJson(rows[1]).Find("session_id")->is_null());
}

TEST_F(AgentRowsTest, ShowsFinishedOnesForADayAndHistoryOnlyOnDemand) {
  Add("a-new#1", AgentStatus::kTerminated, 23h);
  Add("a-old#1", AgentStatus::kTerminated, 25h);
  Add("a-left#1", AgentStatus::kCrashed, 25h);
  Add("a-quarantined#1", AgentStatus::kQuarantined, 25h);
  Add("a-waits#1", AgentStatus::kCrashed, 25h, {.due = kNow});
  Add("a-waits#2", AgentStatus::kCrashed, 25h, {.due = kNow});
  EXPECT_THAT(Ids(false), ElementsAre("a-new#1", "a-quarantined#1", "a-waits#2"));
  EXPECT_THAT(Ids(true), ElementsAre("a-left#1", "a-new#1", "a-old#1", "a-quarantined#1",
                                     "a-waits#1", "a-waits#2"));
}

TEST_F(AgentRowsTest, DoesNotBelieveThatAProcessRunsWhichIsGone) {
  Add("guardian-main#1", AgentStatus::kAlive);
  const AgentRow row = Rows().front();
  EXPECT_EQ(row.status, AgentStatus::kCrashed);
  EXPECT_EQ(row.color, AgentColor::kRed);
  EXPECT_EQ(row.pid, std::nullopt);
}

TEST_F(AgentRowsTest, BelievesOnlyTheGuardianThatItIsWell) {
  const ProcessIdentity here = *IdentityOf(getpid());
  for (const AgentHost host : {AgentHost::kSelf, AgentHost::kExternal}) {
    Identity identity{*AgentId::Parse(host == AgentHost::kSelf ? "guardian-main#1" : "a-b#1")};
    identity.status = AgentStatus::kAlive;
    identity.created_at = identity.last_seen = kNow - 6min;
    identity.host = host;
    identity.process = ProcessMark{here.pid, here.start_time};
    identity.boot_id = here.boot_id;
    book_.Apply(IdentityRecord(kNow - 6min, "test", "", identity));
  }
  const std::vector<AgentRow> rows = Rows();
  EXPECT_EQ(rows[0].color, AgentColor::kGreen);
  EXPECT_EQ(rows[0].last_seen, kNow);
  EXPECT_EQ(rows[1].color, AgentColor::kRed);
  EXPECT_EQ(rows[1].last_seen, kNow - 6min);
  EXPECT_EQ(rows[1].pid, here.pid);
  EXPECT_THAT(rows[1].reason, HasSubstr("hangs"));
}

TEST_F(AgentRowsTest, NotesWhatIsUnusualAboutARunningAgent) {
  AddRunning("a-stops#1", [](Identity& agent) { agent.intent = Intent{"stop", "person", kNow}; });
  AddRunning("b-silent#1", [](Identity& agent) { agent.status = AgentStatus::kSuspect; });
  AddRunning("c-well#1", [](Identity&) {});
  const std::vector<AgentRow> rows = Rows();
  EXPECT_EQ(rows[0].reason, "asked to stop by a person");
  EXPECT_EQ(rows[1].reason, "no activity; belay attach shows its terminal");
  EXPECT_EQ(rows[2].reason, "");
}

TEST_F(AgentRowsTest, WhatRunsElsewhereIsNeverGreen) {
  const auto elsewhere = [](Identity& agent) {
    agent.lease = MakeObject({{"machine", "another"}, {"vault", "/elsewhere"}});
  };
  AddRunning("a-b#1", elsewhere);
  AddRunning("guardian-main#1", [&](Identity& agent) {
    agent.host = AgentHost::kSelf;
    elsewhere(agent);
  });
  for (const AgentRow& row : Rows()) {
    EXPECT_EQ(row.color, AgentColor::kYellow);
    EXPECT_EQ(row.reason, "belongs to another copy of this project");
    EXPECT_EQ(row.pid, std::nullopt);
    EXPECT_FALSE(row.ours);
  }
}

TEST_F(AgentRowsTest, ALongNodeDoesNotWidenTheTable) {
  AddRunning("a-b#1", [](Identity& agent) { agent.node_id = std::string(300, 'n'); });
  for (const std::size_t columns : {60U, 80U, 120U, 200U}) {
    const std::string text = Render(AgentsTable(Rows(), kNow), {.columns = columns});
    for (const std::string_view line : Split(text, '\n')) {
      EXPECT_LE(DisplayWidth(line), columns) << line;
    }
  }
}

TEST_F(AgentRowsTest, ShowsWhatToDoAboutAQuarantine) {
  Add("a-b#3", AgentStatus::kQuarantined, 0s, {.reason = "5 crashes in 15m"});
  EXPECT_EQ(Rows().front().reason, "5 crashes in 15m");
  EXPECT_THAT(Render(AgentsTable(Rows(), kNow), {}),
              HasSubstr("5 crashes in 15m; belay release a-b continues it"));
}

}  // namespace
}  // namespace belay
