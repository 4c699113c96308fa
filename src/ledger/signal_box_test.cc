#include "ledger/signal_box.h"

#include <gtest/gtest.h>

#include "ledger/test_ledgers.h"
#include "testing/fake_random.h"

namespace belay {
namespace {

class SignalBoxTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeFolders(disk_); }

  Signal Question(std::string_view from, std::string_view text) const {
    return {"",       SignalType::kNeedsInput, std::string(from),
            "person", clock_.Wall(),           MakeObject({{"question", text}})};
  }
  static std::string TextOf(const Signal& signal) {
    return *signal.payload.Find("question")->AsString();
  }

  SimulatedDisk disk_;
  FileSystem files_{disk_};
  FakeClock clock_;
  FakeRandom random_;
  Layout layout_{"/r", "/r/.git"};
  SignalBox box_{files_, clock_, random_, layout_, Recipient::Person()};
};

TEST_F(SignalBoxTest, AnEmptyOneHasNothing) {
  EXPECT_TRUE(box_.Peek()->empty());
  EXPECT_FALSE(box_.Take()->has_value());
  EXPECT_TRUE(box_.Prune().ok());
  EXPECT_EQ(box_.folder(), "/r/.git/belay/signals/person");
}

TEST_F(SignalBoxTest, ItsFolderCanBeMadeToBeWatched) {
  ASSERT_TRUE(box_.EnsureFolder().ok());
  ASSERT_TRUE(box_.EnsureFolder().ok());
  EXPECT_EQ(files_.Inspect(box_.folder())->kind, FileKind::kFolder);
}

TEST_F(SignalBoxTest, SignalsComeInOrderWithTheIdsThatSendGave) {
  const std::string first = *box_.Send(Question("worker-a#1", "one"));
  const std::string second = *box_.Send(Question("worker-b#1", "two"));
  const std::vector<Signal> seen = *box_.Peek();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].id, first);
  EXPECT_EQ(seen[1].id, second);
  Signal expected = Question("worker-a#1", "one");
  expected.id = first;
  EXPECT_EQ(**box_.Take(), expected);
  ASSERT_TRUE(box_.Acknowledge(first).ok());
  EXPECT_EQ(TextOf(**box_.Take()), "two");
  ASSERT_TRUE(box_.Acknowledge(second).ok());
  EXPECT_FALSE(box_.Take()->has_value());
}

TEST_F(SignalBoxTest, TwoIncarnationsAreOneSender) {
  ASSERT_TRUE(box_.Send(Question("worker-a#1", "one")).ok());
  ASSERT_TRUE(box_.Send(Question("worker-a#2", "two")).ok());
  EXPECT_EQ(TextOf(**box_.Take()), "one");
  EXPECT_FALSE(box_.Take()->has_value());
}

TEST_F(SignalBoxTest, WhatIsNotAcknowledgedIsHandedOutAgainAfterAMinute) {
  ASSERT_TRUE(box_.Send(Question("worker-a#1", "one")).ok());
  ASSERT_TRUE(box_.Take()->has_value());
  EXPECT_FALSE(box_.Take()->has_value());
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_TRUE(box_.Take()->has_value());
}

TEST_F(SignalBoxTest, IgnoresFilesThatAreNotSignals) {
  ASSERT_TRUE(box_.EnsureFolder().ok());
  Inbox inbox(files_, clock_, random_, box_.folder(), std::chrono::seconds(0));
  ASSERT_TRUE(inbox.Deliver("worker-a", MakeObject({{"type", "SING"}})).ok());
  ASSERT_TRUE(box_.Send(Question("worker-a#1", "one")).ok());
  EXPECT_EQ(box_.Peek()->size(), 1u);
  EXPECT_EQ(TextOf(**box_.Take()), "one");
  EXPECT_EQ(inbox.Peek()->size(), 1u);
}

