#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cerrno>

#include "merge/gate_run.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

constexpr BoundedLog::Limits kSmall = {.head = 10, .tail = 20, .slack = 15};

// All parts of it differ.
std::string Numbers(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += fmt::format("{},", i);
  return text.substr(0, bytes);
}

std::string Note(std::size_t left_out) {
  return fmt::format("\n[belay: {} bytes left out here]\n", left_out);
}

std::string Expected(const std::string& all) {
  const std::size_t kept = kSmall.head + kSmall.tail;
  if (all.size() <= kept) return all;
  return all.substr(0, kSmall.head) + Note(all.size() - kept) +
         all.substr(all.size() - kSmall.tail);
}

// Either all of `all`, or its head and a piece of at least a tail's length.
bool HoldsTheBeginningAndTheEnd(const std::string& log, const std::string& all) {
  if (all.starts_with(log)) return true;
  const std::size_t end = log.find("]\n");
  if (!all.starts_with(log.substr(0, kSmall.head)) || end == std::string::npos) return false;
  const std::string tail = log.substr(end + 2);
  const std::size_t place = all.find(tail);
  return place != std::string::npos && tail.size() >= kSmall.tail &&
         log.substr(kSmall.head, end + 2 - kSmall.head) == Note(place - kSmall.head);
}

class BoundedLogTest : public ::testing::Test {
 protected:
  Result<void> WriteInPieces(FileSystem& files, const std::string& all, std::size_t piece) {
    BELAY_TRY_ASSIGN(BoundedLog log, BoundedLog::Create(files, path_, kSmall));
    for (std::string_view rest = all; !rest.empty();) {
      BELAY_TRY(log.Append(rest.substr(0, piece)));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
    return log.Finish();
  }

  TempFolder folder_;
  std::string path_ = folder_ / "log";
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(BoundedLogTest, KeepsAllOfWhatIsShort) {
  ASSERT_TRUE(WriteInPieces(files_, Numbers(30), 7).ok());
  EXPECT_EQ(folder_.Read("log"), Numbers(30));
}

TEST_F(BoundedLogTest, ReportsHowMuchOfTheMiddleIsLeftOut) {
  ASSERT_TRUE(WriteInPieces(files_, Numbers(31), 7).ok());
  EXPECT_EQ(folder_.Read("log"), Numbers(10) + Note(1) + Numbers(31).substr(11));
}

TEST_F(BoundedLogTest, StartsEmpty) {
  folder_.Write("log", "of an earlier run");
  folder_.Write("log.new", "of one who was killed");
  ASSERT_TRUE(WriteInPieces(files_, "new", 1).ok());
  EXPECT_EQ(folder_.Read("log"), "new");
  EXPECT_EQ(*files_.List(folder_.path()), std::vector<std::string>{"log"});
}

TEST_F(BoundedLogTest, HoldsTheSameWhateverThePieces) {
  EXPECT_TRUE(rc::check([&](std::uint8_t piece, std::uint16_t size) {
    const std::string all = Numbers(size % 1000);
    RC_ASSERT(WriteInPieces(files_, all, std::size_t{1} + piece).ok());
    RC_ASSERT(folder_.Read("log") == Expected(all));
    RC_ASSERT(files_.List(folder_.path())->size() == 1U);
  }));
}

TEST_F(BoundedLogTest, HoldsTheBeginningAndTheEndAtEveryMoment) {
  const std::string all = Numbers(500);
  std::size_t looks = 0;
  WatchedCalls watched(calls_, [&](const WatchedCall&) {
    if (folder_.Read("log") == "(missing)" && looks == 0) return;
    ++looks;
    const std::string log = folder_.Read("log");
    EXPECT_TRUE(HoldsTheBeginningAndTheEnd(log, all)) << log;
  });
  FileSystem files(watched);
  ASSERT_TRUE(WriteInPieces(files, all, 3).ok());
  EXPECT_GT(looks, 500U);
}

TEST_F(BoundedLogTest, StaysWithinItsSlackWhileItGrows) {
  std::size_t longest = 0;
  WatchedCalls watched(
      calls_, [&](const WatchedCall&) { longest = std::max(longest, folder_.Read("log").size()); });
  FileSystem files(watched);
  ASSERT_TRUE(WriteInPieces(files, Numbers(500), 3).ok());
  EXPECT_LE(longest, 10 + 20 + 15 + Note(500).size() + 3);
}

TEST_F(BoundedLogTest, ManagesWhereNamesCannotChangePlaces) {
  FaultyCalls faulty(calls_);
  faulty.Plan({.kind = CallKind::kRenameSwap, .error = EINVAL, .lasting = true});
  FileSystem files(faulty);
  ASSERT_TRUE(WriteInPieces(files, Numbers(500), 3).ok());
  EXPECT_EQ(folder_.Read("log"), Expected(Numbers(500)));
}

TEST_F(BoundedLogTest, AFullDiskIsAnErrorAndLeavesWhatWasThere) {
  const std::string all = Numbers(200);
  FaultyCalls faulty(calls_);
  FileSystem files(faulty);
  ASSERT_TRUE(WriteInPieces(files, all, 5).ok());
  const std::size_t writes = faulty.count(CallKind::kWrite);
  for (std::size_t n = 1; n <= writes; ++n) {
    faulty.Restart();
    faulty.Plan({.kind = CallKind::kWrite, .number = n, .error = ENOSPC, .lasting = true});
    EXPECT_FALSE(WriteInPieces(files, all, 5).ok());
    EXPECT_TRUE(HoldsTheBeginningAndTheEnd(folder_.Read("log"), all)) << n;
    EXPECT_EQ(files_.List(folder_.path())->size(), 1U);
  }
}

TEST_F(BoundedLogTest, OneThatCannotBeMadeIsAnError) {
  EXPECT_FALSE(BoundedLog::Create(files_, folder_ / "missing/log").ok());
  EXPECT_FALSE(BoundedLog::Create(files_, folder_.path()).ok());
}

}  // namespace
}  // namespace belay
