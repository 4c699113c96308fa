#include "model/snapshot_log.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr WallTime kAt{std::chrono::seconds(1'767'225'600)};

TEST(SnapshotLogTest, RecordsWhatWasTaken) {
  EXPECT_EQ(WriteJson(TakenRecord(kAt, {"main/7", "abc", "/caf\xE9", "by hand", 15, 12345})),
            R"({"at":"2026-01-01T00:00:00.000000Z","kind":"taken","id":"main/7","commit":"abc",)"
            "\"worktree\":\"/caf\xEF\xBF\xBD\","
            R"("reason":"by hand","files":15,"bytes":12345})");
}

TEST(SnapshotLogTest, RecordsWhereItWasRestoredAndWhatWasRescued) {
  EXPECT_EQ(WriteJson(RestoredRecord(
                kAt, {.id = "a/1", .commit = "c", .worktree = "/w", .files = 2, .rescue = "a/2"})),
            R"({"at":"2026-01-01T00:00:00.000000Z","kind":"restored","id":"a/1","commit":"c",)"
            R"("worktree":"/w","files":2,"rescue":"a/2"})");
  EXPECT_EQ(WriteJson(RestoredRecord(kAt, {.id = "a/1", .commit = "c", .into = "/x"})),
            R"({"at":"2026-01-01T00:00:00.000000Z","kind":"restored","id":"a/1","commit":"c",)"
            R"("into":"/x","files":0})");
}

TEST(SnapshotLogTest, RecordsWhatIsDeletedAndWhy) {
  EXPECT_EQ(WriteJson(PrunedRecord(kAt, {"a/1", "c", "older than 30d"})),
            R"({"at":"2026-01-01T00:00:00.000000Z","kind":"pruned","id":"a/1","commit":"c",)"
            R"("reason":"older than 30d"})");
}

}  // namespace
}  // namespace belay
