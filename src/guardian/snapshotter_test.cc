#include "guardian/snapshotter.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <string>

#include "os/real_event_loop.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kWhole =
    R"({"schema_version":1,"id":"agent-orchestrator-login/7","new":true,"head":"0123abcd",)"
    R"("paths":["a.txt","\"tab\\there\""],"paths_count":2})";

TEST(SnapshotterTest, ParsesTheOutcomeOfTake) {
  const Result<SnapshotOutcome> outcome = ParseSnapshotOutcome(kWhole);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->id, "agent-orchestrator-login/7");
  EXPECT_TRUE(outcome->is_new);
  EXPECT_EQ(outcome->head, "0123abcd");
  EXPECT_THAT(outcome->paths, ElementsAre("a.txt", "\"tab\\there\""));
  EXPECT_EQ(outcome->paths_count, 2U);
}

TEST(SnapshotterTest, ACutAnswerIsNoSnapshot) {
  for (std::size_t length = 0; length < kWhole.size(); ++length) {
    EXPECT_FALSE(ParseSnapshotOutcome(kWhole.substr(0, length)).ok()) << length;
  }
}

TEST(SnapshotterTest, OneThatLacksAFileCountsAllTheSame) {
  const Result<SnapshotOutcome> outcome =
      ParseSnapshotOutcome(R"({"error":{"message":"x: can't be read"},"id":"main/1","new":false})");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->id, "main/1");
  EXPECT_FALSE(outcome->is_new);
}

TEST(SnapshotterTest, AFailureHasItsReason) {
  const auto failed = ParseSnapshotOutcome(R"({"error":{"message":"git: no such worktree"}})");
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("git: no such worktree"));
  const auto silent = ParseSnapshotOutcome("{}");
  ASSERT_FALSE(silent.ok());
  EXPECT_THAT(silent.error().message, HasSubstr("doesn't mention a snapshot"));
}

TEST(SnapshotterTest, MembersOfAnotherKindCountAsMissing) {
  const Result<SnapshotOutcome> outcome = ParseSnapshotOutcome(
      R"({"id":"main/1","new":"yes","head":7,"paths":[1,"a",null],"paths_count":-5})");
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->is_new);
  EXPECT_EQ(outcome->head, "");
  EXPECT_THAT(outcome->paths, ElementsAre("a"));
  EXPECT_EQ(outcome->paths_count, 0U);
  EXPECT_FALSE(ParseSnapshotOutcome(R"({"id":7})").ok());
  EXPECT_FALSE(ParseSnapshotOutcome("[]").ok());
}

// A program in place of belay: for "slow" agents it waits until it is ended.
class SnapshotterQueueTest : public ::testing::Test {
 protected:
  using Haste = Snapshotter::Haste;

  SnapshotterQueueTest() {
    folder_.Write(
        "belay", "#!/bin/sh\ncase $3 in *-slow*) exec sleep 600;; esac\necho '{\"id\":\"x/1\"}'\n");
    EXPECT_EQ(chmod((folder_ / "belay").c_str(), 0700), 0);
  }
  void Take(const std::string& name, Haste haste) {
    snapshots_.Take(*IdentityName::Make("worker", name), "", haste,
                    [this, name](const Result<SnapshotOutcome>&) {
                      done_.push_back(name);
                      loop_->Stop();
                    });
  }
  // Waits until one is done; false after a long time.
  bool AwaitOne() {
    const std::size_t before = done_.size();
    const TimerId limit = loop_->StartTimer(std::chrono::seconds(30), [this] { loop_->Stop(); });
    loop_->Run();
    loop_->CancelTimer(limit);
    return done_.size() > before;
  }

  TempFolder folder_;
  Layout project_{folder_.path(), std::nullopt};
  std::unique_ptr<RealEventLoop> loop_ = *RealEventLoop::Create();
  bool held_back_ = false;
  Snapshotter snapshots_{*loop_, project_, [this] { return held_back_; }, folder_ / "belay"};
  std::vector<std::string> done_;
};

TEST_F(SnapshotterQueueTest, OneThatIsWaitedForNeedsNotWaitForOrdinaryOnes) {
  for (int i = 0; i < 10; ++i) Take("slow" + std::to_string(i), Haste::kOrdinary);
  Take("dead", Haste::kWaitedFor);
  EXPECT_TRUE(AwaitOne());
  EXPECT_THAT(done_, ElementsAre("dead"));
}

TEST_F(SnapshotterQueueTest, OneThatWaitsCanBeHurried) {
  for (int i = 0; i < 10; ++i) Take("slow" + std::to_string(i), Haste::kOrdinary);
  Take("dies", Haste::kOrdinary);
  snapshots_.Hurry(*IdentityName::Make("worker", "dies"));
  EXPECT_TRUE(AwaitOne());
  EXPECT_THAT(done_, ElementsAre("dies"));
}

TEST_F(SnapshotterQueueTest, AHeldItemStartsOnRequest) {
  held_back_ = true;
  Take("first", Haste::kWaitedFor);
  EXPECT_FALSE(snapshots_.idle());
  loop_->Post([this] {
    EXPECT_THAT(done_, ElementsAre());
    held_back_ = false;
    snapshots_.GoOn();
  });
  EXPECT_TRUE(AwaitOne());
  EXPECT_THAT(done_, ElementsAre("first"));
}

TEST_F(SnapshotterQueueTest, WhatIsWaitedForComesInItsOrder) {
  for (int i = 0; i < 3; ++i) Take("slow" + std::to_string(i), Haste::kOrdinary);
  for (const char* name : {"a", "b", "c"}) Take(name, Haste::kWaitedFor);
  EXPECT_TRUE(AwaitOne() && AwaitOne() && AwaitOne());
  EXPECT_THAT(done_, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace belay
