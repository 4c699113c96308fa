#include "store/inbox.h"

#include <gtest/gtest.h>

#include "codec/json_lines.h"
#include "store/inbox_name.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class InboxTest : public ::testing::Test {
 protected:
  // What Take hands out, as its text; "" for nothing.
  std::string TakeText() {
    const auto message = inbox_.Take(minutes(1));
    EXPECT_TRUE(message.ok()) << message.error().message;
    if (!message || !*message) return "";
    last_ = (*message)->id;
    return *(*message)->body.Find("text")->AsString();
  }
  std::string Deliver(std::string_view sender, std::string_view text) {
    return *inbox_.Deliver(sender, MakeObject({{"text", text}}));
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  FakeRandom random_;
  Inbox inbox_{files_, clock_, random_, folder_ / "in", seconds(30)};
  std::string last_;
};

TEST_F(InboxTest, HandsOutInOrderAndOnlyOnce) {
  Deliver("a", "1");
  Deliver("b", "2");
  EXPECT_EQ(TakeText(), "1");
  EXPECT_EQ(TakeText(), "2");
  EXPECT_EQ(TakeText(), "");
}

TEST_F(InboxTest, HandsOutAgainWhatWasNotAcknowledgedInTime) {
  Deliver("a", "1");
  EXPECT_EQ(TakeText(), "1");
  clock_.Advance(seconds(61));
  EXPECT_EQ(TakeText(), "1");
  ASSERT_TRUE(inbox_.Acknowledge(last_).ok());
  clock_.Advance(seconds(61));
  EXPECT_EQ(TakeText(), "");
}

TEST_F(InboxTest, KeepsASendersOrderWhileItsEarlierMessageIsOut) {
  Deliver("a", "1");
  Deliver("a", "2");
  Deliver("b", "3");
  EXPECT_EQ(TakeText(), "1");
  const std::string first = last_;
  EXPECT_EQ(TakeText(), "3");
  EXPECT_EQ(TakeText(), "");
  ASSERT_TRUE(inbox_.Acknowledge(first).ok());
  EXPECT_EQ(TakeText(), "2");
}

TEST_F(InboxTest, KeepsTheOrderWhenTheClockGoesBack) {
  Deliver("a", "1");
  clock_.JumpWall(-minutes(10));
  Deliver("a", "2");
  EXPECT_EQ(TakeText(), "1");
  ASSERT_TRUE(inbox_.Acknowledge(last_).ok());
  EXPECT_EQ(TakeText(), "2");
}

TEST_F(InboxTest, DropsASecondDeliveryUnderTheSameId) {
  const std::string id = *inbox_.NewId("a");
  const Json body = MakeObject({{"text", "1"}});
  ASSERT_TRUE(inbox_.DeliverAs(id, body).ok());
  ASSERT_TRUE(inbox_.DeliverAs(id, body).ok());
  EXPECT_EQ(TakeText(), "1");
  ASSERT_TRUE(inbox_.DeliverAs(id, body).ok());
  ASSERT_TRUE(inbox_.Acknowledge(id).ok());
  ASSERT_TRUE(inbox_.Acknowledge(id).ok());
  ASSERT_TRUE(inbox_.DeliverAs(id, body).ok());
  EXPECT_EQ(TakeText(), "");
}

TEST_F(InboxTest, SetsAsideWhatCannotBeReadWithoutBlockingTheRest) {
  const std::string bad = Deliver("a", "1");
  Deliver("a", "2");
  folder_.Write("in/" + bad + ".json", "garbage");
  EXPECT_EQ(TakeText(), "2");
  EXPECT_EQ(folder_.Read("in/dead/" + bad + ".json"), "garbage");
}

TEST_F(InboxTest, PassesOverWhatHasAMessagesNameButIsNoFile) {
  folder_.MakeFolder("in/" + WaitingName(InboxId(7, "a", "0123abcd")));
  folder_.MakeFolder("in/" + DoneName(InboxId(8, "a", "0123abcd")));
  Deliver("a", "1");
  EXPECT_EQ(TakeText(), "1");
  EXPECT_TRUE(inbox_.Prune(clock_.Wall()).ok());
}

