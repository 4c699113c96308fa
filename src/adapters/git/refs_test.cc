#include "adapters/git/refs.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kPrefix = "refs/belay/keep/main/";

class RefsTest : public GitTest {
 protected:
  static std::string Name(int number) { return fmt::format("{}{}", kPrefix, number); }
  // A commit for the ref, with exactly this message.
  void Commit(int number, const std::string& message, std::vector<std::string> parents = {}) {
    repo_.outside().Write("message", message);
    std::vector<std::string> words = {"commit-tree", "HEAD^{tree}", "-F",
                                      repo_.outside() / "message"};
    for (std::string& parent : parents) words.insert(words.end(), {"-p", std::move(parent)});
    std::string id = repo_.Git(words);
    id.pop_back();
    repo_.Git({"update-ref", Name(number), id});
  }
  std::vector<CommitRef> List(std::string_view prefix = kPrefix) { return ListWith(git_, prefix); }
  static std::vector<CommitRef> ListWith(const Git& git, std::string_view prefix = kPrefix) {
    auto refs = ListRefs(git, prefix);
    EXPECT_TRUE(refs.ok()) << (refs ? "" : refs.error().message);
    return refs ? *std::move(refs) : std::vector<CommitRef>();
  }
  std::vector<std::string> Names(std::string_view prefix = kPrefix) {
    std::vector<std::string> names;
    for (CommitRef& ref : List(prefix)) names.push_back(ref.name);
    return names;
  }

  const ObjectId head_ = Resolve("HEAD");
};

TEST_F(RefsTest, AreCreatedOnce) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  EXPECT_FALSE(*CreateRef(git_, Name(1), head_));
  EXPECT_FALSE(*CreateRef(git_, Name(1), Resolve("HEAD^{tree}")));
  EXPECT_EQ(Resolve(Name(1)), head_);
}

TEST_F(RefsTest, AreCreatedOnceAlsoWhenTheyArePacked) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  repo_.Git({"pack-refs", "--all"});
  EXPECT_FALSE(*CreateRef(git_, Name(1), head_));
  EXPECT_EQ(List().size(), 1u);
}

TEST_F(RefsTest, AreCreatedWithoutALog) {
  repo_.Git({"config", "core.logAllRefUpdates", "always"});
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  EXPECT_EQ(repo_.Read(".git/logs/" + Name(1)), "(missing)");
}

TEST_F(RefsTest, OfObjectsThatAreNotThereAreNotCreated) {
  const auto created = CreateRef(git_, Name(1), *ObjectId::Parse(std::string(40, 'a')));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::kFailed);
  EXPECT_FALSE(CreateRef(git_, Name(1), ObjectId()));
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(RefsTest, AreNotCreatedWhereAnotherRefExists) {
  EXPECT_TRUE(*CreateRef(git_, "refs/belay/keep/main", head_));
  const auto created = CreateRef(git_, Name(1), head_);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::kFailed);
}

TEST_F(RefsTest, LockedByAnotherProcessAreBusy) {
  repo_.Write(".git/" + Name(1) + ".lock", "");
  const auto created = CreateRef(git_, Name(1), head_);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::kBusy) << created.error().message;
}

// The user's configuration may let git wait for locks forever.
TEST_F(RefsTest, LockedByAnotherProcessAreNotWaitedFor) {
  repo_.Git({"config", "core.filesRefLockTimeout", "-1"});
  repo_.Git({"config", "core.packedRefsTimeout", "-1"});
  EXPECT_TRUE(*CreateRef(git_, Name(2), head_));
  repo_.Write(".git/" + Name(1) + ".lock", "");
  EXPECT_EQ(CreateRef(git_, Name(1), head_).error().code, ErrorCode::kBusy);
  repo_.Write(".git/packed-refs.lock", "");
  const RefAndValue ref{Name(2), head_};
  EXPECT_EQ(DeleteRefs(git_, {&ref, 1}).error().code, ErrorCode::kBusy);
}

TEST_F(RefsTest, AreSortedByNumber) {
  for (const int number : {10, 2, 1, 100, 9}) EXPECT_TRUE(*CreateRef(git_, Name(number), head_));
  EXPECT_THAT(Names(), ElementsAre(Name(1), Name(2), Name(9), Name(10), Name(100)));
  EXPECT_EQ((*LastRef(git_, kPrefix))->name, Name(100));
}

// versionsort.suffix moves names that contain it before others.
TEST_F(RefsTest, AreSortedByNumberWhateverTheUserConfigured) {
  repo_.Git({"config", "versionsort.suffix", "1"});
  for (const int number : {10, 2, 1}) EXPECT_TRUE(*CreateRef(git_, Name(number), head_));
  EXPECT_THAT(Names(), ElementsAre(Name(1), Name(2), Name(10)));
  EXPECT_EQ((*LastRef(git_, kPrefix))->name, Name(10));
}

TEST_F(RefsTest, AreReadFromPackedRefsToo) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  repo_.Git({"pack-refs", "--all"});
  EXPECT_TRUE(*CreateRef(git_, Name(2), head_));
  EXPECT_THAT(Names(), ElementsAre(Name(1), Name(2)));
}

