// Examples of the records of every family, for tests that loop over all of them. A family without
// one doesn't compile in them. The golden files of a family that names its format (family.h) hold
// the first three.

#ifndef BELAY_LEDGER_TEST_FAMILIES_H_
#define BELAY_LEDGER_TEST_FAMILIES_H_

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ledger/family_table.h"
#include "store/durable_file.h"

namespace belay {

constexpr std::string_view kSampleAgent = "worker-a#1";

// The record of number `i`, from 0: all are about the same object.
template <class F>
Json SampleRecord(WallTime at, int i);

template <>
inline Json SampleRecord<ProjectFamily>(WallTime at, int i) {
  if (i == 0) return InitialisedRecord(at, "/r", "0.1.0");
  return RepairedRecord(at, "journals/hooks.jsonl", 1);
}
template <>
inline Json SampleRecord<IdentityFamily>(WallTime at, int i) {
  Identity identity{*AgentId::Parse(kSampleAgent)};
  identity.created_at = identity.last_seen = at;
  identity.status = AgentStatus::kTerminated;  // so that no more work follows
  identity.respawn = false;
  return IdentityRecord(at, "terminated", fmt::format("for the {}. time", i), identity);
}
template <>
inline Json SampleRecord<HookFamily>(WallTime at, int i) {
  Hook hook{.identity = AgentId::Parse(kSampleAgent)->identity()};
  hook.work_summary = fmt::format("step {}", i);
  return HookRecord(at, "note", "a step", hook);
}
template <>
inline Json SampleRecord<TaintFamily>(WallTime at, int i) {
  return MarkedRecord(
      at, kSampleAgent,
      {.path = fmt::format("{}.env", i % 5), .tool = "Read", .at = at, .session = ""});
}
template <>
inline Json SampleRecord<DeliveryFamily>(WallTime at, int i) {
  return DeliveryRecord(at, {.id = fmt::format("message-{}", i % 5),
                             .agent = *AgentId::Parse(kSampleAgent),
                             .type = SignalType::kGuidance,
                             .from = "person",
                             .sent_at = at,
                             .summary = fmt::format("hint {}", i)});
}
template <>
inline Json SampleRecord<SnapshotFamily>(WallTime at, int i) {
  return TakenRecord(at, {.id = fmt::format("agent-worker-a/{}", i),
                          .commit = std::string(40, 'c'),
                          .worktree = "/r",
                          .reason = "by hand"});
}
template <>
inline Json SampleRecord<MergeFamily>(WallTime at, int i) {
  MergeEntry entry;
  entry.branch = "work";
  entry.target = "main";
  entry.number = 1;
  entry.status = MergeStatus::kMerged;
  entry.last_error = fmt::format("try {}", i);
  entry.reported = true;  // so that no more work is left
  return EntryRecord(at, "merged", entry);
}

template <>
inline Json SampleRecord<TaskFamily>(WallTime at, int i) {
  Task task{.id = *TaskId::Parse("t1"), .title = "a task"};
  task.status = TaskStatus::kCompleted;
  task.owner = AgentId::Parse(kSampleAgent)->identity().text();
  task.failure = fmt::format("try {}", i);
  return TaskRecord(at, "done", task);
}

template <>
inline Json SampleRecord<ResumptionFamily>(WallTime at, int i) {
  return AppliedRecord("/r/ORCHESTRATION.yaml", {.id = fmt::format("event-{}", i % 5),
                                                 .trigger = "T7",
                                                 .at = at,
                                                 .agent = std::string(kSampleAgent),
                                                 .session = i == 0 ? "5b0e" : "",
                                                 .before = std::string(8, 'a'),
                                                 .after = std::string(8, 'b')});
}

constexpr int kMostApart = 100;

// As a writer of any belay would have recorded them.
template <class F>
void AppendSamples(FileSystem& files, const Clock& clock, const Layout& project, int count,
                   int first = 0) {
  ASSERT_TRUE(EnsureFolder(files, project.JournalFolder()).ok());
  const auto lock = F::LedgerClass::LockUnchecked(files, project);
  ASSERT_TRUE(lock.ok());
  Journal journal(files, project.JournalFile(F::kJournal), std::string(F::kJournal));
  std::vector<Json> records;
  for (int i = first; i < first + count; ++i) {
    records.push_back(SampleRecord<F>(clock.Wall(), i));
    // One by one: what is appended together counts as unfinished where a part of it is damaged.
    if (count > kMostApart && i + 1 < first + count) continue;
    ASSERT_TRUE(journal.Append(*lock, records, {}).ok());
    records.clear();
  }
}
template <class... F>
void AppendSamplesOfAll(FamilyNames<F...>, FileSystem& files, const Clock& clock,
                        const Layout& project, int count, int first = 0) {
  (AppendSamples<F>(files, clock, project, count, first), ...);
}

// Damages the last record but `behind` of a journal.
inline void DamageJournal(FileSystem& files, const Layout& project, std::string_view journal,
                          std::size_t behind) {
  const std::string path = project.JournalFile(journal);
  std::string text = *files.Read(path, std::size_t{1} << 26U);
  std::size_t end = text.size() - 1;
  for (std::size_t i = 0; i < behind; ++i) end = text.rfind('\n', end - 1);
  text[end - 3] = text[end - 3] == '0' ? '1' : '0';  // in the checksum
  ASSERT_TRUE(ReplaceFile(files, path, text).ok());
}

}  // namespace belay

#endif  // BELAY_LEDGER_TEST_FAMILIES_H_
