#include "store/inbox.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <utility>

#include "codec/json_lines.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Does something once, right after a folder was listed.
class CallsWithSurprise final : public RealFileCalls {
 public:
  int List(const std::string& path, std::vector<std::string>& names) override {
    const int result = RealFileCalls::List(path, names);
    if (after_list) std::exchange(after_list, nullptr)();
    return result;
  }
  std::function<void()> after_list;
};

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

  // Each of the kinds that are no message, with that name.
  void MakeStrangers(const std::function<std::string(std::uint64_t)>& name) {
    std::filesystem::create_directories(folder_ / "in");
    folder_.MakeFolder("in/" + name(1));
    std::filesystem::create_symlink("nowhere", folder_ / ("in/" + name(2)));
    ASSERT_EQ(mkfifo((folder_ / ("in/" + name(3))).c_str(), 0600), 0);
    ASSERT_EQ(mknod((folder_ / ("in/" + name(4))).c_str(), S_IFSOCK | 0600, 0), 0);
  }

  TempFolder folder_;
  CallsWithSurprise calls_;
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
  MakeStrangers([](std::uint64_t n) { return WaitingName(InboxId(n, "a", "0123abcd")); });
  folder_.MakeFolder("in/" + DoneName(InboxId(8, "a", "0123abcd"), 9));
  Deliver("a", "1");
  EXPECT_EQ(TakeText(), "1");
  EXPECT_TRUE(inbox_.Prune(clock_.Wall()).ok());
}

TEST_F(InboxTest, PassesOverWhatHasALeasedMessagesNameButIsNoFile) {
  MakeStrangers([&](std::uint64_t n) {
    const auto until = (clock_.Wall() + minutes(1)).time_since_epoch();
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(until).count();
    return LeasedName(InboxId(n, "a", "0123abcd"), static_cast<std::uint64_t>(micros));
  });
  Deliver("a", "1");
  EXPECT_EQ(TakeText(), "1");
}

TEST_F(InboxTest, DeliversAnIdWhoseNameIsAFolders) {
  const std::string id = *inbox_.NewId("a");
  folder_.MakeFolder("in/" + LeasedName(id, 1));
  folder_.MakeFolder("in/dead/" + WaitingName(id));
  ASSERT_TRUE(inbox_.DeliverAs(id, MakeObject({{"text", "1"}})).ok());
  EXPECT_EQ(TakeText(), "1");
}

TEST_F(InboxTest, SetsAsideUnderAnotherNameWhenSomethingElseHasIt) {
  const std::string bad = Deliver("a", "1");
  const std::string other = Deliver("a", "2");
  Deliver("a", "3");
  folder_.Write("in/" + WaitingName(bad), "garbage\n");
  folder_.MakeFolder("in/dead/" + WaitingName(bad));
  folder_.Write("in/" + WaitingName(other), "new garbage");
  folder_.Write("in/dead/" + WaitingName(other), "old garbage");
  EXPECT_EQ(TakeText(), "3");
  EXPECT_EQ(folder_.Read("in/dead/" + WaitingName(bad) + "-1"), "garbage\n");
  EXPECT_EQ(folder_.Read("in/dead/" + WaitingName(other)), "old garbage");
  EXPECT_EQ(folder_.Read("in/dead/" + WaitingName(other) + "-1"), "new garbage");
  ASSERT_TRUE(inbox_.DeliverAs(bad, MakeObject({{"text", "again"}})).ok());
  EXPECT_EQ(TakeText(), "");
}

TEST_F(InboxTest, PassesOverWhatItCannotSetAside) {
  const std::string bad = Deliver("a", "1");
  Deliver("a", "2");
  Deliver("b", "3");
  folder_.Write("in/" + WaitingName(bad), "garbage");
  folder_.Write("in/dead", "a file");
  EXPECT_EQ(TakeText(), "2");
  EXPECT_EQ(TakeText(), "3");
  EXPECT_EQ(inbox_.Take(minutes(1)).error().code, ErrorCode::kRefused);
  EXPECT_EQ(folder_.Read("in/" + WaitingName(bad)), "garbage");
}

