#include "model/identity.h"

#include <gtest/gtest.h>

#include "model/test_records.h"

namespace belay {
namespace {

ErrorCode CodeOf(const Json& record) {
  const Result<Identity> identity = IdentityFromJson(record);
  EXPECT_FALSE(identity.ok()) << WriteJson(record);
  return identity ? ErrorCode::kFailed : identity.error().code;
}

Json With(std::string_view key, Json value) {
  Json record = ToJson(FullIdentity());
  record.Set(key, std::move(value));
  return record;
}

TEST(IdentityTest, AFullOneIsTheSameAfterARoundTrip) {
  const Result<Json> json = ParseJson(WriteJson(ToJson(FullIdentity())));
  ASSERT_TRUE(json.ok());
  const Result<Identity> read = IdentityFromJson(*json);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, FullIdentity());
  EXPECT_EQ(ToJson(*read), *json);
}

TEST(IdentityTest, AnEmptyOneSurvivesARoundTripWithNullForUnknownValues) {
  const Identity identity{.id = *AgentId::Parse("worker-a#1")};
  const Json json = ToJson(identity);
  EXPECT_EQ(*IdentityFromJson(json), identity);
  for (const char* key :
       {"session_id",     "pid",      "pid_start",     "parent",    "boot_id",    "tmux_session",
        "node_id",        "bead_id",  "worktree_path", "hook_path", "created_at", "last_seen",
        "predecessor_id", "exit",     "intent",        "lease",     "started_at", "last_activity",
        "spawn_deadline", "deadline", "context_fill"}) {
    ASSERT_NE(json.Find(key), nullptr) << key;
    EXPECT_TRUE(json.Find(key)->is_null()) << key;
  }
}

TEST(IdentityTest, ReadsItsOwnRenderingWithoutTheDigest) {
  EXPECT_EQ(*IdentityFromJson(With("sha256", "0")), FullIdentity());
  Identity identity = FullIdentity();
  identity.unknown.Set("sha256", "0");
  identity.unknown.Set("status", "alive");
  EXPECT_EQ(ToJson(identity), ToJson(FullIdentity()));
}

TEST(IdentityTest, ANewerVersionIsRefused) {
  EXPECT_EQ(CodeOf(With("schema_version", 2)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("schema_version", 0)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("schema_version", nullptr)), ErrorCode::kDamaged);
}

TEST(IdentityTest, AWrongTypeOfAnyMemberIsRefused) {
  const Json whole = ToJson(FullIdentity());
  for (const JsonMember& member : *whole.AsObject()) {
    if (member.key == "lease" || member.key == "mood") continue;
    EXPECT_EQ(CodeOf(With(member.key, Json::Array{Json::EmptyObject()})), ErrorCode::kDamaged);
  }
  for (const char* inner : {"exit", "intent", "restart", "parent"}) {
    for (const JsonMember& member : *whole.Find(inner)->AsObject()) {
      Json part = *whole.Find(inner);
      part.Set(member.key, Json::EmptyObject());
      EXPECT_EQ(CodeOf(With(inner, part)), ErrorCode::kDamaged) << member.key;
    }
  }
}

TEST(IdentityTest, WhatContradictsItselfOrCanNotBeIsRefused) {
  EXPECT_EQ(CodeOf(With("role", "worker")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("incarnation", 2)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("name", "../x")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("agent_id", "../x#1")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("pid", -1)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("pid_start", nullptr)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("status", "asleep")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("created_at", "yesterday")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(Json(1)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(Json::EmptyObject()), ErrorCode::kDamaged);
}

TEST(IdentityTest, EveryMissingNameIsRefused) {
  for (const char* key : {"schema_version", "agent_id", "role", "name", "incarnation", "status",
                          "host", "agent_kind"}) {
    Json record = ToJson(FullIdentity());
    record.Remove(key);
    EXPECT_EQ(CodeOf(record), ErrorCode::kDamaged) << key;
  }
}

TEST(IdentityTest, ARecordThatDoesNotSayHowItsKindIsKnownOpens) {
  Json record = ToJson(FullIdentity());
  record.Remove("agent_kind_source");
  const Result<Identity> identity = IdentityFromJson(record);
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->kind_source, KindSource::kUnknown);
  EXPECT_TRUE(ToJson(*identity).Find("agent_kind_source")->is_null());
  EXPECT_EQ(CodeOf(With("agent_kind_source", "guessed")), ErrorCode::kDamaged);
}

TEST(IdentityTest, HalfOfItIsNeverTakenForTheWhole) {
  const std::string text = WriteJson(ToJson(FullIdentity()));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(ParseJson(text.substr(0, length)).ok());
  }
}

TEST(IdentityTest, OddBytesAreReplaced) {
  Identity identity = FullIdentity();
  identity.worktree_path = "/a\xff";
  identity.command = {"\xc3"};
  const Json json = ToJson(identity);
  EXPECT_EQ(*json.Find("worktree_path")->AsString(), "/a\xef\xbf\xbd");
  EXPECT_EQ(*json.Find("command")->AsArray()->at(0).AsString(), "\xef\xbf\xbd");
}

TEST(IdentityTest, EveryNameReadsBack) {
  for (int i = 0; i < 8; ++i) {
    const auto status = static_cast<AgentStatus>(i);
    EXPECT_EQ(ParseAgentStatus(AgentStatusName(status)), status);
    EXPECT_EQ(IsRunning(status), i < 5);
  }
  for (int i = 0; i < 10; ++i) {
    const auto cause = static_cast<ExitCause>(i);
    EXPECT_EQ(ParseExitCause(ExitCauseName(cause)), cause);
  }
  for (const HostFacts& facts : kHosts) {
    EXPECT_EQ(ParseAgentHost(AgentHostName(facts.host)), facts.host);
  }
  EXPECT_EQ(AgentStatusName(AgentStatus::kHandingOff), "handing_off");
  EXPECT_EQ(AgentStatusName(AgentStatus::kQuarantined), "quarantined");
  EXPECT_EQ(ExitCauseName(ExitCause::kRateLimit), "rate_limit");
  EXPECT_EQ(ExitCauseName(ExitCause::kUnknown), "unknown");
  for (int i = 0; i < 5; ++i) {
    const auto source = static_cast<KindSource>(i);
    EXPECT_EQ(ParseKindSource(KindSourceName(source)), source);
  }
  EXPECT_EQ(AgentKindName(AgentKind::kGeneric), "generic");
  EXPECT_EQ(ParseAgentKind("claude"), AgentKind::kClaude);
  EXPECT_EQ(ParseAgentKind(""), std::nullopt);
}

}  // namespace
}  // namespace belay
