#include "model/taint.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "model/test_records.h"

namespace belay {
namespace {

TaintSource Source(std::string_view path, std::string_view session = "worker-a#1") {
  return {std::string(path), "Read", Second(1), std::string(session)};
}

TEST(TaintBookTest, ASessionBeginsCleanAndStaysTaintedOnceItIs) {
  TaintBook book;
  EXPECT_EQ(book.Find("worker-a#1"), nullptr);
  book.Apply(BeganRecord(Second(0), "worker-a#1"));
  EXPECT_EQ(book.Find("worker-a#1")->state, TaintState::kClean);
  EXPECT_EQ(book.OfKnown("worker-a#1"), Taint());
  book.Apply(MarkedRecord(Second(1), "worker-a#1", Source(".env")));
  book.Apply(BeganRecord(Second(2), "worker-a#1"));
  EXPECT_EQ(book.OfKnown("worker-a#1").state, TaintState::kTainted);
  EXPECT_EQ(book.Find("worker-a#1")->sources, std::vector{Source(".env")});
  EXPECT_EQ(book.unreadable(), 0u);
}

TEST(TaintBookTest, TheSameSourceIsKeptOnce) {
  TaintBook book;
  for (const char* path : {".env", "key.pem", ".env"}) {
    book.Apply(MarkedRecord(Second(1), "worker-a#1", Source(path)));
  }
  EXPECT_EQ(book.Find("worker-a#1")->sources.size(), 2u);
}

TEST(TaintBookTest, ASuccessorInheritsTheSourcesAndTheReason) {
  TaintBook book;
  const Taint before{TaintState::kTainted, {Source(".env")}, "", "it has no records"};
  book.Apply(InheritedRecord(Second(1), "worker-a#2", "worker-a#1", before));
  const Taint& taint = *book.Find("worker-a#2");
  EXPECT_EQ(taint.state, TaintState::kTainted);
  EXPECT_EQ(taint.sources, before.sources);
  EXPECT_EQ(taint.inherited_from, "worker-a#1");
  EXPECT_EQ(taint.because, before.because);
}

TEST(TaintBookTest, WhatIsNotRecordedOrNotUnderstoodCountsAsTainted) {
  TaintBook book;
  EXPECT_EQ(book.OfKnown("worker-a#1").state, TaintState::kTainted);
  EXPECT_NE(book.OfKnown("worker-a#1").because, "");
  book.Apply(BeganRecord(Second(0), "worker-a#1"));
  EXPECT_EQ(book.OfKnown("worker-a#1").state, TaintState::kClean);
  book.Apply(MakeObject({{"kind", "washed"}, {"session", "worker-b#1"}}));
  EXPECT_EQ(book.OfKnown("worker-a#1").state, TaintState::kTainted);
  EXPECT_NE(book.OfKnown("worker-a#1").because, "");
}

TEST(TaintBookTest, AMarkWhoseSourceIsUnreadableStillTaints) {
  TaintBook book;
  book.Apply(MakeObject({{"kind", "marked"}, {"session", "a"}, {"source", 7}}));
  book.Apply(MakeObject({{"kind", "inherited"}, {"session", "b"}, {"sources", Json::Array{7}}}));
  EXPECT_EQ(book.Find("a")->state, TaintState::kTainted);
  EXPECT_EQ(book.Find("b")->state, TaintState::kTainted);
  EXPECT_EQ(book.unreadable(), 2u);
  book.Apply(MakeObject({{"kind", "began"}}));
  book.Apply(Json());
  EXPECT_EQ(book.unreadable(), 4u);
  TaintBook again;
  for (const Json& record : book.Snapshot(Second(0))) again.Apply(record);
  EXPECT_EQ(again.sessions(), book.sessions());
}

TEST(TaintBookTest, TheRenderingShowsWhatIsKnown) {
  TaintBook book;
  book.Apply(BeganRecord(Second(0), "manual"));
  const Taint before{TaintState::kTainted, {Source(".env\xff")}, "", ""};
  book.Apply(InheritedRecord(Second(1), "worker-a#2", "worker-a#1", before));
  EXPECT_EQ(WriteJson(TaintRendering(book)),
            R"({"schema_version":1,"sessions":{"manual":{"state":"clean","sources":[]},)"
            R"("worker-a#2":{"state":"tainted","sources":[{"path":".env)"
            "\xef\xbf\xbd"
            R"(","tool":"Read","at":"2026-03-01T10:00:01.000000Z","session":"worker-a#1"}],)"
            R"("inherited_from":"worker-a#1"}},"unreadable":0})");
}

using Step = std::tuple<int, int, int>;  // what, whose, which path

Json RecordOf(const Step& step) {
  const auto [what, who, path] = step;
  const std::string session = fmt::format("worker-a#{}", who);
  const TaintSource source = Source(fmt::format("{}", path));
  if (what == 0) return BeganRecord(Second(0), session);
  if (what == 1) return MarkedRecord(Second(0), session, source);
  return InheritedRecord(Second(0), session, "worker-b#1",
                         {TaintState::kTainted, {source}, "", ""});
}

std::map<std::string, std::set<std::string>> PathsIn(const TaintBook& book) {
  std::map<std::string, std::set<std::string>> paths;
  for (const auto& [session, taint] : book.sessions()) {
    auto& of_session = paths[session + std::string(TaintStateName(taint.state))];
    for (const TaintSource& source : taint.sources) of_session.insert(source.path);
  }
  return paths;
}

TEST(TaintBookModel, TheOrderOfRecordsAndASnapshotChangeNothing) {
  EXPECT_TRUE(rc::check([] {
    auto steps = *rc::gen::container<std::vector<Step>>(
        rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::inRange(1, 4), rc::gen::inRange(0, 4)));
    TaintBook book;
    for (const Step& step : steps) book.Apply(RecordOf(step));
    TaintBook again;
    for (const Json& record : book.Snapshot(Second(9))) again.Apply(record);
    RC_ASSERT(again.sessions() == book.sessions());
    TaintBook backwards;
    std::reverse(steps.begin(), steps.end());
    for (const Step& step : steps) backwards.Apply(RecordOf(step));
    RC_ASSERT(PathsIn(backwards) == PathsIn(book));
  }));
}

TEST(TaintBookTest, ASnapshotLeavesOutSessionsWithoutHeirs) {
  TaintBook book;
  book.Apply(
      MarkedRecord(WallTime(), "manual", {.path = ".env", .tool = "person", .session = "manual"}));
  book.Apply(BeganRecord(WallTime(), "worker-b#1"));
  for (int i = 1; i <= 100; ++i) {
    book.Apply(BeganRecord(WallTime(), "worker-a#" + std::to_string(i)));
  }
  TaintBook after;
  for (const Json& record : book.Snapshot(WallTime())) after.Apply(record);
  EXPECT_EQ(after.sessions().size(), TaintBook::kKeptIncarnations + 2U);
  EXPECT_NE(after.Find("worker-a#100"), nullptr);
  EXPECT_NE(after.Find("worker-b#1"), nullptr);
  EXPECT_EQ(after.OfKnown("worker-a#1").state, TaintState::kTainted);
}

}  // namespace
}  // namespace belay
