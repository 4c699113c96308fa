#include "agents/model/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/model/message_stream.h"

namespace belay {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Reply TextAndTool() {
  Reply reply;
  reply.content.push_back({.text = "Ich prüfe das, und zwar über eine Datei."});
  reply.content.push_back({.tool = "Bash", .input = MakeObject({{"command", "echo hello world"}})});
  return reply;
}

ModelRequest Streaming() {
  ModelRequest request;
  request.stream = true;
  request.model = "some-model";
  return request;
}

// The data of all events, put together again as a client does.
struct Heard {
  std::vector<std::string> types;
  std::string text, input, stop_reason;
  std::int64_t input_tokens = 0, output_tokens = 0;
};

const std::string& TextAt(const Json& record, std::string_view key) {
  return *record.Find(key)->AsString();
}

void Hear(const Json& event, Heard& heard) {
  const std::string type = TextAt(event, "type");
  heard.types.push_back(type);
  if (type == "message_start") {
    heard.input_tokens = *event.Find("message")->Find("usage")->Find("input_tokens")->AsInteger();
  } else if (type == "content_block_delta") {
    const Json& delta = *event.Find("delta");
    if (const Json* text = delta.Find("text")) heard.text += *text->AsString();
    if (const Json* part = delta.Find("partial_json")) heard.input += *part->AsString();
  } else if (type == "message_delta") {
    heard.stop_reason = TextAt(*event.Find("delta"), "stop_reason");
    heard.output_tokens = *event.Find("usage")->Find("output_tokens")->AsInteger();
  }
}

Heard AddEvents(const std::vector<std::string>& events) {
  Heard heard;
  for (const std::string& event : events) {
    EXPECT_THAT(event, StartsWith("event: "));
    EXPECT_THAT(event, EndsWith("\n\n"));
    const Result<Json> data = ParseJson(event.substr(event.find("data: ") + 6));
    EXPECT_TRUE(data.ok()) << event;
    if (data) Hear(*data, heard);
  }
  return heard;
}

TEST(MessageStreamTest, GivesTheSameInPiecesAsAtOnce) {
  Reply reply = TextAndTool();
  reply.usage = {.input = 1234, .output = 56};
  const Heard heard = AddEvents(StreamEvents(reply, Streaming(), 7));
  EXPECT_EQ(heard.text, reply.content[0].text);
  EXPECT_EQ(heard.input, R"({"command":"echo hello world"})");
  EXPECT_EQ(heard.stop_reason, "tool_use");
  EXPECT_EQ(heard.input_tokens, 1234);
  EXPECT_EQ(heard.output_tokens, 56);
  EXPECT_EQ(heard.types.front(), "message_start");
  EXPECT_EQ(heard.types[1], "content_block_start");
  EXPECT_EQ(heard.types[2], "content_block_delta");
  EXPECT_EQ(heard.types[heard.types.size() - 3], "content_block_stop");
  EXPECT_EQ(heard.types.back(), "message_stop");

  const Json whole = WholeMessage(reply, Streaming(), 7);
  const Json::Array& content = *whole.Find("content")->AsArray();
  ASSERT_EQ(content.size(), 2U);
  EXPECT_EQ(TextAt(content[0], "text"), heard.text);
  EXPECT_EQ(WriteJson(*content[1].Find("input")), heard.input);
  EXPECT_EQ(TextAt(content[1], "id"), "toolu_script_000007_1");
  EXPECT_EQ(TextAt(whole, "stop_reason"), "tool_use");
}

TEST(AnswerTest, StreamsInChunksToTheEnd) {
  const Answer answer = MakeAnswer(TextAndTool(), Streaming(), 1);
  EXPECT_EQ(answer.end, AnswerEnd::kWhole);
  EXPECT_THAT(answer.bytes, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer.bytes, HasSubstr("transfer-encoding: chunked\r\n"));
  EXPECT_THAT(answer.bytes, EndsWith("\r\n0\r\n\r\n"));
}

TEST(AnswerTest, IsPlainWhenNoStreamWasAskedFor) {
  const Answer answer = MakeAnswer(TextAndTool(), ModelRequest(), 1);
  const std::string body = answer.bytes.substr(answer.bytes.find("\r\n\r\n") + 4);
  EXPECT_THAT(answer.bytes, HasSubstr("content-length: " + std::to_string(body.size()) + "\r\n"));
  EXPECT_TRUE(ParseJson(body).ok());
}

TEST(AnswerTest, IsBrokenOffAfterSoManyEvents) {
  Reply reply = TextAndTool();
  reply.cut_after = 3;
  const Answer cut = MakeAnswer(reply, Streaming(), 1);
  EXPECT_EQ(cut.end, AnswerEnd::kCut);
  EXPECT_THAT(cut.bytes, HasSubstr("text_delta"));
  EXPECT_THAT(cut.bytes, Not(HasSubstr("content_block_stop")));
  reply.cut_after.reset();
  reply.stall_after = 1000;
  const Answer stalled = MakeAnswer(reply, Streaming(), 1);
  EXPECT_EQ(stalled.end, AnswerEnd::kStall);
  EXPECT_THAT(stalled.bytes, HasSubstr("message_delta"));
  EXPECT_THAT(stalled.bytes, Not(HasSubstr("message_stop")));
}

TEST(AnswerTest, AStallSendsNothing) {
  Reply reply = TextAndTool();
  reply.stall = true;
  const Answer answer = MakeAnswer(reply, Streaming(), 1);
  EXPECT_EQ(answer.bytes, "");
  EXPECT_EQ(answer.end, AnswerEnd::kStall);
}

TEST(AnswerTest, AnErrorHasTheTypeOfItsStatus) {
  Reply reply;
  reply.headers["retry-after"] = "7";
  for (const auto& [status, type] : std::map<int, std::string>{{400, "invalid_request_error"},
                                                               {401, "authentication_error"},
                                                               {429, "rate_limit_error"},
                                                               {500, "api_error"},
                                                               {529, "overloaded_error"}}) {
    reply.status = status;
    const Answer answer = MakeAnswer(reply, Streaming(), 1);
    EXPECT_EQ(answer.status, status);
    EXPECT_THAT(answer.bytes, StartsWith("HTTP/1.1 " + std::to_string(status)));
    EXPECT_THAT(answer.bytes, HasSubstr("retry-after: 7\r\n"));
    EXPECT_THAT(answer.bytes, HasSubstr(R"("type":")" + type + "\""));
  }
  reply.error_type = "own_error";
  reply.message = "prompt is too long";
  EXPECT_THAT(MakeAnswer(reply, Streaming(), 1).bytes,
              HasSubstr(R"({"type":"own_error","message":"prompt is too long"})"));
}

}  // namespace
}  // namespace belay
