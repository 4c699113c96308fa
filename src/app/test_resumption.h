// A project with a resumption document on a simulated disk, for tests.

#ifndef BELAY_APP_TEST_RESUMPTION_H_
#define BELAY_APP_TEST_RESUMPTION_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/resumption.h"
#include "store/durable_file.h"
#include "testing/fake_clock.h"
#include "testing/simulated_disk.h"

namespace belay {

inline constexpr const char* kPath = "/r/ORCHESTRATION.yaml";
inline constexpr std::string_view kFile =
    "# mine\nworkflow: {status: ACTIVE}\nresumption:\n  next_step: \"go\"\n  mine: 1 # kept\nlast: "
    "2";

class ResumptionWorld {
 public:
  explicit ResumptionWorld(FileCalls& calls) : files_(calls) {}

  Result<UpdateOutcome> Update(const ResumptionEvent& event) {
    BELAY_TRY_ASSIGN(const ResumptionLock lock, ResumptionLedger::LockUnchecked(files_, layout_));
    return UpdateLocked(lock, MakeEnv(), event);
  }
  Result<void> Wait(const ResumptionEvent& event) {
    BELAY_TRY_ASSIGN(const ResumptionLock lock, ResumptionLedger::LockUnchecked(files_, layout_));
    ResumptionLedger ledger(files_, clock_, layout_);
    BELAY_TRY(ledger.CatchUp());
    return ledger.RecordWaiting(
        lock, kPath,
        {event.id, std::string(RowOf(event.trigger).name), event.at, event.set, event.data});
  }
  DocumentEnv MakeEnv() { return {files_, clock_, layout_, kPath, {}, patience_, holds_}; }
  std::string Text() const {
    const Result<std::string> text = files_.Read(kPath, 1 << 20);
    return text ? *text : text.error().message;
  }
  Resumption Section() const {
    const Result<ResumptionDocument> document = ReadResumptionDocument(Text(), "O");
    EXPECT_TRUE(document.ok()) << Text();
    return document ? document->section : Resumption{};
  }
  std::size_t Decisions() const { return ItemsOf(Section()[ResumptionPart::kDecisionLog]).size(); }
  // The ids of the decisions' events, in the order of the section.
  std::vector<std::string> Decided() const {
    std::vector<std::string> ids;
    const Resumption section = Section();
    for (const Json& one : ItemsOf(section[ResumptionPart::kDecisionLog])) {
      ids.push_back(TextIn(one, "decision").substr(std::string_view("decided in ").size()));
    }
    return ids;
  }
  std::size_t Waiting() {
    const Result<DocumentState> state = ReadDocumentState(MakeEnv());
    return state ? state->waiting : 0;
  }
  std::size_t Compactions() const {
    return ItemsOf(MemberOf(Section()[ResumptionPart::kCompactionEvents], "events")).size();
  }

  FileSystem files_;
  FakeClock clock_;
  Layout layout_{"/r", "/r/.git"};
  Duration patience_ = Duration::zero();
  bool holds_ = false;
};

inline ResumptionEvent Decision(const std::string& id) {
  return {.id = id,
          .trigger = Trigger::kDecision,
          .at = *ParseUtc("2026-03-01T10:00:00Z"),
          .data = MakeObject({{"decision", "decided in " + id}})};
}

inline ResumptionEvent Compaction(std::string id) {
  return {.id = std::move(id),
          .trigger = Trigger::kCompaction,
          .at = *ParseUtc("2026-03-01T10:00:00Z")};
}

inline void MakeProject(SimulatedDisk& disk) {
  for (const char* path : {"/r", "/r/.git", "/r/.git/belay", "/r/.git/belay/journals",
                           "/r/.git/belay/locks", "/r/.git/belay/archive"}) {
    ASSERT_EQ(disk.MakeFolder(path, 0700), 0);
  }
  FileSystem files(disk);
  ASSERT_TRUE(ReplaceFile(files, kPath, kFile).ok());
  disk.SyncEverything();
}

inline void ExpectOutsideIsUntouched(const ResumptionWorld& world) {
  const std::string text = world.Text();
  EXPECT_TRUE(text.starts_with("# mine\nworkflow: {status: ACTIVE}\nresumption:\n")) << text;
  EXPECT_TRUE(text.ends_with("  mine: 1 # kept\nlast: 2")) << text;
}

}  // namespace belay

#endif  // BELAY_APP_TEST_RESUMPTION_H_
