#include "ledger/dispatcher.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <thread>

#include "codec/json.h"
#include "os/file_calls.h"
#include "os/process_identity.h"
#include "store/vault.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class DispatcherTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeVault(); }
  void MakeVault() {
    for (const char* name : {"r", "r/.git", "r/.git/belay"}) {
      (void)mkdir((folder_ / name).c_str(), 0700);
    }
    folder_.Write("r/.git/belay/format", VaultFormatText());
  }

  static Identity Agent(std::uint32_t incarnation = 1) {
    Identity agent{AgentId(*IdentityName::Make("orchestrator", "login"), incarnation)};
    agent.status = AgentStatus::kAlive;
    return agent;
  }
  Signal Words(std::string_view text) const {
    return {"",
            SignalType::kGuidance,
            "person",
            "orchestrator-login",
            clock_.Wall(),
            MakeObject({{"text", text}})};
  }
  SignalBox Box(FileSystem& files) {
    return {files, clock_, random_, layout_, Recipient::Agent(Agent().id.identity())};
  }
  Dispatcher Over(FileSystem& files) { return {files, clock_, random_, layout_}; }
  static ProcessMark DeadHook() { return {4'000'000, 1}; }
  ProcessMark LivingHook() {
    const Result<ProcessIdentity> us = IdentityOf(getpid());
    return {us->pid, us->start_time};
  }
  Result<std::optional<TakenBatch>> Take(const ProcessMark& hook) {
    return TakeOutbox(files_, layout_, Agent().id.identity(), hook,
                      [](const OutboxBatch&) { return true; });
  }
  static std::function<Reading(const Delivery&)> Always(Reading reading) {
    return [reading](const Delivery&) { return reading; };
  }
  // What one of its hooks delivers now.
  std::vector<std::string> Deliver() {
    std::vector<std::string> texts;
    const auto taken = Take(LivingHook());
    EXPECT_TRUE(taken.ok());
    if (!taken || !*taken) return texts;
    for (const Signal& signal : (*taken)->batch.messages) {
      texts.push_back(TextIn(signal.payload, "text"));
    }
    EXPECT_TRUE(MarkGiven(files_, layout_, **taken, clock_.Wall(), "PreToolUse").ok());
    return texts;
  }

  TempFolder folder_;
  RealFileCalls real_;
  FileSystem files_{real_};
  FakeClock clock_;
  FakeRandom random_;
  Layout layout_{folder_ / "r", folder_ / "r/.git"};
};

using Texts = std::vector<std::string>;

TEST_F(DispatcherTest, MessagesAreOfferedInOrderDeliveredOnceAndRecorded) {
  Dispatcher dispatcher = Over(files_);
  const std::string first = *Box(files_).Send(Words("one"));
  const std::string second = *Box(files_).Send(Words("two"));
  ASSERT_EQ(dispatcher.Update(Agent())->waiting.size(), 2U);
  EXPECT_EQ(Deliver(), (Texts{"one", "two"}));
  EXPECT_EQ(Deliver(), Texts{});
  const Result<DispatchState> after = dispatcher.Update(Agent());
  EXPECT_TRUE(after->waiting.empty());
  ASSERT_EQ(after->given.size(), 2U);
  EXPECT_EQ(dispatcher.ledger().book().Find(first)->by, "PreToolUse");
  EXPECT_EQ(Box(files_).Peek()->size(), 2U) << "its model may never read them";
  ASSERT_TRUE(dispatcher.Review(Agent(), Always(Reading::kUnknown))->empty());
  ASSERT_EQ(dispatcher.Review(Agent(), Always(Reading::kRead))->size(), 2U);
  EXPECT_EQ(dispatcher.ledger().book().Find(first)->state, DeliveryState::kDelivered);
  EXPECT_TRUE(Box(files_).Peek()->empty());
  EXPECT_TRUE(dispatcher.Update(Agent())->given.empty());
  EXPECT_EQ(Deliver(), Texts{});
}