TEST_F(RefsTest, BelowAnotherNameAreNotListed) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  EXPECT_TRUE(*CreateRef(git_, "refs/belay/keep/mainly/1", head_));
  EXPECT_THAT(Names(), ElementsAre(Name(1)));
  EXPECT_THAT(Names("refs/belay/keep/nobody/"), IsEmpty());
  EXPECT_FALSE(LastRef(git_, "refs/belay/keep/nobody/")->has_value());
}

TEST_F(RefsTest, OfTreesAndTagsAreNotListed) {
  repo_.Git({"update-ref", Name(1), "HEAD^{tree}"});
  repo_.Git({"tag", "-a", "-m", "t", "t"});
  repo_.Git({"update-ref", Name(2), "t"});
  EXPECT_TRUE(*CreateRef(git_, Name(3), head_));
  EXPECT_THAT(Names(), ElementsAre(Name(3)));
}

TEST_F(RefsTest, ComeWithParentsAndMessage) {
  Commit(1, "alone\n");
  Commit(2, "two\n", {"HEAD", Name(1)});
  const auto refs = List();
  ASSERT_EQ(refs.size(), 2u);
  EXPECT_THAT(refs[0].parents, IsEmpty());
  EXPECT_EQ(refs[0].message, "alone\n");
  EXPECT_THAT(refs[1].parents, ElementsAre(head_, refs[0].commit));
}

TEST_F(RefsTest, KeepAMessageAsItIs) {
  const std::vector<std::string> messages = {
      "a\n\nb\n",
      "no newline",
      "\n\nlate\n",
      "%00%(refname)",
      "parent x\n\ntree y\n",
      "a\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n"};
  int number = 0;
  for (const std::string& message : messages) Commit(++number, message);
  const auto refs = List();
  ASSERT_EQ(refs.size(), messages.size());
  for (std::size_t i = 0; i < refs.size(); ++i) EXPECT_EQ(refs[i].message, messages[i]);
}

TEST_F(RefsTest, KeepAMessageWhateverEncodingIsDeclared) {
  repo_.Git({"config", "i18n.commitEncoding", "latin1"});
  repo_.Git({"config", "i18n.logOutputEncoding", "utf-16"});
  Commit(1, "\xfc\n");
  ASSERT_EQ(List().size(), 1u);
  EXPECT_EQ(List()[0].message, "\xfc\n");
}

// One damaged ref must not hide the others.
TEST_F(RefsTest, AreListedAlsoWhenTheCommitOfAnotherIsMissing) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  repo_.Write(".git/" + Name(2), std::string(40, 'a') + "\n");
  repo_.Write(".git/" + Name(3), "garbage\n");
  EXPECT_THAT(Names(), ElementsAre(Name(1)));
  EXPECT_TRUE(LastRef(git_, kPrefix).ok());
}

TEST_F(RefsTest, AreNotCreatedOverDamagedOnes) {
  for (const std::string& bytes :
       {std::string(40, 'a') + "\n", std::string(), std::string("x\n")}) {
    repo_.Write(".git/" + Name(2), bytes);
    const auto created = CreateRef(git_, Name(2), head_);
    ASSERT_TRUE(created) << created.error().message;
    EXPECT_FALSE(*created);
    EXPECT_EQ(repo_.Read(".git/" + Name(2)), bytes);
  }
}

TEST_F(RefsTest, AreDeletedTogether) {
  for (const int number : {1, 2, 3}) EXPECT_TRUE(*CreateRef(git_, Name(number), head_));
  repo_.Git({"pack-refs", "--all"});
  const std::vector<RefAndValue> refs = {{Name(1), head_}, {Name(3), head_}};
  EXPECT_TRUE(DeleteRefs(git_, refs).ok());
  EXPECT_THAT(Names(), ElementsAre(Name(2)));
}

TEST_F(RefsTest, AreNotDeletedWhenOneHasAnotherValue) {
  for (const int number : {1, 2}) EXPECT_TRUE(*CreateRef(git_, Name(number), head_));
  repo_.Git({"commit", "-q", "--allow-empty", "-m", "second"});
  const std::vector<RefAndValue> refs = {{Name(1), head_}, {Name(2), Resolve("HEAD")}};
  const auto deleted = DeleteRefs(git_, refs);
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, ErrorCode::kBusy) << deleted.error().message;
  EXPECT_EQ(Names().size(), 2u);
}

TEST_F(RefsTest, AreNotDeletedWhenOneIsGone) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  const std::vector<RefAndValue> refs = {{Name(1), head_}, {Name(2), head_}};
  const auto deleted = DeleteRefs(git_, refs);
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, ErrorCode::kBusy) << deleted.error().message;
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(RefsTest, AreNeverDeletedWithoutAValueToCheck) {
  EXPECT_TRUE(*CreateRef(git_, Name(1), head_));
  const RefAndValue ref{Name(1), ObjectId()};
  EXPECT_FALSE(DeleteRefs(git_, {&ref, 1}).ok());
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(RefsTest, DeletingNoneIsFine) { EXPECT_TRUE(DeleteRefs(git_, {}).ok()); }

}  // namespace
}  // namespace belay
