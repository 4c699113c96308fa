#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/objects.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using std::string_literals::operator""s;

const std::string kIdA(40, 'a');
const std::string kIdB(40, 'b');
const std::string kC(64, 'c');

ObjectId Id(const std::string& text) { return *ObjectId::Parse(text); }

const std::string kSigned =
    "tree " + kIdA + "\nparent " + kIdB +
    "\nauthor \xfc <> 1 -0099\ncommitter x\nencoding latin1\n"
    "gpgsig -----BEGIN\n abc\n \n -----END\nodd header\nmergetag object x\n y\n"
    "gpgsig-sha256 x\n y\nlast 1\n\nmess\xfcge\0\n"s;

TEST(RawCommit, KeepsAllBytesButSignatures) {
  const auto commit = RawCommit::Parse(kSigned);
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->tree(), Id(kIdA));
  EXPECT_THAT(commit->parents(), ElementsAre(Id(kIdB)));
  EXPECT_EQ(commit->Header("encoding"), "latin1");
  EXPECT_EQ(commit->Header("none"), "");
  EXPECT_EQ(commit->message(), "mess\xfcge\0\n"s);
  const ObjectId parents[] = {Id(kC)};
  EXPECT_EQ(commit->Elsewhere(Id(kC), parents),
            "tree " + kC + "\nparent " + kC +
                "\nauthor \xfc <> 1 -0099\ncommitter x\nencoding latin1\nodd header\nlast 1\n\n"
                "mess\xfcge\0\n"s);
}

TEST(RawCommit, WithoutSignaturesIsTheSameInTheSamePlace) {
  for (const std::string& bytes :
       {"tree " + kIdA + "\nauthor a\n\n", "tree " + kIdA + "\nauthor a\n",
        "tree " + kIdA + "\nauthor a",
        "tree " + kIdA + "\nparent " + kIdB + "\nparent " + kC + "\na b\n\n\n\nm",
        "tree " + kIdA + "\nauthor a\nparent x\n\nm"}) {
    const auto commit = RawCommit::Parse(bytes);
    ASSERT_TRUE(commit) << bytes;
    EXPECT_EQ(commit->Elsewhere(commit->tree(), commit->parents()), bytes);
  }
}

TEST(RawCommit, GetsAnotherCommitterDateAndKeepsTheRest) {
  const WallTime time{std::chrono::milliseconds(1'700'000'000'999)};
  const auto dated = [&](const std::string& committer) {
    const std::string start = "tree " + kIdA + "\nauthor a <a@x> 1 +0100\n";
    const auto commit = RawCommit::Parse(start + "committer " + committer + "\nodd 2 3\n\nm\n");
    const std::string bytes = commit->Elsewhere(commit->tree(), commit->parents(), time);
    EXPECT_TRUE(bytes.starts_with(start + "committer ")) << bytes;
    EXPECT_TRUE(bytes.ends_with("\nodd 2 3\n\nm\n")) << bytes;
    const std::size_t at = start.size() + std::string_view("committer ").size();
    return bytes.substr(at, bytes.find('\n', at) - at);
  };
  EXPECT_EQ(dated("Ann <ann@x> 5 -0700"), "Ann <ann@x> 1700000000 +0000");
  EXPECT_EQ(dated("A > B <> 5 -0700"), "A > B <> 1700000000 +0000");
  EXPECT_EQ(dated("nobody"), "nobody");
}

TEST(RawCommit, NothingBecomesAParentBecauseASignatureIsGone) {
  const std::string start = "tree " + kIdA + "\nparent " + kIdB + "\n";
  const auto commit =
      RawCommit::Parse(start + "gpgsig x\nparent " + kC + "\nmergetag y\nparent z\nauthor a\n\nm");
  ASSERT_TRUE(commit);
  EXPECT_THAT(commit->parents(), ElementsAre(Id(kIdB)));
  EXPECT_EQ(commit->Elsewhere(commit->tree(), commit->parents()), start + "author a\n\nm");
}

TEST(RawCommit, CutAnywhereIsReadOrRefused) {
  for (std::size_t length = 0; length < kSigned.size(); ++length) {
    const auto commit = RawCommit::Parse(std::string_view(kSigned).substr(0, length));
    const bool tree_is_whole = length >= 5 + 40;
    const bool cut_in_parent = length >= 46 + 7 && length < 46 + 7 + 40;
    EXPECT_EQ(commit.ok(), tree_is_whole && !cut_in_parent) << length;
  }
}

}  // namespace
}  // namespace belay
