#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/refs.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MoveRefTest : public MergeTest {
 protected:
  MoveRefTest() {
    repo_.Git({"branch", "other"});
    new_ = CommitFile("a", "1\n");
  }
  Result<void> Move(const ObjectId& from, const ObjectId& to,
                    const std::string& name = "refs/heads/other") {
    return MoveRef(git_, files_, CommonFolder(), {name, from, to, "belay: landed"});
  }
  ErrorCode CodeOf(const Result<void>& moved) const {
    EXPECT_FALSE(moved);
    return moved ? ErrorCode::kUsage : moved.error().code;
  }

  const ObjectId old_ = Resolve("HEAD");
  ObjectId new_;
};

TEST_F(MoveRefTest, MovesAndLeavesAReason) {
  EXPECT_TRUE(Move(old_, new_).ok());
  EXPECT_EQ(Resolve("other"), new_);
  EXPECT_THAT(repo_.Git({"reflog", "show", "other"}), HasSubstr("belay: landed"));
}

TEST_F(MoveRefTest, CanBeDoneAgain) {
  EXPECT_TRUE(Move(old_, new_).ok());
  EXPECT_TRUE(Move(old_, new_).ok());
  EXPECT_TRUE(Move(new_, {}).ok());
  EXPECT_TRUE(Move(new_, {}).ok());
  EXPECT_NE(repo_.TryGit({"rev-parse", "--verify", "-q", "refs/heads/other"}), 0);
}

TEST_F(MoveRefTest, NoOtherProcessMovesItWhileSomethingIsDoneInBetween) {
  const RefMove move{"refs/heads/other", old_, new_, "belay: landed"};
  int others_exit = 0;
  const Result<bool> moved = MoveRefAround(git_, files_, CommonFolder(), move, [&] {
    EXPECT_EQ(Resolve("other"), old_);
    others_exit = repo_.TryGit({"update-ref", "refs/heads/other", new_.text()});
    return Result<bool>(true);
  });
  ASSERT_TRUE(moved.ok());
  EXPECT_TRUE(*moved);
  EXPECT_NE(others_exit, 0);
  EXPECT_EQ(Resolve("other"), new_);
  EXPECT_THAT(repo_.Git({"reflog", "show", "other"}), HasSubstr("belay: landed"));
}

TEST_F(MoveRefTest, StaysAndIsFreeWhenTheStepInBetweenRefusesOrFails) {
  const RefMove move{"refs/heads/other", old_, new_, "belay: landed"};
  const Result<bool> refused =
      MoveRefAround(git_, files_, CommonFolder(), move, [] { return Result<bool>(false); });
  EXPECT_TRUE(refused.ok() && !*refused);
  const Result<bool> failed = MoveRefAround(git_, files_, CommonFolder(), move, [] {
    return Result<bool>(Error{ErrorCode::kFailed, "no room"});
  });
  EXPECT_EQ(failed.error().message, "no room");
  EXPECT_EQ(Resolve("other"), old_);
  EXPECT_TRUE(Move(old_, new_).ok());  // nothing is locked
}

TEST_F(MoveRefTest, NothingIsDoneInBetweenWhenTheRefHasAnotherValue) {
  bool done = false;
  const Result<bool> moved = MoveRefAround(git_, files_, CommonFolder(),
                                           {"refs/heads/other", new_, old_, "belay: landed"}, [&] {
                                             done = true;
                                             return Result<bool>(true);
                                           });
  EXPECT_EQ(moved.error().code, ErrorCode::kBusy);
  EXPECT_FALSE(done);
}

TEST_F(MoveRefTest, DropsAnotherOneWithIt) {
  repo_.Git({"branch", "helper", old_.text()});
  const auto move = [&](const ObjectId& from) {
    return MoveRef(git_, files_, CommonFolder(),
                   {"refs/heads/other", from, {}, "belay: landed", "refs/heads/helper"});
  };
  EXPECT_EQ(CodeOf(move(new_)), ErrorCode::kBusy);
  EXPECT_EQ(Resolve("helper"), old_);
  EXPECT_TRUE(move(old_).ok());
  EXPECT_EQ(repo_.Git({"for-each-ref", "refs/heads/other", "refs/heads/helper"}), "");
  repo_.Git({"branch", "other", old_.text()});
  EXPECT_TRUE(move(old_).ok()) << "it is gone already";
}

TEST_F(MoveRefTest, LeavesARefWithAnotherValue) {
  const ObjectId third = CommitFile("b", "1\n");
  EXPECT_EQ(CodeOf(Move(new_, third)), ErrorCode::kBusy);
  EXPECT_EQ(CodeOf(Move(new_, {})), ErrorCode::kBusy);
  EXPECT_EQ(Resolve("other"), old_);
  repo_.Git({"branch", "-D", "other"});
  EXPECT_EQ(CodeOf(Move(old_, new_)), ErrorCode::kBusy);
}

TEST_F(MoveRefTest, NeverTouchesWhatASymbolicRefStandsFor) {
  for (const ObjectId& to : {new_, ObjectId()}) {
    repo_.Git({"symbolic-ref", "refs/heads/alias", "refs/heads/other"});
    EXPECT_TRUE(Move(old_, to, "refs/heads/alias").ok());
    EXPECT_EQ(Resolve("other"), old_);
  }
}

TEST_F(MoveRefTest, WorksOnPackedRefs) {
  repo_.Git({"pack-refs", "--all", "--prune"});
  EXPECT_TRUE(Move(old_, new_).ok());
  EXPECT_EQ(Resolve("other"), new_);
  repo_.Git({"pack-refs", "--all", "--prune"});
  EXPECT_TRUE(Move(new_, {}).ok());
}

TEST_F(MoveRefTest, IsBusyWhenAnotherProcessHoldsTheLock) {
  repo_.Write(".git/refs/heads/other.lock", "");
  EXPECT_EQ(CodeOf(Move(old_, new_)), ErrorCode::kBusy);
  EXPECT_EQ(Resolve("other"), old_);
}

TEST_F(MoveRefTest, NeverMovesToWhatIsMissingOrFromNowhere) {
  EXPECT_EQ(CodeOf(Move(old_, *ObjectId::Parse(std::string(40, 'a')))), ErrorCode::kFailed);
  EXPECT_EQ(CodeOf(Move({}, new_)), ErrorCode::kFailed);
  EXPECT_EQ(Resolve("other"), old_);
}

TEST_F(MoveRefTest, WorksOnNamesInFoldersAndWithOddCharacters) {
  const std::string name = "refs/heads/a/b'\"ü";
  repo_.Git({"update-ref", name, old_.text()});
  EXPECT_TRUE(Move(old_, new_, name).ok());
  EXPECT_EQ(Resolve(name), new_);
  EXPECT_TRUE(Move(new_, {}, name).ok());
}

}  // namespace
}  // namespace belay
