#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/status.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kNoObject(40, '0');
const std::string kObjectA(40, 'a');
const std::string kObjectB(40, 'b');

std::string Line(const std::string& fields, const std::string& path) {
  return ":" + fields + '\0' + path + '\0';
}

const std::string kChange = Line("100644 100755 " + kObjectA + " " + kObjectB + " M", "a\nb");
const std::string kNew = Line("000000 120000 " + kNoObject + " " + kObjectB + " A", "n");

TEST(ParseTreeChanges, ReadsEachChange) {
  const auto changes = ParseTreeChanges(kChange + kNew);
  ASSERT_TRUE(changes);
  EXPECT_THAT(*changes, ElementsAre(TreeChange{"a\nb",
                                               {kFileMode, *ObjectId::Parse(kObjectA)},
                                               {kProgramMode, *ObjectId::Parse(kObjectB)}},
                                    TreeChange{"n", {}, {kLinkMode, *ObjectId::Parse(kObjectB)}}));
}

TEST(ParseTreeChanges, CutAnywhereIsAnErrorOrABeginning) {
  const std::string all = kChange + kNew;
  for (std::size_t length = 0; length < all.size(); ++length) {
    const auto changes = ParseTreeChanges(all.substr(0, length));
    const bool whole = length == 0 || length == kChange.size();
    ASSERT_EQ(changes.ok(), whole) << length;
    EXPECT_TRUE(changes.ok() || changes.error().code == ErrorCode::kDamaged);
  }
}

TEST(ParseTreeChanges, RefusesWhatItDoesntKnow) {
  for (const std::string& wrong : {std::string("x"), kObjectA + '\0', Line("100644", "a"),
                                   Line("100644 100644 " + kObjectA + " " + kObjectB + " M", ""),
                                   Line("100644 100644 " + kObjectA + " b M", "a")}) {
    EXPECT_FALSE(ParseTreeChanges(wrong)) << wrong;
  }
}

class CompareCommitsTest : public GitTest {
 protected:
  std::vector<TreeChange> Compare(const ObjectId& before, const ObjectId& after) {
    const TreePair pair{before, after};
    auto changes = CompareCommits(git_, {&pair, 1});
    EXPECT_TRUE(changes.ok()) << (changes ? "" : changes.error().message);
    return changes && changes->size() == 1 ? (*changes)[0] : std::vector<TreeChange>();
  }

  const ObjectId first_ = Resolve("HEAD");
};

TEST_F(CompareCommitsTest, OfTheSameCommitHasNoChanges) {
  EXPECT_THAT(Compare(first_, first_), IsEmpty());
}

TEST_F(CompareCommitsTest, ComparesACommitWithoutParentsToNothing) {
  const auto changes = Compare({}, first_);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].path, "tracked.txt");
  EXPECT_FALSE(changes[0].before.IsThere());
  EXPECT_EQ(changes[0].after.id, Resolve("HEAD:tracked.txt"));
}

TEST_F(CompareCommitsTest, ComparesACommitWithParentsToNothing) {
  repo_.Write("second", "x");
  repo_.CommitAll("second");
  EXPECT_EQ(Compare({}, Resolve("HEAD")).size(), 2u);
}

TEST_F(CompareCommitsTest, SeesModesKindsAndFilesThatBecomeFolders) {
  repo_.Write("become", "x");
  repo_.Write("change", "x");
  repo_.CommitAll("second");
  const ObjectId second = Resolve("HEAD");
  repo_.Remove("become");
  repo_.Write("become/inner", "x");
  repo_.SetMode("change", 0755);
  repo_.Remove("tracked.txt");
  repo_.MakeLink("x", "tracked.txt");
  repo_.CommitAll("third");
  const auto changes = Compare(second, Resolve("HEAD"));
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].path, "become");
  EXPECT_FALSE(changes[0].after.IsThere());
  EXPECT_EQ(changes[1].path, "become/inner");
  EXPECT_EQ(changes[2].after.mode, kProgramMode);
  EXPECT_EQ(changes[2].before.id, changes[2].after.id);
  EXPECT_EQ(changes[3].after.mode, kLinkMode);
}

