#include "agents/script_writer.h"

#include <gtest/gtest.h>

#include "agents/model/script.h"

namespace belay {
namespace {

TEST(ScriptWriterTest, WritesWhatTheModelReads) {
  ModelScript script;
  script.Step("one")
      .IfUserSays("a")
      .UnlessUserSays("b")
      .IfAnywhere("c")
      .UnlessAnywhere("d")
      .IfSystemSays("e")
      .Times(3)
      .Says("f")
      .RunsBash("g")
      .Writes("h", "i")
      .WithInputTokens(7)
      .StallsAfter(8)
      .WaitsMilliseconds(9);
  script.Step("two").WithoutTools().Once().Fails(429, "j").WithHeader("retry-after", "1");
  script.Step("three").WithOrWithoutTools().Stalls().IsCutAfter(2);
  const Result<std::vector<Step>> steps = ParseScript(script.Text());
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  ASSERT_EQ(steps->size(), 3U);
  const Step& one = (*steps)[0];
  EXPECT_EQ(one.match.last_user.lacks, (std::vector<std::string>{"Warmup", "b"}));
  EXPECT_EQ(one.match.system.has, std::vector<std::string>{"e"});
  EXPECT_EQ(one.match.times, 3);
  EXPECT_EQ(one.match.tools, true);
  ASSERT_EQ(one.reply.content.size(), 3U);
  EXPECT_EQ(one.reply.content[2].tool, "Write");
  EXPECT_EQ(one.reply.usage.input, 7);
  EXPECT_EQ(one.reply.stall_after, 8U);
  EXPECT_EQ((*steps)[1].match.tools, false);
  EXPECT_EQ((*steps)[1].reply.status, 429);
  EXPECT_EQ((*steps)[2].match.tools, std::nullopt);
  EXPECT_TRUE((*steps)[2].reply.stall);
}

}  // namespace
}  // namespace belay
