// Every operation of the store, and every pair of them, crashed at every step on a simulated disk.
// Checked on every disk that may be left: nothing acknowledged is lost, nothing is torn, nothing
// appears that was never written, and all operations of the store work again on it.

#include "testing/crash_matrix.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "store/durable_file.h"
#include "store/inbox.h"
#include "store/journal.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

// What a user of the store relies on: what was acknowledged, and what is in progress.
struct Facts {
  std::string file;
  Texts records;
  Texts messages;  // delivered and not acknowledged by the receiver

  bool operator==(const Facts&) const = default;
};

// The store on one disk, with operations that keep `done` (acknowledged) and `next` (the state if
// the operation under way succeeds) up to date.
class Store {
 public:
  explicit Store(FileCalls& calls) : files_(calls) {}

  // Everything that is found, as a reader after a crash finds it.
  Result<Facts> Recover() {
    Facts facts;
    if (const auto file = files_.Read("/v/file", 1000000)) facts.file = *file;
    Journal journal(files_, "/v/journal", "test");
    BELAY_TRY(journal.CatchUp(Follow(facts.records)));
    BELAY_TRY_ASSIGN(const auto messages, inbox_.Peek());
    for (const InboxMessage& message : messages) {
      facts.messages.push_back(*message.body.Find("text")->AsString());
    }
    return facts;
  }

  Result<void> Replace(Facts& next) {
    next.file = NextText("file");
    return ReplaceFile(files_, "/v/file", next.file);
  }
  Result<void> ReplaceKeeping(Facts& next) {
    next.file = NextText("file");
    BELAY_TRY(ReplaceFileKeepingPrevious(files_, "/v/file", next.file));
    return files_.SyncFolder("/v");  // it is lazy
  }
  Result<void> Append(Facts& next) {
    next.records.push_back(NextText("record"));
    const std::vector<Json> records = {MakeObject({{"add", next.records.back()}})};
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    Journal journal(files_, "/v/journal", "test");
    BELAY_TRY(journal.Append(lock, records, {}));
    return {};
  }
  // Several at once, on several pages.
  Result<void> AppendSeveral(Facts& next) {
    std::vector<Json> records;
    for (int i = 0; i < 3; ++i) {
      next.records.push_back(NextText("record"));
      records.push_back(MakeObject({{"add", next.records.back()}}));
    }
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    Journal journal(files_, "/v/journal", "test");
    BELAY_TRY(journal.Append(lock, records, {}));
    return {};
  }
  // By a process that has it open while others write.
  Result<void> AppendAgain(Facts& next) {
    next.records.push_back(NextText("record"));
    const std::vector<Json> records = {MakeObject({{"add", next.records.back()}})};
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    BELAY_TRY(open_.Append(lock, records, {}));
    return {};
  }
  // The same records, compacted into one.
  Result<void> Compact(Facts& next) {
    Json all = Json::EmptyArray();
    for (const std::string& record : next.records) all.Append(record);
    const std::vector<Json> snapshot = {MakeObject({{"all", all}})};
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    return Journal(files_, "/v/journal", "test").Compact(lock, {}, [&] { return snapshot; });
  }
  Result<void> Deliver(Facts& next) {
    next.messages.push_back(NextText("message"));
    BELAY_TRY(inbox_.Deliver("a", MakeObject({{"text", next.messages.back()}})));
    return {};
  }
  Result<void> Handle(Facts& next) {
    BELAY_TRY_ASSIGN(const auto message, inbox_.Take(seconds(0)));
    if (!message) return {};
    std::erase(next.messages, *message->body.Find("text")->AsString());
    return inbox_.Acknowledge(message->id);
  }

  Result<Texts> LeftoversAfterCleaning() {
    BELAY_TRY(RemoveLeftovers(files_, "/v"));
    BELAY_TRY_ASSIGN(Texts names, files_.List("/v"));
    std::erase_if(names, [](const std::string& name) { return !IsTemporaryName(name); });
    return names;
  }

 private:
  static JournalFollower Follow(Texts& records) {
    return {[&] { records.clear(); },
            [&](std::uint64_t, const Json& record) {
              if (const Json* add = record.Find("add")) records.push_back(*add->AsString());
              if (const Json* all = record.Find("all")) {
                records.clear();
                for (const Json& one : *all->AsArray()) records.push_back(*one.AsString());
              }
            }};
  }
  Result<StateLock> Lock() { return StateLock::Acquire(files_, "/v/lock", seconds(0)); }
  // Long enough to be torn across pages now and then.
  std::string NextText(std::string_view what) {
    ++count_;
    return fmt::format("{} {} {}", what, count_, std::string(count_ % 3 * 2500, 'x'));
  }

  FileSystem files_;
  FakeClock clock_;
  FakeRandom random_;
  Inbox inbox_{files_, clock_, random_, "/v/inbox", seconds(0)};
  Journal open_{files_, "/v/journal", "test"};
  std::size_t count_ = 0;
};

enum class Part { kFile, kRecords, kMessages };

