#include <gtest/gtest.h>

#include "snapshot/test_place.h"
#include "snapshot/work_folder.h"

namespace belay {
namespace {

const std::string kHash(40, 'a');

class ScratchTest : public ::testing::Test {
 protected:
  ScratchTest() : place_(repository_.path()), common_(repository_ / ".git") {}

  std::vector<std::string> Leftovers() {
    std::vector<std::string> found;
    const auto objects = place_.files().List(common_ + "/objects");
    for (const std::string& name : *objects) {
      if (name.starts_with("belay-")) found.push_back(name);
    }
    const auto packs = place_.files().List(common_ + "/objects/pack");
    for (const std::string& name : *packs) {
      if (name.ends_with(".keep")) found.push_back(name);
    }
    return found;
  }

  GitRepository repository_;
  TestPlace place_;
  std::string common_;
};

TEST_F(ScratchTest, SeesTheObjectsOfTheRepositoryAndKeepsItsOwnToItself) {
  const std::string head = repository_.Git({"rev-parse", "HEAD"});
  const auto scratch = ScratchRepository::Create(place_.files(), common_, ObjectFormat::kSha1);
  ASSERT_TRUE(scratch.ok()) << scratch.error().message;
  const auto type =
      scratch->Run(place_.git(), {.arguments = {"cat-file", "-t", head.substr(0, 40)}});
  ASSERT_TRUE(type.ok()) << type.error().message;
  EXPECT_EQ(type->out, "commit\n");
  const auto written = scratch->Run(
      place_.git(), {.arguments = {"hash-object", "-w", "--stdin"}, .input = InputOf("mine\n")});
  ASSERT_TRUE(written.ok());
  EXPECT_NE(repository_.TryGit({"cat-file", "-e", written->out.substr(0, 40)}), 0);
}

TEST_F(ScratchTest, GoesWithoutATrace) {
  { const auto scratch = ScratchRepository::Create(place_.files(), common_, ObjectFormat::kSha1); }
  EXPECT_TRUE(Leftovers().empty());
}

TEST_F(ScratchTest, IsLeftAloneWhileAProcessWorksThere) {
  const auto scratch = ScratchRepository::Create(place_.files(), common_, ObjectFormat::kSha1);
  ScratchRepository::Sweep(place_.files(), common_);
  EXPECT_EQ(Leftovers().size(), 1U);
}

TEST_F(ScratchTest, SweepsAwayWhatAKillLeft) {
  repository_.Write(".git/objects/belay-0123456789abcdef/lock", "");
  repository_.Write(".git/objects/belay-0123456789abcdef/keep", kHash);
  repository_.Write(".git/objects/belay-0123456789abcdef/objects/pack/tmp_pack_x", "x");
  repository_.Write(".git/objects/belay-00000000000000ff/half", "made");
  repository_.Write(".git/objects/pack/pack-" + kHash + ".keep", "belay\n");
  ScratchRepository::Sweep(place_.files(), common_);
  EXPECT_TRUE(Leftovers().empty());
}

TEST_F(ScratchTest, LeavesPacksThatAnotherProcessKeeps) {
  repository_.Write(".git/objects/belay-0123456789abcdef/keep", kHash);
  repository_.Write(".git/objects/pack/pack-" + kHash + ".keep", "mine\n");
  ScratchRepository::Sweep(place_.files(), common_);
  EXPECT_EQ(Leftovers().size(), 1U);
}

TEST_F(ScratchTest, NeverRemovesWhatItsNotesDontName) {
  repository_.Write(".git/objects/belay-0123456789abcdef/keep", "../../../config");
  ScratchRepository::Sweep(place_.files(), common_);
  EXPECT_NE(repository_.Read(".git/config"), "(missing)");
}

}  // namespace
}  // namespace belay