TEST_F(InboxTest, HoldsUpOnlyTheSenderOfWhatCannotBeRead) {
  Deliver("a", "1");
  Deliver("a", "2");
  Deliver("b", "3");
  FaultyCalls calls(calls_);
  FileSystem files(calls);
  Inbox inbox(files, clock_, random_, folder_ / "in", seconds(30));
  ASSERT_TRUE(inbox.Prune(clock_.Wall()).ok());
  calls.Restart();
  calls.Plan({.kind = CallKind::kRead, .number = 2, .error = EIO});  // the first is the lock's
  const auto message = inbox.Take(minutes(1));
  ASSERT_TRUE(message.ok() && *message) << message.error().message;
  EXPECT_EQ(*(*message)->body.Find("text")->AsString(), "3");
  EXPECT_EQ(TakeText(), "1");
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
  folder_.Write("in/" + bad + ".json", text + "another");
  EXPECT_EQ(TakeText(), "");
  EXPECT_EQ(folder_.Read("in/" + bad + ".json.too-large").size(), text.size());
  EXPECT_EQ(folder_.Read("in/" + bad + ".json.too-large-1").size(), text.size() + 7);
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

TEST_F(InboxTest, ShowsWhatIsTakenWhileItLooks) {
  Deliver("a", "1");
  Deliver("b", "2");
  calls_.after_list = [&] { EXPECT_EQ(TakeText(), "1"); };
  EXPECT_EQ(inbox_.Peek()->size(), 2u);
  calls_.after_list = [&] { EXPECT_TRUE(inbox_.Acknowledge(last_).ok()); };
  EXPECT_EQ(inbox_.Peek()->size(), 1u);
}

TEST_F(InboxTest, RemembersWhatWasAcknowledgedAMomentAgoHoweverOldItIs) {
  const std::string id = Deliver("a", "1");
  clock_.Advance(hours(48));
  EXPECT_EQ(TakeText(), "1");
  ASSERT_TRUE(inbox_.Acknowledge(id).ok());
  ASSERT_TRUE(inbox_.Prune(clock_.Wall() - hours(1)).ok());
  ASSERT_TRUE(inbox_.DeliverAs(id, MakeObject({{"text", "again"}})).ok());
  EXPECT_EQ(TakeText(), "");
}

TEST_F(InboxTest, GivesIdsInOrderWhileTheClockStands) {
  const Json body = MakeObject({{"text", "1"}});
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(i % 4 == 3 ? *inbox_.Deliver("a", body) : *inbox_.NewId("a"));
  }
  clock_.JumpWall(-hours(1));
  ids.push_back(*inbox_.NewId("a"));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST_F(InboxTest, DeliversWhenTheLastPossibleIdIsTaken) {
  folder_.Write("in/" + WaitingName(InboxId(kLatestInboxMicros, "b", "0123abcd")), "garbage");
  Deliver("a", "1");
  EXPECT_EQ(TakeText(), "1");
}

TEST_F(InboxTest, HandsOutAgainWhenTheClockWasSetBackByMoreThanALease) {
  Deliver("a", "1");
  EXPECT_EQ(TakeText(), "1");
  clock_.JumpWall(-hours(24));
  EXPECT_EQ(TakeText(), "1");
}

TEST_F(InboxTest, HidesAMessageForNoLongerThanALeaseWhateverTheClockDid) {
  Deliver("a", "1");
  clock_.JumpWall(hours(24));
  EXPECT_TRUE((*inbox_.Take(Inbox::kLongestLease)).has_value());
  clock_.JumpWall(-hours(24) + minutes(1));
  EXPECT_EQ(TakeText(), "1");
  clock_.JumpWall(-minutes(50));
  EXPECT_EQ(TakeText(), "");
  clock_.Advance(Inbox::kLongestLease);
  EXPECT_EQ(TakeText(), "1");
}

TEST_F(InboxTest, RecreatesItsRemovedFolder) {
  Deliver("a", "1");
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove_all(folder_ / "in");
    EXPECT_TRUE(inbox_.Deliver("a", MakeObject({{"text", "2"}})).ok());
  }
  EXPECT_EQ(TakeText(), "2");
  std::filesystem::remove_all(folder_ / "in");
  EXPECT_EQ(TakeText(), "");
}

TEST(InboxDeathTest, StopsAtALeaseThatIsTooLong) {
  const auto take = [](Duration lease) {
    RealFileCalls calls;
    FileSystem files(calls);
    const FakeClock clock;
    FakeRandom random;
    (void)Inbox(files, clock, random, "/nowhere/in", seconds(0)).Take(lease);
  };
  EXPECT_DEATH(take(Inbox::kLongestLease + seconds(1)), "kLongestLease");
  EXPECT_DEATH(take(-seconds(1)), "lease");
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
  EXPECT_EQ(ParseInboxName(DoneName(id, 9))->state, InboxName::State::kDone);
  EXPECT_EQ(ParseInboxName(DoneName(id, 9))->acknowledged_at, 9u);
  for (const std::string_view bad :
       {"", "lock", "dead", ".json", "7.a.0123abcd.json", "0000000000000007.A.0123abcd.json",
        "0000000000000007..0123abcd.json", "0000000000000007.a.0123abc.json",
        "0000000000000007.a.0123abcd", "0000000000000007.a.0123abcd.json.leased-",
        "0000000000000007.a.0123abcd.done", "0000000000000007.a.0123abcd.done-9",
        "0000000000000007.a/../b.0123abcd.json", "000000000000000G.a.0123abcd.json"}) {
    EXPECT_FALSE(ParseInboxName(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace belay