TEST_F(CompareCommitsTest, SeesSubmodulesMove) {
  repo_.Git({"update-index", "--add", "--cacheinfo", "160000," + kObjectA + ",sub"});
  repo_.Git({"commit", "-q", "-m", "sub"});
  const ObjectId before = Resolve("HEAD");
  repo_.Git({"update-index", "--cacheinfo", "160000," + kObjectB + ",sub"});
  repo_.Git({"commit", "-q", "-m", "moved"});
  EXPECT_THAT(Compare(before, Resolve("HEAD")),
              ElementsAre(TreeChange{"sub",
                                     {kSubmoduleMode, *ObjectId::Parse(kObjectA)},
                                     {kSubmoduleMode, *ObjectId::Parse(kObjectB)}}));
}

TEST_F(CompareCommitsTest, ComparesMergesOnlyWithTheCommitThatIsGiven) {
  repo_.Git({"checkout", "-q", "-b", "other"});
  repo_.Write("theirs", "x");
  repo_.CommitAll("theirs");
  repo_.Git({"checkout", "-q", "main"});
  repo_.Write("ours", "x");
  repo_.CommitAll("ours");
  repo_.Git({"merge", "-q", "-m", "merge", "other"});
  const auto changes = Compare(first_, Resolve("HEAD"));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].path, "ours");
  EXPECT_EQ(changes[1].path, "theirs");
}

TEST_F(CompareCommitsTest, TakesManyPairsInTheirOrder) {
  repo_.Write("second", "x");
  repo_.CommitAll("second");
  const ObjectId second = Resolve("HEAD");
  const std::vector<TreePair> pairs = {
      {first_, second}, {second, second}, {second, first_}, {{}, first_}};
  const auto changes = CompareCommits(git_, pairs);
  ASSERT_TRUE(changes) << changes.error().message;
  ASSERT_EQ(changes->size(), 4u);
  EXPECT_FALSE((*changes)[0][0].before.IsThere());
  EXPECT_THAT((*changes)[1], IsEmpty());
  EXPECT_FALSE((*changes)[2][0].after.IsThere());
  EXPECT_EQ((*changes)[3][0].path, "tracked.txt");
}

TEST_F(CompareCommitsTest, WorksInASha256Repository) {
  const std::string folder = repo_.outside() / "long";
  repo_.GitIn(repo_.outside().path(), {"init", "-q", "--object-format=sha256", folder});
  repo_.outside().Write("long/a", "x");
  repo_.GitIn(folder, {"add", "a"});
  repo_.GitIn(folder, {"commit", "-q", "-m", "a"});
  const std::string head = repo_.GitIn(folder, {"rev-parse", "HEAD"});
  const TreePair pair{{}, *ObjectId::Parse(head.substr(0, 64))};
  const auto changes = CompareCommits(git_.In(folder), {&pair, 1});
  ASSERT_TRUE(changes) << changes.error().message;
  ASSERT_EQ((*changes)[0].size(), 1u);
  EXPECT_EQ((*changes)[0][0].path, "a");
}

TEST_F(CompareCommitsTest, OfNoPairsIsNothing) {
  const auto changes = CompareCommits(git_, {});
  ASSERT_TRUE(changes);
  EXPECT_THAT(*changes, IsEmpty());
}

TEST_F(CompareCommitsTest, OfACommitThatIsNotThereIsAnError) {
  const TreePair pair{first_, *ObjectId::Parse(kObjectA)};
  EXPECT_FALSE(CompareCommits(git_, {&pair, 1}));
  const TreePair other{*ObjectId::Parse(kObjectA), first_};
  EXPECT_FALSE(CompareCommits(git_, {&other, 1}));
}

}  // namespace
}  // namespace belay
