#include "agents/model/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using ::testing::HasSubstr;

ModelRequest Asked(std::string_view last_user, std::string_view more = R"("x": 0)") {
  const std::string body = R"({"messages": [{"role": "user", "content": ")" +
                           std::string(last_user) + "\"}], " + std::string(more) + "}";
  Result<ModelRequest> request = ReadModelRequest(body);
  EXPECT_TRUE(request.ok()) << body;
  return request ? *request : ModelRequest{};
}

ScriptPlayer Player(std::string_view script) {
  Result<std::vector<Step>> steps = ParseScript(script);
  EXPECT_TRUE(steps.ok()) << steps.error().message;
  return ScriptPlayer(steps ? *steps : std::vector<Step>());
}

TEST(ModelRequestTest, FindsTheLastMessageOfTheUserWithResultsOfTools) {
  const auto request =
      ReadModelRequest(R"({"stream": true, "model": "m", "tools": [{"name": "Bash"}],
    "system": [{"type": "text", "text": "be\nkind"}, {"type": "text", "text": "be brief"}],
    "messages": [{"role": "user", "content": "first"}, {"role": "assistant", "content": "yes"},
      {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "made"}]},
        {"type": "tool_result", "content": "too"}, {"type": "text", "text": "and now?"}]},
      {"role": "assistant", "content": "begun"}]})");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->last_user, "made\ntoo\nand now?");
  EXPECT_EQ(request->system, "be\nkind\nbe brief");
  EXPECT_THAT(request->everything, HasSubstr("first"));
  EXPECT_THAT(request->everything, HasSubstr("begun"));
  EXPECT_TRUE(request->tools);
  EXPECT_TRUE(request->stream);
  EXPECT_EQ(request->model, "m");
}

TEST(ModelRequestTest, IsAnObject) {
  EXPECT_FALSE(ReadModelRequest("[]").ok());
  EXPECT_FALSE(ReadModelRequest("{").ok());
  EXPECT_TRUE(ReadModelRequest("{}").ok());
}

TEST(ScriptTest, TheFirstStepThatMatchesAnswers) {
  ScriptPlayer player = Player(R"([
    {"name": "lacks", "match": {"last_user_has": ["a", "b"], "last_user_lacks": ["c"]}, "reply": {}},
    {"name": "system", "match": {"system_has": ["kind"], "system_lacks": ["brief"]}, "reply": {}},
    {"name": "body", "match": {"body_has": ["deep"], "body_lacks": ["deeper"]}, "reply": {}},
    {"name": "tools", "match": {"tools": true}, "reply": {}},
    {"match": {"last_user_has": ["c"]}, "reply": {}}])");
  EXPECT_EQ(player.Choose(Asked("a b")).name, "lacks");
  EXPECT_EQ(player.Choose(Asked("a b c")).name, "5");
  EXPECT_EQ(player.Choose(Asked("", R"("system": "be kind")")).name, "system");
  EXPECT_EQ(player.Choose(Asked("", R"("system": "be kind and brief")")).name, "default");
  EXPECT_EQ(player.Choose(Asked("", R"("metadata": {"user": ["deep"]})")).name, "body");
  EXPECT_EQ(player.Choose(Asked("", R"("metadata": {"user": ["deeper"]})")).name, "default");
  EXPECT_EQ(player.Choose(Asked("", R"("tools": [1])")).name, "tools");
  EXPECT_EQ(player.Choose(Asked("", R"("tools": [])")).name, "default");
}

TEST(ScriptTest, AStepThatIsUsedUpIsSkipped) {
  ScriptPlayer player = Player(R"([
    {"name": "one", "match": {"times": 2}, "reply": {}}, {"name": "two", "reply": {}}])");
  EXPECT_EQ(player.Choose(Asked("x")).name, "one");
  EXPECT_EQ(player.Choose(Asked("x")).name, "one");
  EXPECT_EQ(player.Choose(Asked("x")).name, "two");
  EXPECT_EQ(player.Choose(Asked("x")).name, "two");
}

TEST(ScriptTest, ReadsAWholeReply) {
  const auto steps = ParseScript(R"([{"reply": {
    "content": [{"text": "t"}, {"tool": "Bash", "input": {"command": "ls"}}],
    "stop_reason": "max_tokens", "delay_ms": 5, "stall": true, "cut_after": 2, "stall_after": 3,
    "usage": {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 3,
              "cache_read_input_tokens": 4},
    "status": 429, "error_type": "e", "message": "m", "headers": {"retry-after": "1"}}}])");
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  const Reply& reply = steps->front().reply;
  ASSERT_EQ(reply.content.size(), 2U);
  EXPECT_EQ(reply.content[0].text, "t");
  EXPECT_EQ(reply.content[1].tool, "Bash");
  EXPECT_EQ(WriteJson(reply.content[1].input), R"({"command":"ls"})");
  EXPECT_EQ(reply.stop_reason, "max_tokens");
  EXPECT_EQ(reply.delay, std::chrono::milliseconds(5));
  EXPECT_TRUE(reply.stall);
  EXPECT_EQ(reply.cut_after, 2U);
  EXPECT_EQ(reply.stall_after, 3U);
  EXPECT_EQ(reply.usage.input + reply.usage.output, 3);
  EXPECT_EQ(reply.usage.cache_creation + reply.usage.cache_read, 7);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.error_type + reply.message, "em");
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
}

TEST(ScriptTest, RefusesATypingMistakeAndNamesItsPlace) {
  const auto message = [](std::string_view script) {
    const auto steps = ParseScript(script);
    return steps.ok() ? "(accepted)" : steps.error().message;
  };
  EXPECT_THAT(message(R"([{"name": "n", "match": {"last_user": ["a"]}}])"),
              HasSubstr(R"(step n: match: "match" has no key "last_user")"));
  EXPECT_THAT(message(R"([{"reply": {"content": [{"tool": "Bash"}]}}])"), HasSubstr("step 1"));
  EXPECT_THAT(message(R"([{"reply": {"content": [{}]}}])"), HasSubstr("a text or a tool"));
  EXPECT_THAT(message(R"([{"match": {"times": -1}}])"), HasSubstr("a number"));
  EXPECT_THAT(message(R"([{"match": {"body_has": "a"}}])"), HasSubstr("a list"));
  EXPECT_THAT(message("{}"), HasSubstr("a list of steps"));
}

}  // namespace
}  // namespace belay
