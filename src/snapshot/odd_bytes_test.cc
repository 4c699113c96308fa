#include "snapshot/odd_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  Names names;
  for (const auto& [path, id] : odd->files) names.push_back(path);
  return names;
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
  EXPECT_EQ(Find(repository), (Names{"crlf", "mixed", "with\nnewline"}));
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

TEST(OddBytes, AreThoseThatAFilterDoesNotBringBack) {
  GitRepository repository;
  repository.Git({"config", "filter.short.clean", "head -c 1"});
  repository.Git({"config", "filter.both.clean", "tr a b"});
  repository.Git({"config", "filter.both.smudge", "sed s/b/aa/"});
  repository.Write(".gitattributes", "*.cut filter=short\n*.both filter=both\n");
  repository.Write("lossy.cut", "large content\n");
  repository.Write("lossy.both", "a\n");
  repository.CommitAll("filtered");
  EXPECT_EQ(Find(repository), (Names{"lossy.both", "lossy.cut"}));
}

TEST(OddBytes, AreFoundWithEveryKindOfIndexAndAttributes) {
  GitRepository repository;
  repository.Write("sub/.gitattributes", "* text=auto\n");
  repository.Write("sub/crlf", "a\r\n");
  repository.CommitAll("normalised");
  repository.Git({"update-index", "--index-version", "4"});
  EXPECT_EQ(Find(repository), Names{"sub/crlf"});
  repository.Git({"update-index", "--index-version", "2"});
  repository.Git({"update-index", "--split-index"});
  EXPECT_EQ(Find(repository), Names{"sub/crlf"});
  repository.Git({"config", "core.autocrlf", "yes"});
  repository.Write("lf", "a\n");
  repository.CommitAll("with a file that git would write otherwise");
  EXPECT_NE(std::ranges::count(Find(repository), "lf"), 0);
}

TEST(OddBytes, AreAllInAnotherEncoding) {
  GitRepository repository;
  repository.Write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n");
  repository.Write("be.u16", std::string("\xfe\xff\0a\0\n", 6));
  repository.Git({"add", ".gitattributes", "be.u16"});
  repository.CommitAll("encoded");
  EXPECT_EQ(Find(repository), Names{"be.u16"});
}

TEST(OddBytes, AreCapturedAndAReasonForANewSnapshot) {
  GitRepository repository;
  repository.Write(".gitattributes", "* text=auto\n*.bat eol=crlf\n");
  repository.Write("crlf", "a\r\nb\r\n");
  repository.Write("lf.bat", "a\n");
  repository.CommitAll("normalised");
  TestPlace place(repository.path());
  const auto taken = place.Take();
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(repository.Git({"cat-file", "blob", taken->snapshot.commit.text() + ":crlf"}),
            "a\r\nb\r\n");
  EXPECT_EQ(taken->snapshot.record.raw, Names{"lf.bat"});
  EXPECT_TRUE(taken->snapshot.record.converts);
  EXPECT_FALSE(place.Take()->is_new);
  repository.Write("crlf", "a\nb\n");
  repository.Git({"add", "crlf"});
  EXPECT_TRUE(place.Take()->is_new);
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
