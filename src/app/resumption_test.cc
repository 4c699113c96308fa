#include "app/resumption.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/resumption_hook.h"
#include "app/test_resumption.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ResumptionUpdateTest, AnEventIsAppliedOnce) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  EXPECT_TRUE(world.Update(Decision("e"))->applied);
  const std::string once = world.Text();
  EXPECT_FALSE(world.Update(Decision("e"))->applied);
  EXPECT_EQ(world.Text(), once);
  EXPECT_TRUE(world.Update(Decision("f"))->applied);
  EXPECT_EQ(world.Decisions(), 2);
  ExpectOutsideIsUntouched(world);
}

TEST(ResumptionUpdateTest, WhatAPersonSavesInBetweenIsKept) {
  SimulatedDisk disk;
  MakeProject(disk);
  bool saved = false;
  WatchedCalls calls(disk, [&](const WatchedCall& call) {
    if (saved || call.kind != CallKind::kWrite) return;
    saved = true;
    FileSystem person(disk);
    ASSERT_TRUE(ReplaceFile(person, kPath, "note: by hand\n" + std::string(kFile)).ok());
  });
  // The lock file already exists, so that the first write is the journal's.
  { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
  ResumptionWorld world(calls);
  ASSERT_TRUE(world.Update(Decision("e")).ok());
  EXPECT_TRUE(saved);
  EXPECT_TRUE(world.Text().starts_with("note: by hand\n# mine\n")) << world.Text();
  EXPECT_EQ(world.Decisions(), 1);
}

// Also while belay waits for the disk, just before the new text takes the place of the old one.
TEST(ResumptionUpdateTest, WhatAPersonSavesDuringAnySlowCallIsKept) {
  std::size_t slow = 1;
  for (std::size_t n = 1; n <= slow; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
    const std::string text = ResumptionWorld(disk).Text();
    std::size_t seen = 0;
    bool replaced = false;
    WatchedCalls calls(disk, [&](const WatchedCall& call) {
      const bool wanted = call.kind == CallKind::kWrite || call.kind == CallKind::kSync;
      if (call.kind == CallKind::kRenameSwap && call.path == kPath) replaced = true;
      if (replaced || !wanted || ++seen != n) return;
      FileSystem person(disk);
      ASSERT_TRUE(ReplaceFile(person, kPath, "note: by hand\n" + text).ok());
    });
    ResumptionWorld world(calls);
    ASSERT_TRUE(world.Update(Decision("e")).ok());
    slow = std::max(slow, seen);
    EXPECT_TRUE(seen < n || world.Text().starts_with("note: by hand\n")) << n;
    EXPECT_EQ(world.Decisions(), 2U);
  }
  EXPECT_GE(slow, 3U);
}

TEST(ResumptionUpdateTest, WhatWaitsGoesFirst) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ASSERT_TRUE(world.Wait(Compaction("cx")).ok());
  EXPECT_EQ(world.Text(), kFile);
  ASSERT_TRUE(world.Update(Decision("e")).ok());
  EXPECT_EQ(world.Compactions(), 1);
  ASSERT_TRUE(world.Update(Decision("f")).ok());
  EXPECT_EQ(world.Compactions(), 1);
}

// The compaction was at ten; it is noted when it is merged.
TEST(ResumptionUpdateTest, WhatWaitedKeepsItsTimeAndTheSectionDoesNotGoBack) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ASSERT_TRUE(world.Wait(Compaction("cx")).ok());
  const Result<std::size_t> merged = [&]() -> Result<std::size_t> {
    BELAY_TRY_ASSIGN(const ResumptionLock lock,
                     ResumptionLedger::LockUnchecked(world.files_, world.layout_));
    return MergeLocked(lock, world.MakeEnv());
  }();
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(*merged, 1U);
  const Resumption section = world.Section();
  EXPECT_EQ(section.State("updated_at"), Json(FormatUtc(world.clock_.Wall())));
  const Json& events = MemberOf(section[ResumptionPart::kCompactionEvents], "events");
  EXPECT_EQ(TextIn(ItemsOf(events)[0], "timestamp"), "2026-03-01T10:00:00Z");
}

