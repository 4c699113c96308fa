#include "snapshot/saved_snapshot.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "snapshot/test_place.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SavedSnapshotTest : public ::testing::Test {
 protected:
  SavedSnapshot Take() {
    repository_.Write("counter", fmt::format("{}", ++counter_));
    Result<Taken> taken = place_.Take();
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    return taken->snapshot;
  }
  Result<SavedSnapshot> Find(std::string_view text) {
    return FindSnapshot(place_.git(), place_.keep(), text);
  }
  std::vector<std::string> Ids(const std::optional<KeepName>& keep = std::nullopt) {
    std::vector<std::string> ids;
    const auto all = ListSnapshots(place_.git(), keep);
    EXPECT_TRUE(all.ok()) << all.error().message;
    for (const SavedSnapshot& one : *all) ids.push_back(one.id.text());
    return ids;
  }

  GitRepository repository_;
  TestPlace place_{repository_.path()};
  int counter_ = 0;
};

TEST_F(SavedSnapshotTest, IsReadAsItWasTaken) {
  const SavedSnapshot taken = Take();
  const auto all = ListSnapshots(place_.git(), std::nullopt);
  ASSERT_EQ(all->size(), 1U);
  const SavedSnapshot& read = (*all)[0];
  EXPECT_EQ(read.id, taken.id);
  EXPECT_EQ(read.commit, taken.commit);
  EXPECT_EQ(read.base, taken.base);
  EXPECT_EQ(read.index, taken.index);
  EXPECT_EQ(read.untracked, taken.untracked);
  EXPECT_TRUE(read.rest.IsNone());
  SnapshotRecord record = taken.record;  // stored times have microseconds
  record.at = std::chrono::floor<std::chrono::microseconds>(record.at);
  EXPECT_EQ(read.record, record);
  EXPECT_TRUE(read.readable);
}

TEST_F(SavedSnapshotTest, AreListedOldestFirstWithinAName) {
  for (int i = 0; i < 11; ++i) Take();
  const std::string ref = "refs/belay/keep/other/1";
  repository_.Git({"update-ref", ref, "refs/belay/keep/main/1"});
  EXPECT_THAT(Ids(place_.keep()),
              ElementsAre("main/1", "main/2", "main/3", "main/4", "main/5", "main/6", "main/7",
                          "main/8", "main/9", "main/10", "main/11"));
  EXPECT_THAT(Ids(*KeepName::Parse("other")), ElementsAre("other/1"));
  EXPECT_EQ(Ids().size(), 12U);
  EXPECT_EQ((*LastSnapshot(place_.git(), place_.keep()))->id.text(), "main/11");
  EXPECT_FALSE(LastSnapshot(place_.git(), *KeepName::Parse("nobody"))->has_value());
}

TEST_F(SavedSnapshotTest, IsFoundByEachOfItsNames) {
  const SavedSnapshot first = Take();
  Take();
  for (const std::string& name : {std::string("main/1"), std::string("1"), first.id.Ref(),
                                  first.commit.text(), first.commit.text().substr(0, 7)}) {
    const Result<SavedSnapshot> found = Find(name);
    ASSERT_TRUE(found.ok()) << name << ": " << found.error().message;
    EXPECT_EQ(found->commit, first.commit);
  }
}

TEST_F(SavedSnapshotTest, ThatIsNotThereIsNotFound) {
  Take();
  for (const std::string& name :
       {std::string("main/2"), std::string("2"), std::string("other/1"), std::string(40, 'a'),
        std::string("abcdef0"), std::string("1234567")}) {
    const Result<SavedSnapshot> found = Find(name);
    ASSERT_FALSE(found.ok()) << name;
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound) << name << found.error().message;
    EXPECT_THAT(found.error().hint, HasSubstr("snapshot list"));
  }
}

TEST_F(SavedSnapshotTest, ThatCantBeIsAWrongUse) {
  for (const std::string_view name : {"", "HEAD", "main", "abc", "*", "main/*", "--help"}) {
    const Result<SavedSnapshot> found = Find(name);
    ASSERT_FALSE(found.ok()) << name;
    EXPECT_EQ(found.error().code, ErrorCode::kUsage) << name;
  }
}

// The same commit under two names is one match; two commits need more digits.
TEST_F(SavedSnapshotTest, ThatHasTwoNamesIsFoundByItsCommit) {
  const SavedSnapshot taken = Take();
  repository_.Git({"update-ref", "refs/belay/keep/other/1", taken.commit.text()});
  EXPECT_TRUE(Find(taken.commit.text()).ok());
}

TEST_F(SavedSnapshotTest, OfAnotherShapeIsNone) {
  repository_.Git({"update-ref", "refs/belay/keep/main/5", "HEAD"});
  EXPECT_TRUE(Ids().empty());
  EXPECT_FALSE(LastSnapshot(place_.git(), place_.keep())->has_value());
  const Result<SavedSnapshot> found = Find("main/5");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kDamaged);
}

TEST_F(SavedSnapshotTest, OfAnotherNameThanANumberIsNone) {
  const SavedSnapshot taken = Take();
  repository_.Git({"update-ref", "refs/belay/keep/main/x", taken.commit.text()});
  repository_.Git({"update-ref", "refs/belay/keep/main/sub/9", taken.commit.text()});
  EXPECT_THAT(Ids(), ElementsAre("main/1"));
  EXPECT_EQ((*LastSnapshot(place_.git(), place_.keep()))->id.text(), "main/1");
}

TEST_F(SavedSnapshotTest, OfANewerBelayIsListedButNotReadable) {
  const SavedSnapshot taken = Take();
  const std::string commit =
      repository_.Git({"commit-tree", taken.commit.text() + "^{tree}", "-p", taken.base.text(),
                       "-p", taken.index.text(), "-p", taken.untracked.text(), "-m", "later", "-m",
                       R"({"schema_version":2})"});
  repository_.Git({"update-ref", "refs/belay/keep/main/2", commit.substr(0, 40)});
  const auto last = LastSnapshot(place_.git(), place_.keep());
  ASSERT_TRUE(last->has_value());
  EXPECT_FALSE((*last)->readable);
  EXPECT_EQ(Take().id.text(), "main/3");
}

// A damaged snapshot must not hide others, nor prevent taking the next one.
TEST_F(SavedSnapshotTest, ThatIsDamagedDoesNotHideTheOthers) {
  Take();
  repository_.Write(".git/refs/belay/keep/main/2", std::string(40, 'a') + "\n");
  repository_.Write(".git/refs/belay/keep/main/3", "garbage\n");
  EXPECT_THAT(Ids(), ElementsAre("main/1"));
  EXPECT_EQ(Take().id.text(), "main/4");
  EXPECT_TRUE(Find("1").ok());
}

}  // namespace
}  // namespace belay