TEST_F(InboxTest, HandsOutTheLongestMessageThatItTakes) {
  std::string line;
  ASSERT_TRUE(AppendJsonLine(MakeObject({{"text", ""}}), line).ok());
  const std::string text(kLongestJsonLine - (line.size() - 1), 'x');
  EXPECT_FALSE(inbox_.Deliver("a", MakeObject({{"text", text + "x"}})).ok());
  Deliver("a", text);
  EXPECT_EQ(TakeText().size(), text.size());
}

TEST_F(InboxTest, LeavesAloneWhatIsTooLargeToBeAMessage) {
  const std::string bad = *inbox_.NewId("a");
  const std::string text(kLongestJsonLine + 2, 'x');
  folder_.Write("in/" + bad + ".json", text);
  Deliver("a", "good");
  EXPECT_EQ(TakeText(), "good");
  EXPECT_EQ(folder_.Read("in/" + bad + ".json.too-large").size(), text.size());
}

TEST_F(InboxTest, RefusesABodyThatItCouldNotGiveBack) {
  for (const Json& body : {Json(1), Json::EmptyObject(), MakeObject({{"crc", "x"}})}) {
    EXPECT_EQ(inbox_.Deliver("a", body).error().code, ErrorCode::kRefused);
  }
}

TEST_F(InboxTest, ShowsWithoutTaking) {
  EXPECT_TRUE(inbox_.Peek()->empty());
  Deliver("a", "1");
  Deliver("b", "2");
  EXPECT_EQ(TakeText(), "1");
  EXPECT_EQ(inbox_.Peek()->size(), 2u);
}

TEST_F(InboxTest, ForgetsOldAcknowledgementsWhenAsked) {
  const std::string id = Deliver("a", "1");
  TakeText();
  ASSERT_TRUE(inbox_.Acknowledge(id).ok());
  ASSERT_TRUE(inbox_.Prune(clock_.Wall() - minutes(1)).ok());
  EXPECT_TRUE(inbox_.Acknowledge(id).ok());
  ASSERT_TRUE(inbox_.Prune(clock_.Wall() + minutes(1)).ok());
  EXPECT_EQ(inbox_.Acknowledge(id).error().code, ErrorCode::kNotFound);
}

TEST_F(InboxTest, RemovesWhatAKilledSenderLeftUnfinished) {
  Deliver("a", "1");
  folder_.Write("in/.x.json.0123456789abcdef.tmp", "half");
  EXPECT_EQ(TakeText(), "1");
  EXPECT_EQ(folder_.Read("in/.x.json.0123456789abcdef.tmp"), "(missing)");
}

TEST(InboxNameTest, ReadsOnlyWhatItWrites) {
  const std::string id = InboxId(7, "orchestrator-a", "0123abcd");
  EXPECT_EQ(id, "0000000000000007.orchestrator-a.0123abcd");
  EXPECT_EQ(ParseInboxName(WaitingName(id))->sender, "orchestrator-a");
  EXPECT_EQ(ParseInboxName(LeasedName(id, 9))->leased_until, 9u);
  EXPECT_EQ(ParseInboxName(DoneName(id))->state, InboxName::State::kDone);
  for (const std::string_view bad :
       {"", "lock", "dead", ".json", "7.a.0123abcd.json", "0000000000000007.A.0123abcd.json",
        "0000000000000007..0123abcd.json", "0000000000000007.a.0123abc.json",
        "0000000000000007.a.0123abcd", "0000000000000007.a.0123abcd.json.leased-",
        "0000000000000007.a/../b.0123abcd.json", "000000000000000G.a.0123abcd.json"}) {
    EXPECT_FALSE(ParseInboxName(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace belay
