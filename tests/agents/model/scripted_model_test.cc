// The real program, talked to over real connections.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/model_process.h"
#include "os/fd.h"
#include "testing/loopback.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string Say(std::string_view text, bool stream = false) {
  return Post("/v1/messages", std::string(R"({"model": "m", "stream": )") +
                                  (stream ? "true" : "false") +
                                  R"(, "messages": [{"role": "user", "content": ")" +
                                  std::string(text) + R"("}]})");
}

class ScriptedModelTest : public ::testing::Test {
 protected:
  void Play(std::string_view script) { model_ = ModelProcess::Start(folder_.path(), script); }
  UniqueFd Connect() {
    Result<UniqueFd> connection = ConnectLoopback(model_->port());
    EXPECT_TRUE(connection.ok());
    return connection ? *std::move(connection) : UniqueFd();
  }
  static void Send(const UniqueFd& connection, std::string_view bytes) {
    EXPECT_EQ(WriteAll(connection.get(), bytes), 0);
  }
  // Until it ends so, or the connection does.
  static std::string ReadUntil(const UniqueFd& connection, std::string_view end) {
    std::string text;
    while (!text.ends_with(end) && ReadSome(connection.get(), text) > 0) {
    }
    return text;
  }
  static std::string ReadToItsEnd(const UniqueFd& connection) {
    std::string text;
    while (ReadSome(connection.get(), text) > 0) {
    }
    return text;
  }

  TempFolder folder_;
  std::unique_ptr<ModelProcess> model_;
};

TEST_F(ScriptedModelTest, AnswersSeveralRequestsOnOneConnection) {
  Play(
      R"([{"name": "one", "match": {"last_user_has": ["first"]}, "reply": {"content": [{"text": "1"}]}}])");
  const UniqueFd connection = Connect();
  Send(connection, Say("first"));
  EXPECT_THAT(ReadUntil(connection, "}}"), HasSubstr(R"("text":"1")"));
  Send(connection, Say("second", true) + Say("first", true));
  const std::string both = ReadUntil(connection, "0\r\n\r\n");
  EXPECT_THAT(both, HasSubstr("Done."));
  const std::string rest =
      both.find(R"("text":"1")") == std::string::npos ? ReadUntil(connection, "0\r\n\r\n") : both;
  EXPECT_THAT(rest, HasSubstr(R"("text":"1")"));
  const std::vector<Json> requests = model_->log().Requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(ModelLog::Text(requests[0], "step"), "one");
  EXPECT_EQ(ModelLog::Text(requests[1], "step"), "default");
  EXPECT_EQ(ModelLog::Text(requests[1], "last_user"), "second");
}

TEST_F(ScriptedModelTest, AnswersOthersWhileOneWaits) {
  Play(R"([{"match": {"last_user_has": ["slow"]}, "reply": {"stall": true}}])");
  const UniqueFd slow = Connect();
  Send(slow, Say("slow"));
  std::vector<UniqueFd> others;
  for (int i = 0; i < 50; ++i) Send(others.emplace_back(Connect()), Say("quick"));
  for (const UniqueFd& other : others) {
    EXPECT_THAT(ReadUntil(other, "}}"), HasSubstr("Done."));
  }
}

TEST_F(ScriptedModelTest, BreaksAStreamOff) {
  Play(R"([{"reply": {"content": [{"text": "a long text to break off"}], "cut_after": 3}}])");
  const UniqueFd connection = Connect();
  Send(connection, Say("x", true));
  const std::string heard = ReadToItsEnd(connection);
  EXPECT_THAT(heard, HasSubstr("a long text"));
  EXPECT_THAT(heard, Not(HasSubstr("message_stop")));
  EXPECT_TRUE(model_->log().Answered(1, "cut"));
}

TEST_F(ScriptedModelTest, WaitsBeforeItAnswers) {
  Play(R"([{"reply": {"content": [{"text": "late"}], "delay_ms": 30}}])");
  const UniqueFd connection = Connect();
  const auto begin = std::chrono::steady_clock::now();
  Send(connection, Say("x"));
  EXPECT_THAT(ReadUntil(connection, "}}"), HasSubstr("late"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
}

TEST_F(ScriptedModelTest, CountsTokensAndKnowsNothingElse) {
  Play("[]");
  const UniqueFd connection = Connect();
  Send(connection, Post("/v1/messages/count_tokens", R"({"model": "m"})"));
  EXPECT_THAT(ReadUntil(connection, "}"), EndsWith(R"({"input_tokens":3})"));
  Send(connection, "GET /api/hello HTTP/1.1\r\n\r\n");
  EXPECT_THAT(ReadUntil(connection, "\"req_script\"}"), StartsWith("HTTP/1.1 404"));
  Send(connection, Post("/v1/messages", "nonsense"));
  EXPECT_THAT(ReadUntil(connection, "\"req_script\"}"), StartsWith("HTTP/1.1 400"));
}

TEST_F(ScriptedModelTest, TakesAVeryLargeRequest) {
  Play("[]");
  const UniqueFd connection = Connect();
  Send(connection, Say(std::string(20'000'000, 'x')));
  EXPECT_THAT(ReadUntil(connection, "}}"), HasSubstr("Done."));
}

}  // namespace
}  // namespace belay