struct Operation {
  std::string_view name;
  Part part;  // what it changes
  Result<void> (Store::*run)(Facts&);
};
constexpr Operation kOperations[] = {
    {"replace", Part::kFile, &Store::Replace},
    {"replace keeping", Part::kFile, &Store::ReplaceKeeping},
    {"append", Part::kRecords, &Store::Append},
    {"append several", Part::kRecords, &Store::AppendSeveral},
    {"append again", Part::kRecords, &Store::AppendAgain},
    {"compact", Part::kRecords, &Store::Compact},
    {"deliver", Part::kMessages, &Store::Deliver},
    {"handle", Part::kMessages, &Store::Handle},
};

// A record of Facts is found as it was, or as it would be after the operation under way; each of
// its three parts by itself, since they are different files.
template <class Part>
bool OldOrNew(const Part& found, const Part& old, const Part& next) {
  return found == old || found == next;
}

// Of several records that were added at once a first part may be there.
bool OldOrFirstPart(const Texts& found, const Texts& old, const Texts& next) {
  return found.size() >= old.size() && found.size() <= next.size() &&
         std::equal(found.begin(), found.end(), next.begin()) &&
         std::equal(old.begin(), old.end(), found.begin());
}

void ExpectRecovered(SimulatedDisk& disk, const Facts& done, const Facts& next) {
  Store store(disk);
  const Result<Facts> found = store.Recover();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(OldOrNew(found->file, done.file, next.file)) << found->file;
  EXPECT_TRUE(OldOrFirstPart(found->records, done.records, next.records));
  EXPECT_TRUE(OldOrNew(found->messages, done.messages, next.messages));
  // The next run goes on.
  Facts now = *found;
  for (const Operation& operation : kOperations) {
    const Result<void> ran = (store.*operation.run)(now);
    ASSERT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
  }
  EXPECT_EQ(*store.Recover(), now);
  EXPECT_EQ(*store.LeftoversAfterCleaning(), Texts{});
}

void PrepareFolder(SimulatedDisk& disk) {
  ASSERT_EQ(disk.MakeFolder("/v", 0700), 0);
  disk.SyncEverything();
}

// Runs the operations one after the other with crashes everywhere.
CrashCount Crash(const std::vector<Operation>& operations) {
  SimulatedDisk disk;
  PrepareFolder(disk);
  Store store(disk);
  Facts done;
  Facts next;
  return RunThroughCrashes(
      disk, {},
      [&] {
        for (const Operation& operation : operations) {
          const Result<void> ran = (store.*operation.run)(next);
          EXPECT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
          done = next;
        }
      },
      [&](SimulatedDisk& crashed) { ExpectRecovered(crashed, done, next); });
}

