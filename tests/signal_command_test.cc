// belay signal, as agents and people use it.

#include <gmock/gmock.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "agents_sandbox.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SignalCommandTest : public AgentsSandbox {
 protected:
  static std::vector<std::string> Guide(const std::string& to, const std::string& text) {
    return {"signal", "send", "GUIDANCE", "--to", to, "--payload", R"({"text":")" + text + "\"}"};
  }
  static std::vector<std::string> Escalate(const std::string& reason) {
    return {"signal",
            "send",
            "ESCALATE",
            "--to",
            "person",
            "--payload",
            R"({"reason":")" + reason + "\"}"};
  }
  std::vector<std::string> Payloads(const Json& record, const std::string& member) {
    std::vector<std::string> texts;
    for (const Json& signal : *record.Find("signals")->AsArray()) {
      texts.push_back(TextOf(*signal.Find("payload"), member));
    }
    return texts;
  }
  std::string Lock(const std::string& who) {
    return folder_ / ("repo/.git/belay/locks/signals-" + who + ".lock");
  }
};

TEST_F(SignalCommandTest, ASignalArrivesAndCanBeTakenOnce) {
  Spawn("worker-a#1");
  std::vector<std::string> guide = Guide("a", "hello");
  guide.emplace_back("--json");
  const Json sent = *ParseJson(Belay(guide, {.terminal_columns = 200}).out);
  EXPECT_EQ(TextOf(sent, "type"), "GUIDANCE");
  EXPECT_EQ(TextOf(sent, "from"), "person");
  EXPECT_EQ(TextOf(sent, "to"), "worker-a");
  const Json list = BelayJson({"signal", "list", "a"});
  EXPECT_EQ(TextOf((*list.Find("signals")->AsArray())[0], "id"), TextOf(sent, "id"));
  const RunOutcome own = As("worker-a#1", {"signal", "list"});
  EXPECT_THAT(own.out, HasSubstr("GUIDANCE"));
  const RunOutcome waited = As("worker-a#1", {"signal", "wait", "a", "--timeout", "0", "--json"});
  EXPECT_EQ(waited.exit_code, 0) << waited.out;
  EXPECT_THAT(Payloads(*ParseJson(waited.out), "text"), ElementsAre("hello"));
  EXPECT_EQ(BelayJson({"signal", "list", "a"}).Find("signals")->AsArray()->size(), 0U);
}

TEST_F(SignalCommandTest, NothingInTimeIsExitCode124) {
  const RunOutcome text = Belay({"signal", "wait", "person", "--timeout", "0"});
  EXPECT_EQ(text.exit_code, 124);
  EXPECT_EQ(text.out, "");
  const Json record = BelayJson({"signal", "wait", "person", "--timeout", "10ms"}, 124);
  EXPECT_EQ(record.Find("signals")->AsArray()->size(), 0U);
}

