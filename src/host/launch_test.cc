#include "host/launch.h"

#include <gtest/gtest.h>

#include "store/durable_file.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class LaunchTest : public ::testing::Test {
 protected:
  LaunchTest() { EXPECT_TRUE(files_.CreateFolder(project_.Vault(), 0700).ok()); }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_.path(), folder_.path()};
  AgentId agent_ = *AgentId::Parse("worker-a#3");
};

TEST_F(LaunchTest, EveryByteSurvivesARoundTrip) {
  const LaunchSpec spec{.agent = agent_,
                        .command = {"sh", "-c", "\xFF\x80", ""},
                        .folder = "/a \xE9",
                        .environment = {{"A", "\n\x01"}, {"B\xFF", ""}, {"C", "\xC3\xA9"}},
                        .typed = "go on"};
  ASSERT_TRUE(EnsureFolder(files_, project_.RunFolder()).ok());
  ASSERT_TRUE(WriteLaunch(files_, project_, spec, "go on").ok());
  const auto read = ReadLaunchSpec(files_, project_, agent_.identity());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, spec);
  EXPECT_EQ(*files_.Read(project_.ResumeFile(agent_.identity()), 100), "go on");
  EXPECT_EQ(files_.Inspect(project_.LaunchFile(agent_.identity()))->mode, 0600u);
}

TEST_F(LaunchTest, WhatMakesNoSenseIsDamaged) {
  ASSERT_TRUE(EnsureFolder(files_, project_.RunFolder()).ok());
  const std::string start =
      R"({"schema_version":1,"agent_id":"worker-a#3","folder":"/","typed":"",)";
  const std::string texts[] = {
      "",
      "{}",
      R"({"schema_version":2})",
      start + R"("command":[],"environment":[]})",
      start + R"("command":[""],"environment":[]})",
      start + R"("command":["a\u0000b"],"environment":[]})",
      start + R"("command":["a"],"environment":[["A"]]})",
      start + R"("command":[{"hex":"4"}],"environment":[]})",
      start + R"("command":[{"hex":"4X"}],"environment":[]})",
      start + R"("command":["a"]})",
  };
  for (const std::string& text : texts) {
    ASSERT_TRUE(ReplaceFile(files_, project_.LaunchFile(agent_.identity()), text).ok());
    const auto read = ReadLaunchSpec(files_, project_, agent_.identity());
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kDamaged) << text;
  }
}

TEST_F(LaunchTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(ReadLaunchSpec(files_, project_, agent_.identity()).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace belay
