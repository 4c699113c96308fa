#include "model/project.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr WallTime kAt{std::chrono::seconds(1'767'225'600)};

TEST(ProjectTest, RecordsAddUpToTheState) {
  ProjectState state;
  EXPECT_FALSE(state.initialised());
  for (const Json& record :
       {InitialisedRecord(kAt, "/a", "0.1.0"), MovedRecord(kAt, "/b"),
        RepairedRecord(kAt, "journals/queue.jsonl", 2), EditedRecord(kAt, "project.json", "/k")}) {
    state.Apply(record);
  }
  EXPECT_TRUE(state.initialised());
  EXPECT_EQ(WriteJson(ProjectRendering(state, "/a/.git/belay")),
            R"({"schema_version":1,"root":"/b","vault":"/a/.git/belay",)"
            R"("initialised_at":"2026-01-01T00:00:00.000000Z","belay":"0.1.0",)"
            R"("repairs":1,"edits":1})");
}

TEST(ProjectTest, WhatASettingsFileWasIsKnownAfterCompaction) {
  ProjectState state;
  state.Apply(InitialisedRecord(kAt, "/a", "0.1.0"));
  state.Apply(SettingsRecord(kAt, ".claude/belay.yml", "1234", true));
  state.Apply(SettingsRecord(kAt + std::chrono::seconds(1), ".claude/belay.yml", "", false));
  EXPECT_EQ(state.settings.at(".claude/belay.yml").sha256, "");
  EXPECT_EQ(state.settings.at(".claude/belay.yml").at, "2026-01-01T00:00:01.000000Z");
  EXPECT_TRUE(state.OnlySetUp());
  ProjectState again;
  for (const Json& record : state.Snapshot(kAt)) again.Apply(record);
  EXPECT_EQ(again, state);
}

TEST(ProjectTest, AnUnknownKindAndARecordWithoutOneAreOnlyCounted) {
  ProjectState state;
  state.Apply(MakeObject({{"kind", "from the future"}, {"root", "/x"}}));
  state.Apply(MakeObject({{"kind", 7}}));
  state.Apply(Json::EmptyObject());
  EXPECT_FALSE(state.initialised());
  EXPECT_EQ(state.unknown, 3u);
  EXPECT_FALSE(state.OnlySetUp());
}

TEST(ProjectTest, APathIsComparedAsItIsRecorded) {
  ProjectState state;
  state.Apply(*ParseJson(WriteJson(InitialisedRecord(kAt, "/caf\xE9", "0.1.0"))));
  EXPECT_TRUE(state.IsAt("/caf\xE9"));
  EXPECT_FALSE(state.IsAt("/cafe"));
}

}  // namespace
}  // namespace belay
