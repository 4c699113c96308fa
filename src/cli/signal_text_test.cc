#include "cli/signal_text.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(OwnInbox, IsThePersonsOrTheAgents) {
  EXPECT_EQ(OwnInbox(Caller{}), Recipient::Person());
  const Caller agent{Party::kAgent, *AgentId::Parse("worker-a#3"), false};
  EXPECT_EQ(OwnInbox(agent).text(), "worker-a");
}

TEST(SignalTable, ShowsWhatOthersWroteAsPlainText) {
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "worker-a#1",
                      .to = "person",
                      .payload = MakeObject({{"reason", "\x1b[31mred"}})};
  const std::string text = SignalTable({&signal, 1}, {});
  EXPECT_NE(text.find("ESCALATE"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace belay
