#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/merge_trees.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ConflictRange Range(std::size_t ours, std::size_t our_lines, std::size_t theirs,
                    std::size_t their_lines) {
  return {{ours, our_lines}, {theirs, their_lines}};
}

TEST(ParseHunks, ReadsNumbersAndNewLines) {
  const auto hunks = ParseHunks(
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3 +3,2 @@ f()\n-a\n+b\n+@@ -1 +1 @@\n"
      "@@ -9,0 +11 @@\n+n\n\\ No newline at end of file\n");
  ASSERT_TRUE(hunks);
  EXPECT_THAT(*hunks,
              ElementsAre(DiffHunk{{3, 1}, {3, 2}, "+b\n+@@ -1 +1 @@\n"},
                          DiffHunk{{10, 0}, {11, 1}, "+n\n\\ No newline at end of file\n"}));
}

TEST(ParseHunks, RefusesWhatItDoesntKnow) {
  for (const char* wrong : {"@@ -", "@@ -x +1 @@", "@@ -1 1 @@", "@@ -1 +1", "@@ -1, +1 @@"}) {
    EXPECT_FALSE(ParseHunks(wrong)) << wrong;
  }
}

TEST(ParseHunks, RefusesHunksThatDontFollowEachOther) {
  for (const char* wrong :
       {"@@ -0 +0 @@", "@@ -2 +3 @@", "@@ -4294967296 +4294967296 @@", "@@ -3 +3 @@\n@@ -2 +2 @@",
        "@@ -3 +3 @@\n@@ -3 +3 @@", "@@ -3 +3 @@\n@@ -4 +4 @@", "@@ -3 +3,2 @@\n@@ -7 +7 @@"}) {
    EXPECT_FALSE(ParseHunks(wrong)) << wrong;
  }
  EXPECT_TRUE(ParseHunks("@@ -3 +3,2 @@\n@@ -7 +8 @@\n@@ -9,0 +11 @@\n@@ -11 +12,0 @@"));
}

TEST(GroupHunks, FindsWhatOverlapsOrTouches) {
  const DiffHunk third{{3, 1}, {3, 1}, "+a\n"};
  const DiffHunk fourth{{4, 1}, {4, 2}, "+b\n+c\n"};
  const DiffHunk fifth{{5, 1}, {5, 1}, "+d\n"};
  EXPECT_THAT(GroupHunks({&third, 1}, {&fourth, 1}), ElementsAre(Range(3, 2, 3, 3)));
  EXPECT_THAT(GroupHunks({&third, 1}, {&fifth, 1}), IsEmpty());
  EXPECT_THAT(GroupHunks({&third, 1}, {&third, 1}), IsEmpty());
  EXPECT_THAT(GroupHunks({&third, 1}, {}), IsEmpty());
}

TEST(GroupHunks, JoinsAllThatOneLongChangeTouches) {
  const std::vector<DiffHunk> ours = {{{2, 1}, {2, 1}, "+a\n"}, {{6, 1}, {6, 3}, "+b\n"}};
  const std::vector<DiffHunk> theirs = {{{1, 8}, {1, 1}, "+x\n"}, {{20, 1}, {13, 1}, "+y\n"}};
  EXPECT_THAT(GroupHunks(ours, theirs), ElementsAre(Range(1, 10, 1, 1)));
}

class ConflictRangesTest : public MergeTest {
 protected:
  ObjectId Blob(const std::string& bytes) const {
    const auto answer =
        git_.Run({.arguments = {"hash-object", "-w", "--stdin"}, .input = InputOf(bytes)});
    return *ObjectId::Parse(answer->out.substr(0, 40));
  }
  std::vector<ConflictRange> Find(const ThreeBlobs& blobs) {
    const auto ranges = FindConflictRanges(OpenRoom(Resolve("HEAD")), blobs);
    EXPECT_TRUE(ranges.ok()) << (ranges ? "" : ranges.error().message);
    return ranges ? *ranges : std::vector<ConflictRange>();
  }
};

TEST_F(ConflictRangesTest, NamesTheLinesOfBothSides) {
  EXPECT_THAT(
      Find({Blob("1\n2\n3\n4\n5\n"), Blob("0\n1\n2\nX\n4\n5\n"), Blob("1\n2\nY\nZ\n4\n5\n")}),
      ElementsAre(Range(4, 1, 3, 2)));
}

TEST_F(ConflictRangesTest, OfAChangeAgainstADeletionIsAPlaceOnOneSide) {
  EXPECT_THAT(Find({Blob("1\n2\n3\n"), Blob("1\n3\n"), Blob("1\nX\n3\n")}),
              ElementsAre(Range(2, 0, 2, 1)));
}

TEST_F(ConflictRangesTest, OfFilesThatBothAddedAreWhole) {
  EXPECT_THAT(Find({{}, Blob("a\nb\n"), Blob("c\n")}), ElementsAre(Range(1, 2, 1, 1)));
}

TEST_F(ConflictRangesTest, OfBinaryFilesAreNone) {
  using std::string_literals::operator""s;
  EXPECT_THAT(Find({Blob("a\0b"s), Blob("a\0c"s), Blob("a\0d"s)}), IsEmpty());
}

TEST_F(ConflictRangesTest, SeeAMissingEndOfTheLastLine) {
  EXPECT_THAT(Find({Blob("1\n2\n"), Blob("1\nX"), Blob("1\nX\n")}), ElementsAre(Range(2, 1, 2, 1)));
}

TEST_F(ConflictRangesTest, WhatBothDidIsNone) {
  EXPECT_THAT(
      Find({Blob("1\n2\n3\n4\n5\n6\n"), Blob("X\n2\n3\n4\nA\n6\n"), Blob("X\n2\n3\n4\nB\n6\n")}),
      ElementsAre(Range(5, 1, 5, 1)));
}

}  // namespace
}  // namespace belay
