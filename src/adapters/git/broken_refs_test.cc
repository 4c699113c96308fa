#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/refs.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BrokenRefsTest : public MergeTest {
 protected:
  // A commit with a file of its own that only this ref holds.
  ObjectId Hold(const std::string& ref) {
    repo_.Git({"checkout", "-q", "--detach", "main"});
    const ObjectId commit = CommitFile("of/" + ref, ref);
    repo_.Git({"checkout", "-q", "main"});
    repo_.Git({"update-ref", ref, commit.text()});
    return commit;
  }
  void Lose(const ObjectId& object) const {
    repo_.Remove(".git/objects/" + object.text().substr(0, 2) + "/" + object.text().substr(2));
  }
  RefHealth Inspect() {
    const auto health = InspectRefs(git_, "refs/belay/");
    EXPECT_TRUE(health.ok()) << (health ? "" : health.error().message);
    return health ? *health : RefHealth{};
  }
};

TEST_F(BrokenRefsTest, ThereAreNoneWhereAllIsWell) {
  EXPECT_EQ(Inspect().count, 0u);
  Hold("refs/belay/keep/main/1");
  Hold("refs/belay/merge/m1/head");
  EXPECT_EQ(Inspect().count, 2u);
  EXPECT_THAT(Inspect().broken, IsEmpty());
}

TEST_F(BrokenRefsTest, NamesEachWithWhatIsWrong) {
  Hold("refs/belay/keep/main/1");
  const ObjectId lost = Hold("refs/belay/keep/main/2");
  const ObjectId part = Hold("refs/belay/merge/m1/head");
  const ObjectId blob = Resolve(part.text() + ":of/refs/belay/merge/m1/head");
  Lose(lost);
  Lose(blob);
  repo_.Write(".git/refs/belay/merge/m2/head", "garbage\n");
  repo_.Write(".git/refs/belay/merge/m3/head", "");
  const RefHealth health = Inspect();
  EXPECT_EQ(health.count, 5u);
  ASSERT_EQ(health.broken.size(), 4u);
  EXPECT_EQ(health.broken[0], (BrokenRef{"refs/belay/merge/m2/head", BrokenRef::Why::kUnreadable}));
  EXPECT_EQ(health.broken[1], (BrokenRef{"refs/belay/merge/m3/head", BrokenRef::Why::kUnreadable}));
  EXPECT_EQ(health.broken[2], (BrokenRef{"refs/belay/keep/main/2", BrokenRef::Why::kLost, lost}));
  EXPECT_EQ(health.broken[3].name, "refs/belay/merge/m1/head");
  EXPECT_EQ(health.broken[3].why, BrokenRef::Why::kIncomplete);
  EXPECT_THAT(health.broken[3].missing, HasSubstr(blob.text()));
}

TEST_F(BrokenRefsTest, BrokenBranchesAreNotOurs) {
  Hold("refs/belay/keep/main/1");
  Lose(Hold("refs/heads/lost"));
  EXPECT_THAT(Inspect().broken, IsEmpty());
}

}  // namespace
}  // namespace belay
