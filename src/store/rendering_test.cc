#include "store/rendering.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/temp_folder.h"

namespace belay {
namespace {

class RenderingTest : public ::testing::Test {
 protected:
  RenderingState State(const Json& record) {
    const Result<RenderingState> state = InspectRendering(files_, Path(), record);
    EXPECT_TRUE(state.ok());
    return *state;
  }
  std::string Path() const { return folder_ / "claude/state/a.json"; }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  const Json one_ = MakeObject({{"schema_version", 1}, {"name", "one"}});
  const Json two_ = MakeObject({{"schema_version", 1}, {"name", "two"}});
};

TEST_F(RenderingTest, IsMadeWithItsFoldersAndIsCurrent) {
  EXPECT_EQ(State(one_), RenderingState::kMissing);
  ASSERT_TRUE(WriteRendering(files_, Path(), one_).ok());
  EXPECT_EQ(State(one_), RenderingState::kCurrent);
  EXPECT_EQ(files_.Inspect(folder_ / "claude/state")->mode, 0700u);
  EXPECT_EQ(files_.Inspect(Path())->mode, 0600u);
}

TEST_F(RenderingTest, AnOlderOneOfOursIsOutdatedHoweverItIsLaidOut) {
  ASSERT_TRUE(WriteRendering(files_, Path(), one_).ok());
  EXPECT_EQ(State(two_), RenderingState::kOutdated);
  folder_.Write("claude/state/a.json", WriteJson(*ParseJson(RenderingText(one_))));
  EXPECT_EQ(State(two_), RenderingState::kOutdated);
  EXPECT_EQ(State(one_), RenderingState::kOutdated);
}

TEST_F(RenderingTest, AnythingElseWasEdited) {
  const std::string good = RenderingText(one_);
  std::string changed = good;
  changed[changed.find("one")] = 'O';
  for (const std::string& text :
       {changed, std::string(), std::string("{}"), std::string("[1]"), std::string("hello"),
        good + "x", std::string("{\"sha256\": 1}")}) {
    folder_.Write("claude/state/a.json", text);
    EXPECT_EQ(State(one_), RenderingState::kEdited) << text;
  }
}

TEST_F(RenderingTest, WhatWasEditedIsKeptUnderANameOfItsOwn) {
  folder_.Write("claude/state/a.json", "first");
  const std::string kept = folder_ / "kept";
  EXPECT_EQ(*KeepEdited(files_, Path(), kept), kept + "/a.json-1");
  folder_.Write("claude/state/a.json", "second");
  EXPECT_EQ(*KeepEdited(files_, Path(), kept), kept + "/a.json-2");
  EXPECT_EQ(folder_.Read("kept/a.json-1"), "first");
  EXPECT_EQ(folder_.Read("kept/a.json-2"), "second");
}

TEST_F(RenderingTest, WhatReplacedItIsMovedAwayAndNotFollowed) {
  const std::string kept = folder_ / "kept";
  folder_.Write("claude/state/a.json/inside", "a folder");
  EXPECT_EQ(State(one_), RenderingState::kReplaced);
  EXPECT_FALSE(WriteRendering(files_, Path(), one_).ok());
  EXPECT_EQ(*KeepForeign(files_, Path(), kept, RenderingState::kReplaced), kept + "/a.json-1");
  EXPECT_EQ(folder_.Read("kept/a.json-1/inside"), "a folder");
  ASSERT_EQ(symlink("/etc/hostname", Path().c_str()), 0);
  EXPECT_EQ(State(one_), RenderingState::kReplaced);
  EXPECT_EQ(*KeepForeign(files_, Path(), kept, RenderingState::kReplaced), kept + "/a.json-2");
  EXPECT_EQ(files_.Inspect(kept + "/a.json-2")->kind, FileKind::kLink);
  ASSERT_TRUE(WriteRendering(files_, Path(), one_).ok());
  ASSERT_EQ(chmod(Path().c_str(), 0), 0);
  EXPECT_EQ(State(one_), RenderingState::kReplaced);
  EXPECT_FALSE(*KeepForeign(files_, Path(), kept, RenderingState::kOutdated));
}

}  // namespace
}  // namespace belay
