#include "model/hook.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/test_records.h"

namespace belay {
namespace {

ErrorCode CodeOf(const Json& record) {
  const Result<Hook> hook = HookFromJson(record);
  EXPECT_FALSE(hook.ok()) << WriteJson(record);
  return hook ? ErrorCode::kFailed : hook.error().code;
}

Json With(std::string_view key, Json value) {
  Json record = ToJson(FullHook());
  record.Set(key, std::move(value));
  return record;
}

TEST(HookTest, AFullOneIsTheSameAfterARoundTrip) {
  const Result<Json> json = ParseJson(WriteJson(ToJson(FullHook())));
  ASSERT_TRUE(json.ok());
  const Result<Hook> read = HookFromJson(*json);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, FullHook());
  EXPECT_EQ(*HookFromJson(ToJson(NewHook("worker-a"))), NewHook("worker-a"));
}

TEST(HookTest, AWrongTypeOfAnyMemberIsRefused) {
  const Json whole = ToJson(FullHook());
  for (const JsonMember& member : *whole.AsObject()) {
    if (member.key == "mood") continue;
    EXPECT_EQ(CodeOf(With(member.key, Json::Array{Json(true)})), ErrorCode::kDamaged) << member.key;
    EXPECT_EQ(CodeOf(With(member.key, false)), ErrorCode::kDamaged) << member.key;
  }
  for (const char* list : {"phase_history", "notes"}) {
    for (const JsonMember& member : *whole.Find(list)->AsArray()->at(0).AsObject()) {
      Json one = whole.Find(list)->AsArray()->at(0);
      one.Set(member.key, Json::EmptyObject());
      EXPECT_EQ(CodeOf(With(list, Json::Array{one})), ErrorCode::kDamaged) << member.key;
    }
  }
}

TEST(HookTest, WhatCanNotBeIsRefused) {
  EXPECT_EQ(CodeOf(With("schema_version", 2)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("incarnation", 0)), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("identity_name", "../x")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("work_phase", "rest")), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(With("taint", MakeObject({{"state", "fine"}}))), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(Json()), ErrorCode::kDamaged);
}

TEST(HookTest, AHookThatDoesNotSayThatItIsCleanIsRefused) {
  Json record = ToJson(FullHook());
  record.Remove("taint");
  EXPECT_EQ(CodeOf(record), ErrorCode::kDamaged);
}

TEST(HookTest, APhaseIsSetOnceAndItsHistoryIsBounded) {
  Hook hook = NewHook("worker-a", 2);
  SetPhase(hook, WorkPhase::kInvestigation, Second(1), "git");
  EXPECT_TRUE(hook.phase_history.empty());
  for (int i = 0; i < 150; ++i) {
    SetPhase(hook, i % 2 == 0 ? WorkPhase::kTesting : WorkPhase::kPlanning, Second(i), "agent");
  }
  ASSERT_EQ(hook.phase_history.size(), Hook::kMostPhases);
  EXPECT_EQ(hook.phase_history.back(),
            (PhaseChange{WorkPhase::kPlanning, Second(149), 2, "agent"}));
  EXPECT_EQ(hook.phase_history.front().at, Second(50));
}

TEST(HookTest, ANoteIsCutAndItsFirstLineIsTheSummary) {
  Hook hook = NewHook("worker-a");
  AddNote(hook, {"\n\nfirst\r\nsecond", Second(1), 1, "person"});
  EXPECT_EQ(hook.work_summary, "first");
  AddNote(hook, {"only\xff", Second(1), 1, "person"});
  EXPECT_EQ(hook.work_summary, "only\xef\xbf\xbd");
  AddNote(hook, {"", Second(1), 1, "person"});
  EXPECT_EQ(hook.work_summary, "");
  std::string long_text;
  for (std::size_t i = 0; i < Hook::kLongestNote + 5; ++i) long_text += "ä";
  AddNote(hook, {long_text, Second(2), 1, "person"});
  EXPECT_EQ(hook.notes.back().text.size(), Hook::kLongestNote * 2);
  for (int i = 0; i < 60; ++i) AddNote(hook, {fmt::format("{}", i), Second(3), 1, "person"});
  ASSERT_EQ(hook.notes.size(), Hook::kMostNotes);
  EXPECT_EQ(hook.notes.front().text, "10");
}

