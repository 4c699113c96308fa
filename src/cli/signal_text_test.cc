#include "cli/signal_text.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

IdentityBook BookWith(std::initializer_list<const char*> agents) {
  IdentityBook book;
  for (const char* agent : agents) {
    book.Apply(IdentityRecord(WallTime(), "alive", "", Identity{.id = *AgentId::Parse(agent)}));
  }
  return book;
}

TEST(FindRecipient, KnowsTheGuardianThePersonAndAgents) {
  const IdentityBook book = BookWith({"worker-a#1"});
  EXPECT_EQ(*FindRecipient(book, "guardian"), Recipient::Guardian());
  EXPECT_EQ(*FindRecipient(book, "person"), Recipient::Person());
  EXPECT_EQ(FindRecipient(book, "a")->text(), "worker-a");
  EXPECT_EQ(FindRecipient(book, "worker-a")->party(), Party::kAgent);
}

TEST(FindRecipient, RefusesWhoIsNotThereOrNotTheOnlyOne) {
  const IdentityBook book = BookWith({"worker-a#1", "scout-a#1"});
  EXPECT_EQ(FindRecipient(book, "b").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(FindRecipient(book, "a").error().code, ErrorCode::kUsage);
  EXPECT_FALSE(FindRecipient(book, "../x").ok());
}

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