TEST(CrashMatrix, EveryOperationSurvivesACrashAtEveryStep) {
  CrashCount count;
  for (const Operation& operation : kOperations) {
    SCOPED_TRACE(operation.name);
    count += Crash({operation});
    if (::testing::Test::HasFailure()) return;
  }
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

TEST(CrashMatrix, EveryPairOfOperationsSurvivesACrashAtEveryStep) {
  CrashCount count;
  for (const Operation& first : kOperations) {
    for (const Operation& second : kOperations) {
      SCOPED_TRACE(fmt::format("{}, {}", first.name, second.name));
      count += Crash({first, second});
      if (::testing::Test::HasFailure()) return;
    }
  }
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

// A store in use.
Facts DoEverythingOnce(SimulatedDisk& disk) {
  PrepareFolder(disk);
  Facts done;
  for (const Operation& operation : kOperations) {
    EXPECT_TRUE((Store(disk).*operation.run)(done).ok());
  }
  return done;
}

// One process is killed at call `n` of `first`: from there on nothing it does reaches the disk,
// which keeps its cache. The next process does `second`; what was acknowledged to it must then
// survive a power cut, also where it builds on what the first one left half done. False when there
// is no call `n`.
bool KillThenCutPower(const Operation& first, std::size_t n, const Operation& second,
                      CrashCount& count) {
  SimulatedDisk disk;
  const Facts done = DoEverythingOnce(disk);
  Facts next = done;
  const bool killed =
      RunKilledAt(disk, n, [&](FileCalls& calls) { (void)(Store(calls).*first.run)(next); });
  if (!killed) return false;

  Store store(disk);
  Facts now = *store.Recover();
  const Result<void> ran = (store.*second.run)(now);
  EXPECT_TRUE(ran.ok()) << ran.error().message;
  ++count.moments;
  for (SimulatedDisk& crashed : disk.CrashStates(64, n)) {
    ++count.states;
    const Result<Facts> found = Store(crashed).Recover();
    EXPECT_TRUE(found.ok());
    if (!found) return true;
    const Facts& old = done;
    switch (second.part) {
      case Part::kFile:
        EXPECT_EQ(found->file, now.file);
        break;
      case Part::kRecords:
        EXPECT_EQ(found->records, now.records);
        break;
      case Part::kMessages:
        EXPECT_EQ(found->messages, now.messages);
        break;
    }
    const bool file = OldOrNew(found->file, old.file, next.file) || found->file == now.file;
    EXPECT_TRUE(file && (OldOrFirstPart(found->records, old.records, next.records) ||
                         found->records == now.records));
    EXPECT_TRUE(OldOrNew(found->messages, old.messages, next.messages) ||
                found->messages == now.messages);
  }
  return true;
}

TEST(CrashMatrix, WhatTheNextProcessAcknowledgesSurvivesAPowerCutWhereverTheFirstWasKilled) {
  CrashCount count;
  ForEveryKill(kOperations, [&](const Operation& first, std::size_t n, const Operation& second) {
    return KillThenCutPower(first, n, second, count);
  });
  fmt::print("kill matrix: {} kills, {} crash states\n", count.moments, count.states);
}

// One process is killed at call `n` of `first`, and the power fails during the work of the next
// one. Nothing is damaged, what was acknowledged before is there, and the journal goes on. False
// when there is no call `n`.
bool KillThenCrash(const Operation& first, std::size_t n, const Operation& second,
                   CrashCount& count) {
  SimulatedDisk disk;
  const Facts done = DoEverythingOnce(disk);
  Facts next = done;
  const bool killed =
      RunKilledAt(disk, n, [&](FileCalls& calls) { (void)(Store(calls).*first.run)(next); });
  if (!killed) return false;
  Store store(disk);
  Facts now = *store.Recover();
  const auto judge = [&](SimulatedDisk& crashed) {
    Store after(crashed);
    const Result<Facts> found = after.Recover();
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_GE(found->records.size(), done.records.size());
    ASSERT_TRUE(std::equal(done.records.begin(), done.records.end(), found->records.begin()));
    Facts later = *found;
    ASSERT_TRUE(after.Append(later).ok());
    ASSERT_EQ(*after.Recover(), later);
  };
  count += RunThroughCrashes(
      disk, {.states_a_moment = 8, .seed = n}, [&] { EXPECT_TRUE((store.*second.run)(now).ok()); },
      judge);
  return true;
}

TEST(CrashMatrix, AJournalContinuesWhenThePowerGoesBehindAKilledWriter) {
  CrashCount count;
  std::vector<Operation> of_journals(std::begin(kOperations), std::end(kOperations));
  std::erase_if(of_journals, [](const Operation& one) { return one.part != Part::kRecords; });
  ForEveryKill(of_journals, [&](const Operation& first, std::size_t n, const Operation& second) {
    return KillThenCrash(first, n, second, count);
  });
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

// One call of an operation fails: the operation fails, or copes; the previous state is there or
// fully replaced; trying again works.
TEST(FaultMatrix, AnyFailingCallLeavesTheOldStateOrTheNewAndTryingAgainWorks) {
  std::size_t faults = 0;
  for (const int error : {ENOSPC, EIO, EINTR, EMFILE, EACCES}) {
    for (const Operation& operation : kOperations) {
      for (std::size_t n = 1;; ++n) {
        SCOPED_TRACE(fmt::format("{}, error {} at call {}", operation.name, error, n));
        SimulatedDisk disk;
        PrepareFolder(disk);
        Facts done;
        for (const Operation& one : kOperations) ASSERT_TRUE((Store(disk).*one.run)(done).ok());
        Facts next = done;
        FaultyCalls calls(disk);
        calls.Plan({.number = n, .error = error});
        Store store(calls);
        const Result<void> ran = (store.*operation.run)(next);
        if (calls.faults() == 0) break;
        ++faults;
        EXPECT_TRUE(ran.ok() || !ran.error().message.empty());
        Facts now = *Store(disk).Recover();
        EXPECT_TRUE(!ran.ok() || now == next);
        EXPECT_TRUE(OldOrNew(now.file, done.file, next.file));
        EXPECT_TRUE(OldOrFirstPart(now.records, done.records, next.records));
        EXPECT_TRUE(OldOrNew(now.messages, done.messages, next.messages));
        Store again(disk);
        ASSERT_TRUE((again.*operation.run)(now).ok());
        EXPECT_EQ(*again.Recover(), now);
        EXPECT_EQ(*again.LeftoversAfterCleaning(), Texts{});
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
    }
  }
  fmt::print("fault matrix: {} faults\n", faults);
}

TEST(FaultMatrix, ShortReadsAndWritesChangeNothing) {
  for (const CallKind kind : {CallKind::kRead, CallKind::kWrite}) {
    for (const Operation& operation : kOperations) {
      SimulatedDisk disk;
      PrepareFolder(disk);
      FaultyCalls calls(disk);
      calls.Plan({.kind = kind, .lasting = true, .bytes = 7});
      Store store(calls);
      Facts facts;
      for (const Operation& one : kOperations)
        ASSERT_TRUE((store.*one.run)(facts).ok()) << one.name;
      ASSERT_TRUE((store.*operation.run)(facts).ok()) << operation.name;
      EXPECT_EQ(*store.Recover(), facts);
    }
  }
}

}  // namespace
}  // namespace belay
