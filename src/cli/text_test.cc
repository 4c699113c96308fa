#include "cli/text.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(SnapshotTextTest, WritesSizesForPeople) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(1024), "1.0 KB");
  EXPECT_EQ(SizeText(12 * 1024 + 300), "12 KB");
  EXPECT_EQ(SizeText(std::uint64_t{5} << 20U), "5.0 MB");
  EXPECT_EQ(SizeText(UINT64_MAX), "16777216 TB");
}

TEST(SnapshotTextTest, WritesTimesAndCounts) {
  EXPECT_EQ(TimeText(*ParseUtc("2026-11-15T06:36:00.5Z")), "2026-11-15 06:36:00");
  EXPECT_EQ(CountText(1, "file"), "1 file");
  EXPECT_EQ(CountText(0, "file"), "0 files");
}

TEST(SnapshotTextTest, WhatIsNotKnownIsNull) {
  const ObjectId some = *ObjectId::Parse(std::string(40, 'a'));
  const SavedSnapshot newer{.id = *SnapshotId::Parse("main/7"),
                            .commit = some,
                            .base = some,
                            .index = some,
                            .untracked = some,
                            .readable = false};
  const Json json = SnapshotJson(newer);
  EXPECT_EQ(*json.Find("id")->AsString(), "main/7");
  for (const std::string_view key : {"agent_id", "at", "reason", "files", "bytes", "branch"}) {
    EXPECT_TRUE(json.Find(key)->is_null()) << key;
  }
}

TEST(SignalTable, ShowsWhatOthersWroteAsPlainText) {
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "worker-a#1",
                      .to = "person",
                      .payload = MakeObject({{"reason", "\x1b[31mred"}})};
  const std::string text = SignalTable({&signal, 1}, {});
  EXPECT_NE(text.find("ESCALATE"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace belay
