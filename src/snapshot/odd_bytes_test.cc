#include "snapshot/odd_bytes.h"

#include <gtest/gtest.h>

#include "snapshot/test_place.h"

namespace belay {
namespace {

using Names = std::vector<std::string>;

Names Find(const GitRepository& repository) {
  TestPlace place(repository.path());
  const auto status = ReadStatus(place.git());
  EXPECT_TRUE(status.ok());
  const auto odd = FindOddBytes(place.worktree(), *status);
  EXPECT_TRUE(odd.ok()) << odd.error().message;
  return *odd;
}

TEST(OddBytes, AreNoneWhereNothingIsConverted) {
  GitRepository repository;
  repository.Write("crlf", "a\r\nb\r\n");
  repository.CommitAll("as it is");
  EXPECT_EQ(Find(repository), Names());
}

TEST(OddBytes, AreThoseThatGitNormalises) {
  GitRepository repository;
  repository.Write(".gitattributes", "* text=auto\n");
  repository.Write("crlf", "a\r\nb\r\n");
  repository.Write("mixed", "a\r\nb\n");
  repository.Write("lf", "a\nb\n");
  repository.Write("with\nnewline", "a\r\n");
  repository.CommitAll("normalised");
  Names odd = Find(repository);
  std::sort(odd.begin(), odd.end());
  EXPECT_EQ(odd, (Names{"crlf", "mixed", "with\nnewline"}));
}

TEST(OddBytes, AreNotThoseThatGitWouldWriteTheSameWay) {
  GitRepository repository;
  repository.Write(".gitattributes", "*.bat text eol=crlf\n");
  repository.Write("crlf.bat", "a\r\nb\r\n");
  repository.Write("lf.bat", "a\nb\n");
  repository.CommitAll("normalised");
  EXPECT_EQ(Find(repository), Names{"lf.bat"});
}

TEST(OddBytes, AreFoundUnderAutocrlfToo) {
  GitRepository repository;
  repository.Git({"config", "core.autocrlf", "input"});
  repository.Write("crlf", "a\r\nb\r\n");
  repository.CommitAll("normalised");
  EXPECT_EQ(Find(repository), Names{"crlf"});
}

TEST(OddBytes, LeaveFilesWithAFilterToIt) {
  GitRepository repository;
  repository.Git({"config", "filter.short.clean", "head -c 1"});
  repository.Git({"config", "filter.short.smudge", "cat; echo more"});
  repository.Write(".gitattributes", "*.big filter=short\n");
  repository.Write("a.big", "large content\n");
  repository.CommitAll("filtered");
  EXPECT_EQ(Find(repository), Names());
}

TEST(OddBytes, AreCapturedAndNoReasonForANewSnapshot) {
  GitRepository repository;
  repository.Write(".gitattributes", "* text=auto\n");
  repository.Write("crlf", "a\r\nb\r\n");
  repository.CommitAll("normalised");
  TestPlace place(repository.path());
  const auto taken = place.Take();
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(repository.Git({"cat-file", "blob", taken->snapshot.commit.text() + ":crlf"}),
            "a\r\nb\r\n");
  const auto again = place.Take();
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->is_new);
}

TEST(MarkedSizes, AreTheSameInPiecesOfAnyLength) {
  const std::string text = "MARK\nabc\n\nMARK\n\nMARK\nMARX\n\n";
  for (std::size_t length = 1; length <= text.size(); ++length) {
    MarkedSizes sizes("MARK");
    for (std::size_t at = 0; at < text.size(); at += length) sizes.Add(text.substr(at, length));
    EXPECT_EQ(sizes.Finish(), (std::vector<std::uint64_t>{4, 0, 5})) << length;
  }
}

TEST(MarkedSizes, AreNoneOfNothing) { EXPECT_TRUE(MarkedSizes("MARK").Finish().empty()); }

}  // namespace
}  // namespace belay