TEST_F(DispatcherTest, OtherSignalsStayInTheInbox) {
  Signal merged = Words("");
  merged.type = SignalType::kMergeComplete;
  ASSERT_TRUE(Box(files_).Send(merged).ok());
  EXPECT_TRUE(Over(files_).Update(Agent())->waiting.empty());
  EXPECT_EQ(Box(files_).Peek()->size(), 1U);
}

TEST_F(DispatcherTest, WhatAHookDeliversIsNotOfferedAgainWhileItRuns) {
  Dispatcher dispatcher = Over(files_);
  ASSERT_TRUE(Box(files_).Send(Words("one")).ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const auto taken = Take(LivingHook());
  ASSERT_TRUE(taken && *taken);
  ASSERT_TRUE(Box(files_).Send(Words("two")).ok());
  EXPECT_TRUE(dispatcher.Update(Agent())->taker.has_value());
  EXPECT_EQ(Deliver(), Texts{}) << "the order would be lost";
  ASSERT_TRUE(MarkGiven(files_, layout_, **taken, clock_.Wall(), "Stop").ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  EXPECT_EQ(Deliver(), Texts{"two"});
}

TEST_F(DispatcherTest, WhatAHookTookAndDiedWithIsOfferedAgain) {
  Dispatcher dispatcher = Over(files_);
  ASSERT_TRUE(Box(files_).Send(Words("one")).ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  ASSERT_TRUE(*Take(DeadHook()));
  EXPECT_EQ(Deliver(), Texts{});
  EXPECT_FALSE(dispatcher.Update(Agent())->taker.has_value());
  EXPECT_EQ(Deliver(), Texts{"one"});
}

TEST_F(DispatcherTest, OfHooksThatTakeAtTheSameMomentOneGetsIt) {
  constexpr int kHooks = 6;
  constexpr int kRounds = 60;
  Dispatcher dispatcher = Over(files_);
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_TRUE(Box(files_).Send(Words(std::to_string(round))).ok());
    ASSERT_TRUE(dispatcher.Update(Agent()).ok());
    std::barrier together(kHooks);
    std::atomic<int> winners = 0;
    std::vector<std::thread> hooks;
    for (int i = 0; i < kHooks; ++i) {
      hooks.emplace_back([&, i] {
        RealFileCalls calls;
        FileSystem files(calls);
        together.arrive_and_wait();
        const auto taken = TakeOutbox(files, layout_, Agent().id.identity(), {4'000'000 + i, 1},
                                      [](const OutboxBatch&) { return true; });
        if (!taken || !*taken) return;
        ++winners;
        (void)MarkGiven(files, layout_, **taken, clock_.Wall(), "PreToolUse");
      });
    }
    for (std::thread& hook : hooks) hook.join();
    ASSERT_EQ(winners, 1) << round;
    ASSERT_EQ(dispatcher.Update(Agent())->given.size(), 1U);
    clock_.Advance(std::chrono::seconds(1));
  }
}

TEST_F(DispatcherTest, ASuccessorGetsWhatWaited) {
  Dispatcher dispatcher = Over(files_);
  ASSERT_TRUE(Box(files_).Send(Words("one")).ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  ASSERT_TRUE(dispatcher.Update(Agent(2)).ok());
  EXPECT_EQ(ReadOutbox(files_, layout_.OutboxFile(Agent().id.identity()))->agent, Agent(2).id);
  EXPECT_EQ(Deliver(), Texts{"one"});
}

TEST_F(DispatcherTest, WhatTheModelOfADeadAgentNeverReadWaitsAgain) {
  Dispatcher dispatcher = Over(files_);
  const std::string one = *Box(files_).Send(Words("one"));
  ASSERT_TRUE(Box(files_).Send(Words("two")).ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  EXPECT_EQ(Deliver(), (Texts{"one", "two"}));
  clock_.Advance(std::chrono::seconds(1));
  const auto read_one = [&](const Delivery& given) {
    return given.id == one ? Reading::kRead : Reading::kUnread;
  };
  EXPECT_EQ(dispatcher.Review(Agent(), read_one)->size(), 2U);
  EXPECT_TRUE(dispatcher.Review(Agent(), read_one)->empty());
  ASSERT_TRUE(Box(files_).Send(Words("three")).ok());
  EXPECT_EQ(dispatcher.Update(Agent(2))->waiting.size(), 2U);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(Deliver(), (Texts{"two", "three"}));
  EXPECT_EQ(dispatcher.Update(Agent(2))->given.size(), 2U);
  EXPECT_EQ(Deliver(), Texts{});
  EXPECT_EQ(dispatcher.Review(Agent(2), Always(Reading::kRead))->size(), 2U);
  EXPECT_TRUE(ListOutbox(files_, layout_)->empty());
  EXPECT_TRUE(Box(files_).Peek()->empty());
}

TEST_F(DispatcherTest, TheConversationThatAHookGaveItToIsRecorded) {
  Dispatcher dispatcher = Over(files_);
  const std::string one = *Box(files_).Send(Words("one"));
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const auto taken = Take(LivingHook());
  ASSERT_TRUE(taken && *taken);
  ASSERT_TRUE(WriteReceipt(files_, **taken, {1, "s1", "/t/s1.jsonl"}).ok());
  ASSERT_TRUE(MarkGiven(files_, layout_, **taken, clock_.Wall(), "Stop").ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const Delivery* given = dispatcher.ledger().book().Find(one);
  EXPECT_EQ(given->state, DeliveryState::kGiven);
  EXPECT_EQ(given->session, "s1");
  EXPECT_EQ(given->transcript, "/t/s1.jsonl");
}

TEST_F(DispatcherTest, WhatDidNotFitIsLeftToTheNextHookInOrder) {
  Dispatcher dispatcher = Over(files_);
  for (const char* text : {"one", "two", "three"}) {
    ASSERT_TRUE(Box(files_).Send(Words(text)).ok());
  }
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const auto taken = Take(LivingHook());
  ASSERT_TRUE(taken && *taken);
  OutboxBatch rest = (*taken)->batch;
  rest.messages.erase(rest.messages.begin());
  rest.part = 3;
  ASSERT_TRUE(WriteReceipt(files_, **taken, {1, "", ""}).ok());
  ASSERT_TRUE(OfferRest(files_, layout_, rest, LivingHook()).ok());
  ASSERT_TRUE(MarkGiven(files_, layout_, **taken, clock_.Wall(), "PostToolUse").ok());
  // A message sent then doesn't restart the long one.
  ASSERT_TRUE(Box(files_).Send(Words("four")).ok());
  EXPECT_EQ(dispatcher.Update(Agent())->given.size(), 1U);
  EXPECT_EQ(ReadOutbox(files_, layout_.OutboxFile(Agent().id.identity()))->part, 3U);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(Deliver(), (Texts{"two", "three", "four"}));
  EXPECT_EQ(dispatcher.Update(Agent())->given.size(), 3U);
}

// A hook writes the rest between the dispatcher's check and its write, and another hook takes it.
TEST_F(DispatcherTest, ARestThatAnotherHookHasTakenIsNotOfferedTwice) {
  Dispatcher dispatcher = Over(files_);
  ASSERT_TRUE(Box(files_).Send(Words("one")).ok());
  ASSERT_TRUE(Box(files_).Send(Words("two")).ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const auto first = Take(DeadHook());
  ASSERT_TRUE(first && *first);
  OutboxBatch rest = (*first)->batch;
  rest.messages.erase(rest.messages.begin());
  ASSERT_TRUE(WriteReceipt(files_, **first, {1, "", ""}).ok());
  ASSERT_TRUE(OfferRest(files_, layout_, rest, DeadHook()).ok());
  ASSERT_TRUE(MarkGiven(files_, layout_, **first, clock_.Wall(), "PostToolUse").ok());
  clock_.Advance(std::chrono::seconds(1));
  const auto second = Take(LivingHook());
  ASSERT_TRUE(second && *second);
  EXPECT_TRUE(dispatcher.Update(Agent())->taker.has_value());
  EXPECT_EQ(Deliver(), Texts{});
}

TEST_F(DispatcherTest, WhatAHookHoldsIsDroppedToo) {
  Dispatcher dispatcher = Over(files_);
  const std::string one = *Box(files_).Send(Words("one"));
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const auto taken = Take(LivingHook());
  ASSERT_TRUE(taken && *taken);
  ASSERT_TRUE(dispatcher
                  .Finalize(Agent(), DeliveryState::kDropped, "", "a new task",
                            [](const Signal&) { return true; })
                  .ok());
  PutBack(files_, layout_, **taken);
  ASSERT_TRUE(dispatcher.Update(Agent(2)).ok());
  EXPECT_EQ(Deliver(), Texts{}) << "a new task got the message of the old one";
  EXPECT_EQ(dispatcher.ledger().book().Find(one)->state, DeliveryState::kDropped);
}

TEST_F(DispatcherTest, WhatIsSettledOtherwiseIsOfferedToNoHook) {
  Dispatcher dispatcher = Over(files_);
  ASSERT_TRUE(Box(files_).Send(Words("one")).ok());
  ASSERT_TRUE(Box(files_).Send(Words("two")).ok());
  ASSERT_TRUE(dispatcher.Update(Agent()).ok());
  const auto settled = dispatcher.Finalize(
      Agent(), DeliveryState::kDropped, "", "a new task",
      [](const Signal& signal) { return TextIn(signal.payload, "text") == "one"; });
  ASSERT_EQ(settled->size(), 1U);
  EXPECT_EQ(Deliver(), Texts{"two"});
}

TEST_F(DispatcherTest, AnyCallThatFailsLosesNothingAndDoublesNothing) {
  FaultyCalls faulty(real_);
  FileSystem files(faulty);
  const auto send_and_update = [&] {
    Result<std::string> sent = Box(files).Send(Words("one"));
    Dispatcher dispatcher = Over(files);
    (void)dispatcher.Update(Agent());
    return sent;
  };
  ASSERT_TRUE(send_and_update().ok());
  const std::size_t calls = faulty.count();
  ASSERT_GT(calls, 10U);
  for (std::size_t n = 1; n <= calls; ++n) {
    SCOPED_TRACE(n);
    ASSERT_TRUE(files_.RemoveTree(folder_ / "r").ok());
    MakeVault();
    faulty.Restart();
    faulty.Plan({.number = n, .error = ENOSPC});
    const bool stored = send_and_update().ok();
    // The disk has room again.
    Dispatcher dispatcher = Over(files_);
    ASSERT_TRUE(dispatcher.Update(Agent()).ok());
    const Texts delivered = Deliver();
    if (stored) {
      EXPECT_EQ(delivered, Texts{"one"});
    }
    EXPECT_LE(delivered.size(), 1U);
    ASSERT_TRUE(dispatcher.Update(Agent()).ok());
    EXPECT_EQ(Deliver(), Texts{});
    ASSERT_TRUE(dispatcher.Review(Agent(), Always(Reading::kRead)).ok());
    EXPECT_TRUE(Box(files_).Peek()->empty());
  }
}

TEST(OutboxNameTest, KnowsItsOwnNamesOnly) {
  using State = OutboxName::State;
  EXPECT_EQ(ParseOutboxName("orchestrator-a.json")->state, State::kWaiting);
  const auto taken = ParseOutboxName("orchestrator-a.taken-17-99");
  EXPECT_EQ(taken->taker, (ProcessMark{17, 99}));
  EXPECT_EQ(ParseOutboxName("orchestrator-a.rest-17-99")->state, State::kRest);
  const auto done = ParseOutboxName("orchestrator-a.done-1000000-Stop");
  EXPECT_EQ(done->event, "Stop");
  EXPECT_EQ(done->at, WallTime(std::chrono::seconds(1)));
  EXPECT_EQ(ParseOutboxName("orchestrator-a.text-5.md")->state, State::kText);
  for (const char* other :
       {"orchestrator-a.done-9223372036854775807-Stop", "", "a", ".json", "orchestrator-a",
        "orchestrator-a.taken-17", "orchestrator-a.taken-x-1", "orchestrator-a.done-1-", "a b.json",
        "orchestrator-a.done-1-../x", "orchestrator-a.text-5", "x.lock"}) {
    EXPECT_FALSE(ParseOutboxName(other)) << other;
  }
}

}  // namespace
}  // namespace belay
