#include "agents/model/http_request.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr std::string_view kPlain =
    "POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\nContent-LENGTH:  5 \r\n\r\nhello";
constexpr std::string_view kChunked =
    "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nhel\r\n2;note=1\r\nlo\r\n0\r\n\r\n";

HttpRequest TakeOne(std::string received) {
  const auto request = TakeHttpRequest(received);
  EXPECT_TRUE(request.ok() && request->has_value()) << received;
  EXPECT_EQ(received, "");
  return request.ok() && *request ? **request : HttpRequest{};
}

TEST(HttpRequestTest, IsReadWithALength) {
  const HttpRequest request = TakeOne(std::string(kPlain));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/messages");
  EXPECT_EQ(request.headers.at("content-length"), "5");
  EXPECT_EQ(request.headers.at("host"), "x");
  EXPECT_EQ(request.body, "hello");
}

TEST(HttpRequestTest, IsReadInChunks) { EXPECT_EQ(TakeOne(std::string(kChunked)).body, "hello"); }

TEST(HttpRequestTest, NeedsNoBody) {
  const HttpRequest request = TakeOne("HEAD / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(request.method, "HEAD");
  EXPECT_EQ(request.body, "");
}

TEST(HttpRequestTest, IsNotTakenBeforeItsLastByteIsThere) {
  for (const std::string_view whole : {kPlain, kChunked}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      std::string received(whole.substr(0, length));
      const auto request = TakeHttpRequest(received);
      ASSERT_TRUE(request.ok()) << length << request.error().message;
      EXPECT_FALSE(request->has_value()) << length;
      EXPECT_EQ(received, whole.substr(0, length));
    }
  }
}

TEST(HttpRequestTest, LeavesTheNextOneWhereItIs) {
  std::string received = std::string(kChunked) + std::string(kPlain);
  ASSERT_TRUE(TakeHttpRequest(received).ok());
  EXPECT_EQ(received, kPlain);
}

TEST(HttpRequestTest, RefusesWhatItDoesNotUnderstand) {
  for (std::string received :
       {"nonsense\r\n\r\n", "GET / SPDY/3\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n"}) {
    EXPECT_FALSE(TakeHttpRequest(received).ok()) << received;
  }
  std::string endless(kLongestHttpHead + 1, 'a');
  EXPECT_FALSE(TakeHttpRequest(endless).ok());
}

TEST(HttpRequestTest, TakesABodyOf64Megabytes) {
  const std::string body(kLongestHttpBody, 'x');
  const HttpRequest request = TakeOne(
      "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(request.body.size(), body.size());
}

}  // namespace
}  // namespace belay
