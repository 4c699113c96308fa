#include <gtest/gtest.h>

#include <string>

#include "os/fd.h"
#include "os/socket.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

constexpr auto kLineBound = std::chrono::seconds(30);
constexpr auto kSoon = std::chrono::milliseconds(20);

class LineSocketTest : public ::testing::Test {
 protected:
  LineSocket Connect(Duration limit = kLineBound) {
    auto client = LineSocket::Connect(folder_ / "socket", limit);
    EXPECT_TRUE(client.ok());
    server_ = **Accept(listener_);
    return *std::move(client);
  }
  void Say(const std::string& bytes) { ASSERT_EQ(WriteAll(server_.get(), bytes), 0); }

  TempFolder folder_;
  UniqueFd listener_ = *ListenUnixIn(folder_.path(), "socket");
  UniqueFd server_;
};

TEST_F(LineSocketTest, ReadsLinesOneByOneHoweverTheyCome) {
  LineSocket client = Connect();
  Say("one\ntw");
  EXPECT_EQ(*client.ReceiveLine(100), "one");
  Say("o\n\nfour\n");
  EXPECT_EQ(*client.ReceiveLine(100), "two");
  EXPECT_EQ(*client.ReceiveLine(100), "");
  EXPECT_EQ(*client.ReceiveLine(100), "four");
}

TEST_F(LineSocketTest, SendsWhatItIsGiven) {
  LineSocket client = Connect();
  ASSERT_TRUE(client.Send("hello\n").ok());
  std::string received;
  ASSERT_TRUE(AwaitReadable(server_, kLineBound));
  ASSERT_TRUE(ReceiveSome(server_, 100, received));
  EXPECT_EQ(received, "hello\n");
}

TEST_F(LineSocketTest, WithoutAListenerItIsNotFound) {
  const auto client = LineSocket::Connect(folder_ / "other", kLineBound);
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code, ErrorCode::kNotFound);
}

TEST_F(LineSocketTest, TheOtherSideThatLeavesIsNotFoundAfterWhatItSaid) {
  LineSocket client = Connect();
  Say("last\nhalf");
  server_.Reset();
  EXPECT_EQ(*client.ReceiveLine(100), "last");
  const auto none = client.ReceiveLine(100);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST_F(LineSocketTest, ASilentSideIsBusyWhenTheTimeIsUp) {
  LineSocket client = Connect(kSoon);
  Say("half a line");
  const auto late = client.ReceiveLine(100);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kBusy);
}

TEST_F(LineSocketTest, ASideThatDoesNotReadIsBusyWhenTheTimeIsUp) {
  LineSocket client = Connect(kSoon);
  const auto late = client.Send(std::string(std::size_t{16} << 20U, 'x'));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kBusy);
}

TEST_F(LineSocketTest, ALineThatIsTooLongIsDamaged) {
  LineSocket client = Connect();
  Say(std::string(100, 'x'));
  const auto line = client.ReceiveLine(50);
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().code, ErrorCode::kDamaged);
}

TEST_F(LineSocketTest, ThePathMayBeOfAnyLength) {
  const std::string deep = std::string(100, 'a') + "/" + std::string(100, 'b');
  folder_.MakeFolder(deep);
  const auto listener = ListenUnixIn(folder_ / deep, "socket");
  ASSERT_TRUE(listener.ok());
  EXPECT_TRUE(LineSocket::Connect(folder_ / (deep + "/socket"), kLineBound).ok());
}

}  // namespace
}  // namespace belay