TEST(ResumptionUpdateTest, AHandEditIsKeptAndReported) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ASSERT_TRUE(world.Update(Decision("e")).ok());
  std::string text = world.Text();
  text.replace(text.find("next_step: \"go\""), 15, "next_step: \"by hand\"");
  ASSERT_TRUE(ReplaceFile(world.files_, kPath, text).ok());
  const Result<UpdateOutcome> outcome = world.Update(Decision("f"));
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->section.State("next_step"), Json("by hand"));
  ASSERT_FALSE(outcome->warnings.empty());
  EXPECT_THAT(outcome->warnings[0], HasSubstr("without belay"));
}

TEST(ResumptionUpdateTest, AClockThatGoesBackIsReportedAndUpdatesGoOn) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ResumptionEvent later = Decision("e");
  later.at = *ParseUtc("2036-03-01T10:00:00Z");
  ASSERT_TRUE(world.Update(later).ok());
  const Result<DocumentState> state = ReadDocumentState(world.MakeEnv());
  EXPECT_EQ(state->staleness.level, Staleness::kStale);
  EXPECT_THAT(state->staleness.reasons[0], HasSubstr("in the future"));
  ASSERT_TRUE(world.Update(Decision("f")).ok());
  EXPECT_EQ(world.Section().State("updated_at"), Json("2026-03-01T10:00:00Z"));
}

TEST(ResumptionUpdateTest, AMergeConflictIsNamedAndTheFileStays) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  const std::string text = "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n";
  ASSERT_TRUE(ReplaceFile(world.files_, kPath, text).ok());
  const Result<UpdateOutcome> outcome = world.Update(Decision("e"));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kDamaged);
  EXPECT_THAT(outcome.error().message, HasSubstr("merge conflict"));
  EXPECT_EQ(world.Text(), text);
}

TEST(ResumptionUpdateTest, EntriesBeyondTheBudgetMoveToTheArchive) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  for (int i = 0; i < 35; ++i) {
    ResumptionEvent event{.id = fmt::format("a{}", i),
                          .trigger = Trigger::kAgentCompletion,
                          .at = world.clock_.Wall(),
                          .data = MakeObject({{"agent_id", fmt::format("agent-{}", i)}})};
    ASSERT_TRUE(world.Update(event).ok());
  }
  EXPECT_EQ(MembersOf(world.Section()[ResumptionPart::kAgentSummaries]).size(), 30);
  EXPECT_EQ(world.Section().archive.agents, 5);
  EXPECT_EQ(world.Section().archive.file, "ORCHESTRATION.archive.jsonl");
  const Result<std::string> archive = world.files_.Read("/r/ORCHESTRATION.archive.jsonl", 1 << 20);
  ASSERT_TRUE(archive.ok());
  for (int i = 0; i < 5; ++i) EXPECT_THAT(*archive, HasSubstr(fmt::format("\"agent-{}\"", i)));
}

TEST(ResumptionHookTest, SeesShellWritesToTheDocument) {
  const auto into = [](std::string_view command) {
    return WritesTo(command, "ORCHESTRATION.yaml", {.folder = "/r"});
  };
  constexpr std::string_view kHere = "/r/ORCHESTRATION.yaml";
  EXPECT_THAT(into("echo x > ORCHESTRATION.yaml"), Contains(kHere));
  EXPECT_THAT(into("echo x >> ./ORCHESTRATION.yaml"), Contains(kHere));
  EXPECT_THAT(into("cat <<EOF >'docs/ORCHESTRATION.yaml'\nx\nEOF"),
              ElementsAre("/r/docs/ORCHESTRATION.yaml"));
  EXPECT_THAT(into("cd sub && echo x > ORCHESTRATION.yaml"),
              ElementsAre("/r/sub/ORCHESTRATION.yaml"));
  EXPECT_THAT(into("echo x | tee ORCHESTRATION.yaml"), Contains(kHere));
  EXPECT_THAT(into("cp /tmp/x ORCHESTRATION.yaml"), Contains(kHere));
  EXPECT_THAT(into("sed -i s/a/b/ ORCHESTRATION.yaml"), Contains(kHere));
  EXPECT_THAT(into("cp ORCHESTRATION.yaml copy.yaml"), Not(Contains(kHere)));
  EXPECT_THAT(into("cat ORCHESTRATION.yaml"), IsEmpty());
  EXPECT_THAT(into("grep x ORCHESTRATION.yaml > out.txt"), IsEmpty());
  EXPECT_THAT(into("grep x ORCHESTRATION.yaml > /dev/null"), IsEmpty());
}

}  // namespace
}  // namespace belay