TEST(HookTest, AScopeIsCutAndStaysWhenThereIsNoOther) {
  Hook hook = NewHook("worker-a");
  SetScope(hook, "first\nsecond\xff");
  EXPECT_EQ(hook.scope, "first\nsecond\xef\xbf\xbd");
  SetScope(hook, "");
  EXPECT_EQ(hook.scope, "first\nsecond\xef\xbf\xbd");
  SetScope(hook, std::string(Hook::kLongestNote + 5, 'x'));
  EXPECT_EQ(hook.scope, std::string(Hook::kLongestNote, 'x'));
}

TEST(HookTest, OneFromBeforeThereWereScopesIsRead) {
  Json record = ToJson(FullHook());
  record.Remove("scope");
  const Result<Hook> hook = HookFromJson(record);
  ASSERT_TRUE(hook.ok());
  EXPECT_EQ(hook->scope, "");
}

TEST(HookTest, FilesBeyondTheMostAreOnlyCounted) {
  Hook hook = NewHook("worker-a");
  hook.files_modified.assign(Hook::kMostFiles + 7, "x");
  const Hook read = *HookFromJson(ToJson(hook));
  EXPECT_EQ(read.files_modified.size(), Hook::kMostFiles);
  EXPECT_EQ(read.files_modified_count, Hook::kMostFiles + 7);
}

TEST(HookTest, EveryNameReadsBack) {
  for (int i = 0; i < 5; ++i) {
    const auto phase = static_cast<WorkPhase>(i);
    EXPECT_EQ(ParseWorkPhase(WorkPhaseName(phase)), phase);
  }
  for (int i = 0; i < 6; ++i) {
    const auto status = static_cast<HookStatus>(i);
    EXPECT_EQ(ParseHookStatus(HookStatusName(status)), status);
  }
  EXPECT_EQ(HookStatusName(HookStatus::kHandedOff), "handed_off");
  EXPECT_EQ(WorkPhaseName(WorkPhase::kCompletion), "completion");
  EXPECT_EQ(ParseWorkPhase("Testing"), std::nullopt);
}

TEST(HookBookTest, AnEarlierIncarnationChangesNothing) {
  HookBook book;
  book.Apply(HookRecord(Second(0), "note", "", NewHook("worker-a", 2)));
  Hook late = NewHook("worker-a", 1);
  late.work_summary = "late";
  book.Apply(HookRecord(Second(0), "note", "", late));
  EXPECT_EQ(book.Find(late.identity)->work_summary, "");
  EXPECT_EQ(book.TakeChanged().size(), 1u);
  EXPECT_TRUE(book.TakeChanged().empty());
  EXPECT_EQ(book.unreadable(), 0u);
}

TEST(HookBookTest, WhatMakesNoSenseIsCounted) {
  HookBook book;
  Json newer = HookRecord(Second(0), "note", "", NewHook("worker-a"));
  newer.Find("hook")->Set("schema_version", 2);
  for (const Json& record : {newer, Json(), Json::EmptyObject()}) book.Apply(record);
  EXPECT_EQ(book.unreadable(), 3u);
  EXPECT_TRUE(book.hooks().empty());
}

TEST(HookBookModel, AnyRecordsAddUpToTheLastBehindTheFenceAndSoDoesTheirSnapshot) {
  EXPECT_TRUE(rc::check([] {
    HookBook book;
    std::map<IdentityName, Hook> model;
    const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::inRange(1, 6), rc::gen::inRange(0, 99)));
    for (const auto& [who, incarnation, number] : steps) {
      Hook hook = NewHook(fmt::format("worker-{}", who), static_cast<std::uint32_t>(incarnation));
      hook.work_summary = fmt::format("{}", number);
      book.Apply(HookRecord(Second(0), "note", "", hook));
      const auto [at, is_new] = model.try_emplace(hook.identity, hook);
      if (!is_new && hook.incarnation >= at->second.incarnation) at->second = hook;
    }
    RC_ASSERT(book.hooks() == model);
    HookBook again;
    for (const Json& record : book.Snapshot(Second(1))) again.Apply(record);
    RC_ASSERT(again.hooks() == model);
  }));
}

}  // namespace
}  // namespace belay
