#include "adapters/agent/lines_backwards.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "testing/temp_folder.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

class LinesBackwardsTest : public testing::Test {
 protected:
  std::vector<std::string> Read(const std::string& bytes, const BackwardLimits& limits = {}) {
    folder_.Write("f", bytes);
    const File file = *files_.OpenForReading(folder_ / "f");
    return All(file, limits);
  }
  static std::vector<std::string> All(const File& file, const BackwardLimits& limits) {
    LinesBackwards lines(file, limits);
    std::vector<std::string> all;
    while (const auto line = lines.Next()) all.emplace_back(*line);
    EXPECT_FALSE(lines.Next());
    return all;
  }

  using Lines = std::vector<std::string>;
  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(LinesBackwardsTest, GivesTheLastOneFirst) {
  EXPECT_EQ(Read("one\ntwo\nthree\n"), (Lines{"three", "two", "one"}));
  EXPECT_EQ(Read("one\ntwo\nthr"), (Lines{"thr", "two", "one"}));
  EXPECT_EQ(Read("one\r\ntwo\r\n"), (Lines{"two", "one"}));
  EXPECT_EQ(Read("one\n\n\n"), (Lines{"", "", "one"}));
  EXPECT_EQ(Read("\n"), Lines{""});
  EXPECT_EQ(Read(""), Lines{});
}

TEST_F(LinesBackwardsTest, ALineMayBeLongerThanAPieceButNotThanTheLimit) {
  const BackwardLimits limits{.first_piece = 4, .largest_piece = 8, .longest_line = 40};
  const std::string fits(40, 'a');
  EXPECT_EQ(Read("x\n" + fits + "\ny\n", limits), (Lines{"y", fits, "x"}));
  for (const std::size_t size : {41U, 48U, 49U, 400U}) {
    EXPECT_EQ(Read("x\n" + std::string(size, 'a') + "\ny\n", limits), (Lines{"y", "x"})) << size;
  }
  EXPECT_EQ(Read(std::string(100, 'a') + "\ny\n", limits), Lines{"y"});
}

TEST_F(LinesBackwardsTest, ReadsNoMoreThanItMay) {
  const BackwardLimits limits{.first_piece = 4, .largest_piece = 4, .most_bytes = 8};
  EXPECT_EQ(Read("1\n2\n3\n4\n5\n6\n7\n8\n", limits), (Lines{"8", "7", "6", "5"}));
}

TEST_F(LinesBackwardsTest, AFileThatIsCutWhileItIsReadEndsTheReading) {
  folder_.Write("f", "1\n2\n3\n4\n5\n6\n7\n8\n");
  int reads = 0;
  WatchedCalls watched(calls_, [&](const WatchedCall& call) {
    if (call.kind == CallKind::kRead && ++reads == 3) folder_.Write("f", "1\n");
  });
  const FileSystem files(watched);
  const File file = *files.OpenForReading(folder_ / "f");
  const BackwardLimits limits{.first_piece = 4, .largest_piece = 4};
  EXPECT_EQ(All(file, limits), (Lines{"8", "7"}));
}

TEST_F(LinesBackwardsTest, AreTheSameAsForwardsWhateverThePieces) {
  EXPECT_TRUE(rc::check([&] {
    const auto bytes = *rc::gen::container<std::string>(
        rc::gen::weightedElement<char>({{8, 'a'}, {2, '\n'}, {1, '\r'}, {1, '\0'}}));
    BackwardLimits limits;
    limits.first_piece = *rc::gen::inRange<std::size_t>(1, 9);
    limits.largest_piece = limits.first_piece * *rc::gen::inRange<std::size_t>(1, 5);
    limits.longest_line = *rc::gen::inRange<std::size_t>(0, 12);
    Lines expected;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.size() > limits.longest_line) continue;
      if (line.ends_with('\r')) line.remove_suffix(1);
      expected.emplace_back(line);
    }
    std::reverse(expected.begin(), expected.end());
    RC_ASSERT(Read(bytes, limits) == expected);
  }));
}

}  // namespace
}  // namespace belay
