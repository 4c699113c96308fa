#include "merge/ref_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kZeros(40, '0');
const std::string kOld(40, 'a');
const std::string kNew(40, 'b');
const std::string kOther(40, 'c');
constexpr std::string_view kMain = "refs/heads/main";

ObjectId Id(const std::string& text) { return *ObjectId::Parse(text); }

class RefGuardTest : public ::testing::Test {
 protected:
  bool May(const std::string& from, const std::string& to) const {
    return MayMove({from, to, kMain}, values_, target_);
  }

  RefValues values_{.loose = Id(kOld)};
  MergeTarget target_{.branch = "main", .guarded = true};
};

TEST_F(RefGuardTest, ReadsWhatGitWrites) {
  const std::string text =
      kOld + " " + kNew + " HEAD\n" + kZeros + " " + kNew + " refs/heads/a b\n";
  EXPECT_THAT(ParseRefUpdates(text), ElementsAre(RefUpdate{kOld, kNew, "HEAD"},
                                                 RefUpdate{kZeros, kNew, "refs/heads/a b"}));
}

TEST_F(RefGuardTest, LeavesOutWhatIsNoWholeLine) {
  EXPECT_THAT(ParseRefUpdates(""), IsEmpty());
  EXPECT_THAT(ParseRefUpdates("\n\n"), IsEmpty());
  EXPECT_THAT(ParseRefUpdates("a b\nc\n"), IsEmpty());
  EXPECT_THAT(ParseRefUpdates("a b c\nd e f"), ElementsAre(RefUpdate{"a", "b", "c"}));
}

TEST_F(RefGuardTest, RefusesEveryUnannouncedMove) {
  EXPECT_FALSE(May(kOld, kNew));
  EXPECT_FALSE(May(kZeros, kNew));
  EXPECT_FALSE(May(kOld, "ref:refs/heads/evil"));
  values_ = {};
  EXPECT_FALSE(May(kZeros, kNew)) << "it would be made anew";
}

TEST_F(RefGuardTest, LetsPassExactlyWhatWasAnnounced) {
  target_.move = TargetMove{kOld, kNew};
  EXPECT_TRUE(May(kOld, kNew));
  EXPECT_TRUE(May(kZeros, kNew)) << "from whatever it says, which is what was announced";
  EXPECT_FALSE(May(kOld, kOther));
  EXPECT_FALSE(May(kOther, kNew));
  EXPECT_FALSE(May(kOld, kZeros));
  values_.loose = Id(kOther);
  EXPECT_FALSE(May(kZeros, kNew));
}

TEST_F(RefGuardTest, LetsPassWhatChangesNothing) {
  EXPECT_TRUE(May(kOld, kOld));
  EXPECT_TRUE(May(kZeros, kOld)) << "pack-refs writes it into packed-refs";
  values_ = {.packed = Id(kOld)};
  EXPECT_TRUE(May(kZeros, kOld));
  EXPECT_TRUE(ChangesNothing({kOld, kOld, kMain}));
  EXPECT_FALSE(ChangesNothing({kZeros, kZeros, kMain}));
}

TEST_F(RefGuardTest, AllowsRemovingTheFileWhenPackedRefsHasTheSame) {
  EXPECT_FALSE(May(kOld, kZeros)) << "it is in no other place";
  values_.packed = Id(kOther);
  EXPECT_FALSE(May(kOld, kZeros)) << "it would fall back";
  values_.packed = Id(kOld);
  EXPECT_TRUE(May(kOld, kZeros));
}

TEST_F(RefGuardTest, RefusesToDelete) {
  EXPECT_FALSE(May(kZeros, kZeros));
  values_.packed = Id(kOld);
  EXPECT_FALSE(May(kZeros, kZeros));
  values_ = {.packed = Id(kOld)};
  EXPECT_FALSE(May(kZeros, kZeros));
  values_ = {};
  EXPECT_TRUE(May(kZeros, kZeros)) << "it isn't there";
}

TEST_F(RefGuardTest, FindsARefAmongThePackedOnes) {
  const std::string text = "# pack-refs with: peeled fully-peeled sorted \n" + kOther +
                           " refs/heads/main2\n" + kOld + " refs/heads/main\n" + kNew +
                           " refs/tags/v1\n^" + kOther + "\n";
  EXPECT_EQ(FindPackedRef(text, kMain), Id(kOld));
  EXPECT_EQ(FindPackedRef(text, "refs/tags/v1"), Id(kNew));
  EXPECT_TRUE(FindPackedRef(text, "refs/heads/mai").IsNone());
  EXPECT_TRUE(FindPackedRef(text, "heads/main").IsNone());
  EXPECT_EQ(FindPackedRef(kOld + " refs/heads/main", kMain), Id(kOld)) << "no header, no newline";
  EXPECT_TRUE(FindPackedRef("", kMain).IsNone());
}

TEST_F(RefGuardTest, ReportsWhatItRefusedAndWhatToDo) {
  const Error moved = RefusalOf({kOld, kNew, kMain}, values_, "main");
  EXPECT_EQ(moved.code, ErrorCode::kRefused);
  EXPECT_THAT(moved.message, HasSubstr("main is protected and stays at aaaaaaaaaa"));
  EXPECT_THAT(moved.message, HasSubstr("to bbbbbbbbbb"));
  EXPECT_THAT(moved.hint, HasSubstr("belay merge-queue add BRANCH"));
  EXPECT_THAT(RefusalOf({kOld, kZeros, kMain}, values_, "main").message, HasSubstr("deleted"));
}

}  // namespace
}  // namespace belay