TEST_F(SignalCommandTest, WrongInputIsRefused) {
  Spawn("worker-a#1");
  ExpectError({"signal", "send", "GUIDENCE", "--to", "a"}, 2, "GUIDANCE");
  ExpectError({"signal", "send", "GUIDANCE"}, 2, "--to");
  ExpectError({"signal", "send", "GUIDANCE", "--to", "b"}, 3, "b");
  ExpectError({"signal", "send", "GUIDANCE", "--to", "a", "--payload", "{"}, 2, "--payload");
  ExpectError({"signal", "send", "GUIDANCE", "--to", "a", "--payload", "[1]"}, 2, "a JSON object");
  ExpectError({"signal", "send", "GUIDANCE", "--to", "a", "--payload", "{}"}, 2,
              R"({"text":"..."})");
  ExpectError(Guide("a", std::string(70'000, 'x')), 2, "64 KiB");
  ExpectError({"signal", "wait", "person", "--timeout", "soon"}, 2, "--timeout");
  ExpectError({"signal", "wait", "person", "--type", "X"}, 2, "X");
  EXPECT_EQ(BelayJson({"signal", "list", "a"}).Find("signals")->AsArray()->size(), 0U);
}

TEST_F(SignalCommandTest, OnlyWhoMaySendATypeCan) {
  Spawn("worker-a#1");
  ExpectError(Guide("a", "obey"), 4, "GUIDANCE", "worker-a#1");
  ExpectError({"signal", "send", "VALIDATION_PASSED", "--to", "guardian", "--payload",
               R"({"node_id":"n","head":"h"})"},
              4, "VALIDATION_PASSED", "worker-a#1");
  ExpectError({"signal", "send", "AGENT_CRASHED", "--to", "person", "--payload",
               R"({"agent_id":"worker-a#1","cause":"crash"})"},
              4, "AGENT_CRASHED");
  EXPECT_EQ(As("worker-a#1", Escalate("stuck")).exit_code, 0);
  EXPECT_THAT(Payloads(BelayJson({"signal", "list"}), "reason"), ElementsAre("stuck"));
}

TEST_F(SignalCommandTest, InsideATreeNoProcessPassesForAPerson) {
  BecomeTreeOf(Spawn("worker-a#1"));
  ExpectError(Guide("a", "obey"), 4, "GUIDANCE");
  EXPECT_EQ(Belay(Escalate("stuck")).exit_code, 0);
}

TEST_F(SignalCommandTest, ALateSignalOfADeadIncarnationIsRefusedAndNoted) {
  Spawn("worker-a#1");
  Spawn("worker-a#2");
  ExpectError(Escalate("late"), 4, "ignored a late", "worker-a#1");
  ExpectError(Escalate("early"), 4, "ignored a late", "worker-a#3");
  ExpectError(Escalate("who"), 4, "an agent of another project has no record here", "worker-x#1");
  EXPECT_EQ(BelayJson({"signal", "list"}).Find("signals")->AsArray()->size(), 0U);
  EXPECT_THAT(Log(), HasSubstr("ignored a late ESCALATE from worker-a#1"));
}

TEST_F(SignalCommandTest, AnAgentTakesOnlyItsOwn) {
  Spawn("worker-a#1");
  Spawn("worker-b#1");
  ExpectError({"signal", "wait", "b", "--timeout", "0"}, 4, "may not take", "worker-a#1");
  ExpectError({"signal", "wait", "person", "--timeout", "0"}, 4, "may not take", "worker-a#1");
}

TEST_F(SignalCommandTest, WaitingForATypeLeavesTheOthers) {
  Spawn("worker-a#1");
  EXPECT_EQ(As("worker-a#1", Escalate("first")).exit_code, 0);
  EXPECT_EQ(As("worker-a#1", {"signal", "send", "NEEDS_REVIEW", "--to", "person"}).exit_code, 0);
  const Json record =
      BelayJson({"signal", "wait", "person", "--type", "NEEDS_REVIEW", "--timeout", "0"});
  EXPECT_EQ(TextOf((*record.Find("signals")->AsArray())[0], "type"), "NEEDS_REVIEW");
  EXPECT_THAT(Payloads(BelayJson({"signal", "list"}), "reason"), ElementsAre("first"));
}

TEST_F(SignalCommandTest, AWaiterIsWokenByTheSignal) {
  Spawn("worker-a#1");
  RunOutcome waited{};
  std::thread waiter([&] {
    waited = Belay({"signal", "wait", "person", "--type", "ESCALATE", "--timeout", "60"});
  });
  // It watches before it takes this lock, and looks under it.
  while (access(Lock("person").c_str(), F_OK) != 0) std::this_thread::yield();
  EXPECT_EQ(As("worker-a#1", {"signal", "send", "NEEDS_REVIEW", "--to", "person"}).exit_code, 0);
  EXPECT_EQ(As("worker-a#1", Escalate("now")).exit_code, 0);
  waiter.join();
  EXPECT_EQ(waited.exit_code, 0) << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("now"));
}

TEST_F(SignalCommandTest, FourSendersAtOnceLoseNothingAndKeepTheirOrder) {
  constexpr int kSenders = 4;
  constexpr int kEach = 6;
  std::vector<std::thread> senders;
  for (int i = 0; i < kSenders; ++i) Spawn("worker-s" + std::to_string(i) + "#1");
  for (int i = 0; i < kSenders; ++i) {
    senders.emplace_back([this, i] {
      for (int k = 0; k < kEach; ++k) {
        EXPECT_EQ(As("worker-s" + std::to_string(i) + "#1", Escalate(std::to_string(k))).exit_code,
                  0);
      }
    });
  }
  std::map<std::string, std::vector<std::string>> taken;
  for (int i = 0; i < kSenders * kEach; ++i) {
    const Json record = BelayJson({"signal", "wait", "person", "--timeout", "60"});
    const Json& signal = (*record.Find("signals")->AsArray())[0];
    taken[TextOf(signal, "from")].push_back(TextOf(*signal.Find("payload"), "reason"));
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(taken.size(), std::size_t{kSenders});
  for (const auto& [from, reasons] : taken) {
    EXPECT_THAT(reasons, ElementsAre("0", "1", "2", "3", "4", "5")) << from;
  }
}

TEST_F(SignalCommandTest, TwoWhoWaitGetDifferentSignals) {
  Spawn("worker-a#1");
  std::vector<RunOutcome> outcomes(2);
  std::vector<std::thread> waiters;
  for (RunOutcome& outcome : outcomes) {
    waiters.emplace_back([&] { outcome = Belay({"signal", "wait", "person", "--timeout", "60"}); });
  }
  EXPECT_EQ(As("worker-a#1", Escalate("one")).exit_code, 0);
  EXPECT_EQ(As("worker-a#1", Escalate("two")).exit_code, 0);
  for (std::thread& waiter : waiters) waiter.join();
  const std::string both = outcomes[0].out + outcomes[1].out;
  EXPECT_THAT(both, HasSubstr("one"));
  EXPECT_THAT(both, HasSubstr("two"));
}

}  // namespace
}  // namespace belay
