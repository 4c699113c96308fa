#include "model/delivery.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

AgentId Id(std::uint32_t incarnation) {
  return {*IdentityName::Make("orchestrator", "login"), incarnation};
}

Signal Words(std::string_view id, std::string_view text) {
  return {std::string(id),
          SignalType::kGuidance,
          "person",
          "orchestrator-login",
          WallTime(std::chrono::seconds(5)),
          MakeObject({{"text", text}})};
}

OutboxBatch Batch() {
  OutboxBatch batch{Id(2), ProcessMark{10, 100}, ProcessMark{9, 90}};
  batch.messages = {Words("1", "one"), Words("2", "two")};
  return batch;
}

AgentEvent HookOf(const std::string& agent, std::vector<ProcessMark> above) {
  AgentEvent event{.kind = EventKind::kToolStarting};
  event.agent = agent;
  event.above = std::move(above);
  return event;
}

TEST(DeliveryTest, ABatchSurvivesARoundTrip) {
  EXPECT_EQ(*OutboxBatchFromJson(ToJson(Batch())), Batch());
}

TEST(DeliveryTest, AReceiptSurvivesARoundTrip) {
  const OutboxReceipt receipt{2, "s1", "/t/s1.jsonl"};
  EXPECT_EQ(*OutboxReceiptFromJson(ToJson(receipt)), receipt);
  EXPECT_FALSE(OutboxReceiptFromJson(MakeObject({{"session", "s1"}})).ok());
}

TEST(DeliveryTest, WhatIsGivenNeitherWaitsNorIsForgotten) {
  DeliveryBook book;
  Delivery given = DeliveryOf(Words("1", "one"), Id(1));
  given.state = DeliveryState::kGiven;
  given.session = "s1";
  given.transcript = "/t/s1.jsonl";
  book.Apply(DeliveryRecord({}, given));
  EXPECT_TRUE(book.Waiting(Id(1).identity()).empty());
  EXPECT_EQ(book.Given(Id(1).identity()), std::vector<Delivery>{given});
  EXPECT_EQ(book.Snapshot(WallTime(std::chrono::hours(48))).size(), 1U);
}

TEST(DeliveryTest, ABatchThatMakesNoSenseIsDamaged) {
  for (const char* key : {"agent_id", "messages", "process"}) {
    Json record = ToJson(Batch());
    record.Remove(key);
    record.Set(key, 7);
    EXPECT_FALSE(OutboxBatchFromJson(record).ok()) << key;
  }
  Json record = ToJson(Batch());
  record.Set("process", MakeObject({{"start", 100}}));
  EXPECT_FALSE(OutboxBatchFromJson(record).ok()) << "a process without a pid";
}

TEST(DeliveryTest, OnlyAHookOfThatIncarnationsMainConversationMayDeliver) {
  const std::vector<ProcessMark> below = {{11, 110}, {10, 100}, {9, 90}};
  EXPECT_TRUE(MayDeliver(Batch(), HookOf("orchestrator-login#2", below)));
  EXPECT_TRUE(MayDeliver(Batch(), HookOf("orchestrator-login#2", {{9, 90}})));
  EXPECT_FALSE(MayDeliver(Batch(), HookOf("orchestrator-login#1", below)));
  EXPECT_FALSE(MayDeliver(Batch(), HookOf("", below)));
  EXPECT_FALSE(MayDeliver(Batch(), HookOf("orchestrator-login#2", {{10, 101}})));
  AgentEvent nested = HookOf("orchestrator-login#2", below);
  nested.nested = true;
  EXPECT_FALSE(MayDeliver(Batch(), nested));
  OutboxBatch starting = Batch();
  starting.process.reset();
  starting.parent.reset();
  EXPECT_TRUE(MayDeliver(starting, HookOf("orchestrator-login#2", {})));
}

TEST(DeliveryTest, ASessionStartedWithoutBelayIsKnownByItsProcess) {
  OutboxBatch batch = Batch();
  batch.external = true;
  AgentEvent event = HookOf("", {});
  EXPECT_FALSE(MayDeliver(batch, event));
  event.pid = 10;
  event.pid_start = 100;
  EXPECT_TRUE(MayDeliver(batch, event));
}

TEST(DeliveryTest, TheLastRecordOfAMessageDecides) {
  DeliveryBook book;
  Delivery delivery = DeliveryOf(Words("1", "one\ntwo"), Id(1));
  EXPECT_EQ(delivery.summary, "one two");
  book.Apply(DeliveryRecord({}, delivery));
  book.Apply(DeliveryRecord({}, DeliveryOf(Words("2", "two"), Id(1))));
  EXPECT_EQ(book.Waiting(Id(1).identity()).size(), 2U);
  delivery.state = DeliveryState::kDelivered;
  delivery.by = "Stop";
  delivery.delivered_at = WallTime(std::chrono::seconds(60));
  book.Apply(DeliveryRecord({}, delivery));
  EXPECT_EQ(*book.Find("1"), delivery);
  EXPECT_EQ(book.Waiting(Id(1).identity()).size(), 1U);
  EXPECT_EQ(DeliveryText(delivery),
            "GUIDANCE from person: one two; by Stop at 1970-01-01T00:01:00Z");
  book.Apply(MakeObject({{"kind", "sent"}}));
  EXPECT_EQ(book.unreadable(), 1U);
}

TEST(DeliveryTest, AJournalThatIsMadeShortKeepsWhatWaits) {
  DeliveryBook book;
  book.Apply(DeliveryRecord({}, DeliveryOf(Words("1", "one"), Id(1))));
  Delivery old = DeliveryOf(Words("2", "two"), Id(1));
  old.state = DeliveryState::kDropped;
  book.Apply(DeliveryRecord({}, old));
  const std::vector<Json> kept = book.Snapshot(WallTime(std::chrono::hours(48)));
  ASSERT_EQ(kept.size(), 1U);
  DeliveryBook again;
  again.Apply(kept[0]);
  EXPECT_EQ(*again.Find("1"), *book.Find("1"));
}

}  // namespace
}  // namespace belay