TEST_F(SignalBoxTest, AnIdInTheSignalItselfCountsForNothing) {
  Signal signal = Question("person", "one");
  signal.id = "mine";
  const std::string id = *box_.Send(signal);
  EXPECT_NE(id, "mine");
  EXPECT_EQ((*box_.Take())->id, id);
}

TEST_F(SignalBoxTest, WhoCanNotBeASenderIsRefused) {
  for (const char* from : {"", "../x", "A", "a b"}) {
    EXPECT_EQ(box_.Send(Question(from, "one")).error().code, ErrorCode::kRefused) << from;
  }
  EXPECT_TRUE(box_.Send(Question("guardian", "one")).ok());
}

TEST_F(SignalBoxTest, WhatWasAcknowledgedIsForgottenAfterAWhile) {
  const std::string id = *box_.Send(Question("worker-a#1", "one"));
  ASSERT_TRUE(box_.Acknowledge(id).ok());
  clock_.Advance(std::chrono::minutes(9));
  ASSERT_TRUE(box_.Prune().ok());
  EXPECT_TRUE(box_.Acknowledge(id).ok());
  clock_.Advance(std::chrono::minutes(2));
  ASSERT_TRUE(box_.Prune().ok());
  EXPECT_EQ(box_.Acknowledge(id).error().code, ErrorCode::kNotFound);
}

// Without a cleanup by any process.
TEST_F(SignalBoxTest, HowManyAreRememberedDoesNotGrow) {
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(box_.Acknowledge(*box_.Send(Question("worker-a#1", "one"))).ok());
    clock_.Advance(std::chrono::minutes(5));
  }
  EXPECT_LE(files_.List(box_.folder())->size(), 5U);
}

TEST_F(SignalBoxTest, OfHookUpdatesOnlyTheLatestAboutAHookWaits) {
  const auto update = [&](std::string_view from, std::string_view path, std::string_view digest) {
    const Signal signal{.type = SignalType::kHookUpdated,
                        .from = std::string(from),
                        .to = "guardian",
                        .at = clock_.Wall(),
                        .payload = MakeObject({{"hook_path", path}, {"sha256", digest}})};
    ASSERT_TRUE(box_.Send(signal).ok());
  };
  ASSERT_TRUE(box_.Send(Question("worker-a#1", "one")).ok());
  update("worker-b#1", "b.json", "0");
  for (const char* digest : {"1", "2", "3"}) update("worker-a#1", "a.json", digest);
  const std::vector<Signal> waiting = *box_.Peek();
  ASSERT_EQ(waiting.size(), 3U);
  EXPECT_EQ(waiting[0].type, SignalType::kNeedsInput);
  EXPECT_EQ(waiting[1].from, "worker-b#1");
  EXPECT_EQ(*waiting[2].payload.Find("sha256")->AsString(), "3");
}

TEST_F(SignalBoxTest, ContinuesWhenItsFoldersWereRemoved) {
  ASSERT_TRUE(box_.Send(Question("worker-a#1", "one")).ok());
  ASSERT_TRUE(files_.RemoveTree(layout_.SignalsFolder()).ok());
  ASSERT_TRUE(box_.Send(Question("worker-a#1", "two")).ok());
  EXPECT_EQ(TextOf(**box_.Take()), "two");
}

// The guardian has other signals to handle.
TEST_F(SignalBoxTest, WithoutTimeItWaitsForNoLock) {
  ASSERT_TRUE(box_.EnsureFolder().ok());
  const auto held = StateLock::Acquire(files_, box_.folder() + "/lock", Duration::zero());
  ASSERT_TRUE(held.ok());
  SignalBox hasty(files_, clock_, random_, layout_, Recipient::Person(), Duration::zero());
  EXPECT_EQ(hasty.Send(Question("worker-a#1", "one")).error().code, ErrorCode::kBusy);
  EXPECT_EQ(hasty.Take().error().code, ErrorCode::kBusy);
}

}  // namespace
}  // namespace belay
