#include "model/signal.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "model/test_records.h"
#include "testing/places.h"

namespace belay {
namespace {

Signal Example() {
  return {"0.a.1",      SignalType::kNeedsInput,
          "worker-a#3", "person",
          Second(1),    MakeObject({{"question", "why?"}, {"more", Json::EmptyArray()}})};
}

std::string Parties(std::uint8_t bits) {
  constexpr std::string_view kNames[] = {"agent", "runner", "guardian", "person", "command"};
  std::string text;
  for (unsigned i = 0; i < std::size(kNames); ++i) {
    if ((bits >> i & 1U) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", kNames[i]);
  }
  return text;
}

std::string WithCommas(std::string_view words) {
  std::string text;
  for (const char c : words) text += c == ' ' ? std::string(", ") : std::string(1, c);
  return text;
}

TEST(SignalTest, TheTableInTheDocumentationIsTheOneInTheCode) {
  std::string table;
  for (const SignalRule& rule : SignalRules()) {
    table += fmt::format("| {} | {} | {} | {} | {} |\n", rule.name, Parties(rule.senders),
                         Parties(rule.recipients), WithCommas(rule.payload), rule.meaning);
  }
  std::ifstream file(SourceFile("docs/signals.md"));
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const std::size_t start = document.find("|---|---|---|---|---|\n");
  ASSERT_NE(start, std::string::npos);
  const std::size_t rows = document.find('\n', start) + 1;
  EXPECT_EQ(document.substr(rows, document.find("\n\n", rows) + 1 - rows), table);
}

TEST(SignalTest, TheHelpPageHasTheSameTableInShort) {
  std::string table = "|---|---|---|\n";
  for (const SignalRule& rule : SignalRules()) {
    table += fmt::format("| {} | {} | {} |\n", rule.name, Parties(rule.senders),
                         Parties(rule.recipients));
  }
  std::ifstream file(SourceFile("src/cli/commands/signal.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find(table + "\n"), std::string::npos) << table;
}

TEST(SignalTest, EveryTypeReadsBackByItsName) {
  EXPECT_EQ(SignalRules().size(), 24u);
  for (const SignalRule& rule : SignalRules()) {
    const SignalType expected =
        rule.type == SignalType::kOrchestratorCrashed ? SignalType::kAgentCrashed : rule.type;
    EXPECT_EQ(*ParseSignalType(rule.name), expected);
    EXPECT_EQ(RuleOf(rule.type).name, rule.name);
    EXPECT_NE(rule.senders, 0);
    EXPECT_NE(rule.recipients, 0);
  }
  const Error unknown = ParseSignalType("NEEDS_INPT").error();
  EXPECT_EQ(unknown.code, ErrorCode::kUsage);
  EXPECT_NE(unknown.hint.find("NEEDS_INPUT"), std::string::npos);
  EXPECT_EQ(ParseSignalType("needs_input").error().code, ErrorCode::kUsage);
}

TEST(SignalTest, IsTheSameAfterARoundTrip) {
  const Result<Signal> read = SignalFromJson(*ParseJson(WriteJson(ToJson(Example()))));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, Example());
  Signal no_id = Example();
  no_id.id = "";
  EXPECT_EQ(ToJson(no_id).Find("id"), nullptr);
  EXPECT_EQ(*SignalFromJson(ToJson(no_id)), no_id);
}

TEST(SignalTest, ItsTextNamesItsSubjectAndReason) {
  const auto text = [](Json payload) {
    return SignalText({.type = SignalType::kEscalate,
                       .from = "guardian",
                       .to = "person",
                       .payload = std::move(payload)});
  };
  EXPECT_EQ(SignalText(Example()), "why?");
  EXPECT_EQ(text(MakeObject({{"reason", "no room"}})), "no room");
  EXPECT_EQ(text(MakeObject({{"agent_id", "a-b#1"}, {"reason", "it fell"}})), "a-b#1: it fell");
  EXPECT_EQ(text(MakeObject({{"entry_id", "m1"}, {"reason", "m1: red (3 attempts)"}})),
            "m1: red (3 attempts)");
  EXPECT_EQ(text(MakeObject({{"commit", "1a2b"}, {"entry_id", "m1"}})), "m1: 1a2b");
  EXPECT_EQ(text(MakeObject({{"node_id", "n7"}})), R"({"node_id":"n7"})");
}

TEST(SignalTest, WhatIsNoSignalIsRefused) {
  const auto code = [](std::string_view key, Json value) {
    Json record = ToJson(Example());
    record.Set(key, std::move(value));
    const Result<Signal> signal = SignalFromJson(record);
    EXPECT_FALSE(signal.ok()) << key;
    return signal ? ErrorCode::kFailed : signal.error().code;
  };
  EXPECT_EQ(code("type", "SING"), ErrorCode::kDamaged);
  EXPECT_EQ(code("from", "somebody"), ErrorCode::kDamaged);
  EXPECT_EQ(code("from", "worker-a"), ErrorCode::kDamaged);
  EXPECT_EQ(code("to", "../x"), ErrorCode::kDamaged);
  EXPECT_EQ(code("at", nullptr), ErrorCode::kDamaged);
  EXPECT_EQ(code("payload", Json::EmptyArray()), ErrorCode::kDamaged);
  EXPECT_EQ(code("payload", nullptr), ErrorCode::kDamaged);
  EXPECT_EQ(code("id", 7), ErrorCode::kDamaged);
  EXPECT_FALSE(SignalFromJson(Json()).ok());
}

TEST(SignalTest, ARecipientIsTheGuardianAPersonOrAnIdentity) {
  EXPECT_EQ(*Recipient::Parse("guardian"), Recipient::Guardian());
  EXPECT_EQ(*Recipient::Parse("person"), Recipient::Person());
  const Recipient agent = *Recipient::Parse("worker-a");
  EXPECT_EQ(agent, Recipient::Agent(*IdentityName::Parse("worker-a")));
  EXPECT_EQ(agent.party(), Party::kAgent);
  EXPECT_EQ(agent.text(), "worker-a");
  for (const char* text : {"", "worker", "../x", "worker-a#1", "Guardian", "command"}) {
    EXPECT_EQ(Recipient::Parse(text).error().code, ErrorCode::kUsage) << text;
  }
}

TEST(SignalTest, OnlyWhoMaySendATypeCan) {
  const Signal ready{"", SignalType::kMergeReady, "worker-a#1", "guardian", Second(1)};
  EXPECT_TRUE(CheckSignal(ready, Party::kAgent, Recipient::Guardian()).ok());
  EXPECT_EQ(CheckSignal(ready, Party::kAgent, Recipient::Person()).error().code,
            ErrorCode::kRefused);
  EXPECT_EQ(CheckSignal(ready, Party::kCommand, Recipient::Guardian()).error().code,
            ErrorCode::kRefused);
  const Signal passed{"",        SignalType::kValidationPassed,
                      "person",  "guardian",
                      Second(1), MakeObject({{"node_id", "n"}, {"head", "h"}})};
  EXPECT_TRUE(CheckSignal(passed, Party::kPerson, Recipient::Guardian()).ok());
  EXPECT_TRUE(CheckSignal(passed, Party::kCommand, Recipient::Guardian()).ok());
  EXPECT_FALSE(CheckSignal(passed, Party::kAgent, Recipient::Guardian()).ok());
}

TEST(SignalTest, TheGuardiansOwnTypesComeOnlyFromTheGuardian) {
  using enum SignalType;
  for (const SignalType type :
       {kAgentRegistered, kAgentCrashed, kOrchestratorCrashed, kAgentTerminated, kMergeComplete,
        kMergeConflict, kMergeFailed, kHandoffRequested, kHandoffComplete, kHandoffTimeout}) {
    EXPECT_EQ(RuleOf(type).senders, static_cast<std::uint8_t>(Party::kGuardian))
        << RuleOf(type).name;
  }
}

TEST(SignalTest, APayloadNeedsTheMembersOfTheTable) {
  Signal signal = Example();
  EXPECT_TRUE(CheckSignal(signal, Party::kAgent, Recipient::Person()).ok());
  for (const Json& payload :
       {Json::EmptyObject(), MakeObject({{"question", nullptr}}), Json(), Json::EmptyArray()}) {
    signal.payload = payload;
    EXPECT_EQ(CheckSignal(signal, Party::kAgent, Recipient::Person()).error().code,
              ErrorCode::kUsage);
  }
  Signal suspended{"",           SignalType::kTaskSuspended,
                   "worker-a#1", "guardian",
                   Second(1),    MakeObject({{"task_id", "t"}, {"context_path", "p"}})};
  const Result<void> lacks = CheckSignal(suspended, Party::kAgent, Recipient::Guardian());
  EXPECT_NE(lacks.error().message.find("reason"), std::string::npos);
  EXPECT_EQ(lacks.error().hint,
            R"(--payload '{"task_id":"...","context_path":"...","reason":"..."}')");
}

}  // namespace
}  // namespace belay
