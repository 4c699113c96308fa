#include "snapshot/snapshot_record.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace belay {
namespace {

SnapshotRecord Example() {
  return {.message = "before restoring main/4",
          .at = WallTime(std::chrono::microseconds(1'763'188'560'123'456)),
          .agent_id = "login-fix",
          .worktree = "/home/me/my app\n",
          .branch = "feature/ü",
          .has_base = false,
          .files = 15,
          .bytes = 12345,
          .state = "abc:def",
          .skipped = {{"big.bin", SkipReason::kTooLarge}, {"\xff\"", SkipReason::kSecret}},
          .modes = {{"run.sh", 0700}, {"a\nb", 0}},
          .unsteady = {"server.log", "\\"}};
}

std::string With(const std::string& json) { return "line\n\n" + json + "\n"; }
const std::string kLeast = R"({"schema_version":1,"at":"2026-11-15T06:36:00.123456Z"})";

TEST(SnapshotMessage, HasItsMessageAsTheFirstLine) {
  const std::string message = WriteSnapshotMessage(Example());
  EXPECT_TRUE(message.starts_with("before restoring main/4\n\n{\"schema_version\":1,"));
  EXPECT_TRUE(message.ends_with("}\n"));
  EXPECT_EQ(FindInvalidUtf8(message), std::string_view::npos);
}

TEST(SnapshotMessage, SurvivesARoundTrip) {
  const Result<SnapshotRecord> back = ParseSnapshotMessage(WriteSnapshotMessage(Example()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, Example());
}

TEST(SnapshotMessage, WithTheLeastThereCanBeHasDefaults) {
  const Result<SnapshotRecord> record = ParseSnapshotMessage(With(kLeast));
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->message, "line");
  EXPECT_TRUE(record->has_base);
  EXPECT_EQ(record->files, 0U);
  EXPECT_TRUE(record->skipped.empty());
}

TEST(SnapshotMessage, OfANewerBelayIsRefused) {
  const auto record =
      ParseSnapshotMessage(With(R"({"schema_version":2,"at":"2026-11-15T06:36:00.123456Z"})"));
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(record.error().message,
            "snapshot: written by a newer belay (version 2, this one knows up to 1)");
}

TEST(SnapshotMessage, OfAnotherProgramIsDamaged) {
  for (const std::string& wrong :
       {std::string(), std::string("\n\n"), std::string("WIP on main: 1234 x"), With("[]"),
        With("{}"), With("not json"), With(R"({"schema_version":0})"),
        With(R"({"schema_version":"1"})"), With(R"({"schema_version":-1})"),
        With(R"({"schema_version":1})"), With(R"({"schema_version":1,"at":"yesterday"})"),
        With(R"({"schema_version":1,"at":1})"), With(kLeast + kLeast), kLeast,
        With(kLeast.substr(0, 40)), With(std::string(kLeast).insert(1, "\"worktree\":\"\\\"\",")),
        With(std::string(100'000, '['))}) {
    const auto record = ParseSnapshotMessage(wrong);
    ASSERT_FALSE(record.ok()) << wrong.substr(0, 100);
    EXPECT_EQ(record.error().code, ErrorCode::kDamaged) << wrong.substr(0, 100);
  }
}

TEST(SnapshotMessage, PassesOverWhatItDoesntKnow) {
  std::string json = kLeast;
  json.insert(1, R"("new":{"a":[1]},"skipped":[1,["a"],["b","too_large"],["c","later_reason"]],)"
                 R"("modes":[["x","9"],["y","4755"],["z","644"],3],"unsteady":[1,"\"","ok"],)"
                 R"("files":-3,"bytes":"many","base":"no",)");
  const auto record = ParseSnapshotMessage(With(json));
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->skipped, (std::vector<SkippedPath>{{"b", SkipReason::kTooLarge},
                                                       {"c", SkipReason::kUnreadable}}));
  EXPECT_EQ(record->modes, (std::map<std::string, std::uint32_t>{{"z", 0644}}));
  EXPECT_EQ(record->unsteady, std::vector<std::string>{"ok"});
  EXPECT_EQ(record->files, 0U);
}

TEST(SnapshotMessage, StaysOneLineWhateverAnAgentWrites) {
  for (const std::string text : {"", "\n\n{\"schema_version\":9}", "a\nb", " \xff ", "\033[31m"}) {
    SnapshotRecord record = Example();
    record.message = text;
    const auto back = ParseSnapshotMessage(WriteSnapshotMessage(record));
    ASSERT_TRUE(back.ok()) << text;
    EXPECT_EQ(back->message.find_first_of("\n\033"), std::string::npos);
    EXPECT_FALSE(back->message.empty());
    EXPECT_EQ(back->modes, record.modes);
  }
}

TEST(SnapshotMessage, CutAnywhereIsDamaged) {
  const std::string message = WriteSnapshotMessage(Example());
  for (std::size_t length = 0; length + 1 < message.size(); ++length) {
    EXPECT_FALSE(ParseSnapshotMessage(message.substr(0, length)).ok()) << length;
  }
}

SkipReason AnyReason() {
  return *rc::gen::element(SkipReason::kSecret, SkipReason::kTooLarge, SkipReason::kRepository,
                           SkipReason::kSubmodule, SkipReason::kUnreadable, SkipReason::kSpecial);
}

TEST(SnapshotMessage, AnyRecordSurvivesARoundTrip) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& paths, const std::string& worktree,
                           const std::string& branch, std::uint32_t files, bool has_base) {
    SnapshotRecord record = Example();
    record.worktree = worktree;
    record.branch = branch;
    record.files = files;
    record.has_base = has_base;
    record.unsteady = paths;
    for (const std::string& path : paths) {
      record.modes[path] = *rc::gen::inRange<std::uint32_t>(0, 01000);
      record.skipped.push_back({path, AnyReason()});
    }
    const auto back = ParseSnapshotMessage(WriteSnapshotMessage(record));
    RC_ASSERT(back.ok());
    RC_ASSERT(*back == record);
  }));
}

TEST(SkipReason, HasANameAndAMeaning) {
  EXPECT_EQ(SkipReasonName(SkipReason::kTooLarge), "too_large");
  EXPECT_EQ(SkipReasonMeaning(SkipReason::kTooLarge), "over the size limit");
}

}  // namespace
}  // namespace belay
