#include <gtest/gtest.h>

#include "app/hook_event.h"

namespace belay {
namespace {

AgentEvent Event(const std::string& agent, EventKind kind, std::int64_t pid, int second) {
  return {.kind = kind,
          .at = WallTime() + std::chrono::seconds(second),
          .agent = agent,
          .pid = pid,
          .pid_start = 7};
}

TEST(SessionContextTest, OnlyTheFirstSessionOfAnIncarnationIsTheFirst) {
  const AgentEvent start = Event("worker-a#2", EventKind::kSessionStarted, 11, 10);
  const AgentEvent before = Event("worker-a#1", EventKind::kSessionStarted, 10, 1);
  const AgentEvent line = Event("worker-a#2", EventKind::kStatusShown, 11, 9);
  EXPECT_TRUE(IsFirstOfIncarnation(start, std::vector{start}));
  EXPECT_TRUE(IsFirstOfIncarnation(start, std::vector{before, start}));
  EXPECT_TRUE(IsFirstOfIncarnation(start, std::vector{before, line, start}));
  const AgentEvent other = Event("worker-a#2", EventKind::kSessionStarted, 12, 10);
  EXPECT_FALSE(IsFirstOfIncarnation(other, std::vector{before, start, other}));
  EXPECT_TRUE(IsFirstOfIncarnation(start, std::vector{before, start, other}));
  const AgentEvent again =
      Event("worker-a#2", EventKind::kSessionStarted, 11, 20);  // compacted, or cleared
  EXPECT_FALSE(IsFirstOfIncarnation(again, std::vector{start, again}));
  // The log begins in the middle.
  const AgentEvent call = Event("worker-a#2", EventKind::kToolStarting, 11, 15);
  EXPECT_FALSE(IsFirstOfIncarnation(again, std::vector{call, again}));
}

TEST(SessionContextTest, EveryProcessOfAnIncarnationHasItsFirstSession) {
  const AgentEvent start = Event("worker-a#2", EventKind::kSessionStarted, 11, 10);
  const AgentEvent again =
      Event("worker-a#2", EventKind::kSessionStarted, 11, 20);  // compacted, or cleared
  const AgentEvent other = Event("worker-a#2", EventKind::kSessionStarted, 12, 30);
  AgentEvent same_number = Event("worker-a#2", EventKind::kSessionStarted, 11, 40);
  same_number.pid_start = 8;
  const std::vector log = {start, again, other, same_number};
  EXPECT_TRUE(IsFirstOfProcess(start, log));
  EXPECT_FALSE(IsFirstOfProcess(again, log));
  EXPECT_TRUE(IsFirstOfProcess(other, log));
  EXPECT_TRUE(IsFirstOfProcess(same_number, log));
  // The process isn't known: only the very first session counts.
  const AgentEvent unknown = Event("worker-a#2", EventKind::kSessionStarted, 0, 50);
  EXPECT_FALSE(IsFirstOfProcess(unknown, std::vector{start, unknown}));
  EXPECT_TRUE(IsFirstOfProcess(unknown, std::vector{unknown}));
}

}  // namespace
}  // namespace belay
