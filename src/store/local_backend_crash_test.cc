// Every operation of the local backend, and every pair of them, crashed at every step; killed at
// every call and followed by another process; and met by a failure of every call.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "store/local_backend.h"
#include "testing/crash_matrix.h"
#include "testing/fake_clock.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

using std::chrono::hours;
using Entries = std::vector<BackendEntry>;

const FakeClock kClock;
constexpr LocalBackend::Options kNeverCompacts{.lock_limit = Duration(0)};
constexpr LocalBackend::Options kCompacts{.lock_limit = Duration(0), .smallest_compaction = 0};

// A backend with operations that say what there will be if they succeed, down to the versions, in
// `next` before they write anything.
class Store {
 public:
  explicit Store(FileCalls& calls) : files_(calls) {}

  Result<BackendListing> Recover() { return backend_.List(""); }

  Result<void> Add(Entries& next) { return PutUnder(backend_, next, std::nullopt); }
  Result<void> Change(Entries& next) {
    if (next.empty()) return Add(next);
    BELAY_TRY_ASSIGN(const Revision revision, NextRevision());
    BackendEntry& entry = next.front();
    const Revision before = std::exchange(entry.version, revision);
    entry.value = Value();
    return Won(backend_.Put(entry.key, entry.value, before, entry.lease));
  }
  Result<void> Remove(Entries& next) {
    if (next.empty()) return Add(next);
    const BackendEntry gone = next.front();
    next.erase(next.begin());
    return Won(backend_.Remove(gone.key, gone.version));
  }
  Result<void> Lease(Entries& next) {
    BELAY_TRY_ASSIGN(const LeaseId lease, backend_.Grant(hours(1)));
    return PutUnder(backend_, next, lease);
  }
  Result<void> KeepAlive(Entries& next) {
    const std::optional<LeaseId> lease = SomeLease(next);
    return lease ? backend_.KeepAlive(*lease) : Lease(next);
  }
  Result<void> Revoke(Entries& next) {
    const std::optional<LeaseId> lease = SomeLease(next);
    if (!lease) return Lease(next);
    std::erase_if(next, [&](const BackendEntry& entry) { return entry.lease == lease; });
    return backend_.Revoke(*lease);
  }
  // What a loser is told must be as safe as what a winner is.
  Result<void> Lose(Entries&) {
    BELAY_TRY_ASSIGN(const WriteOutcome lost, backend_.Put("never", Value(), 1, std::nullopt));
    return lost.written ? Error{ErrorCode::kFailed, "it won"} : Result<void>();
  }
  Result<void> Compact(Entries& next) { return PutUnder(compacting_, next, std::nullopt); }

 private:
  Result<Revision> NextRevision() {
    BELAY_TRY_ASSIGN(const BackendListing listing, backend_.List(""));
    return listing.revision + 1;
  }
  Result<void> PutUnder(LocalBackend& backend, Entries& next, std::optional<LeaseId> lease) {
    BELAY_TRY_ASSIGN(const Revision revision, NextRevision());
    const BackendEntry entry{fmt::format("key{:03}", revision), Value(), revision, lease};
    next.push_back(entry);
    return Won(backend.Put(entry.key, entry.value, 0, lease));
  }
  static Result<void> Won(const Result<WriteOutcome>& outcome) {
    if (!outcome) return outcome.error();
    return outcome->written ? Result<void>() : Error{ErrorCode::kFailed, "it lost"};
  }
  static std::optional<LeaseId> SomeLease(const Entries& entries) {
    for (const BackendEntry& entry : entries) {
      if (entry.lease) return entry.lease;
    }
    return std::nullopt;
  }
  // Long enough to be torn across pages now and then.
  Json Value() { return MakeObject({{"text", std::string(++count_ % 3 * 2500, 'x')}}); }

  FileSystem files_;
  LocalBackend backend_{files_, kClock, "boot", "/v/b", kNeverCompacts};
  LocalBackend compacting_{files_, kClock, "boot", "/v/b", kCompacts};
  std::size_t count_ = 0;
};

using Run = Result<void> (Store::*)(Entries&);

struct Operation {
  std::string_view name;
  Run run;
};
constexpr Operation kOperations[] = {
    {"add", &Store::Add},         {"change", &Store::Change}, {"lease", &Store::Lease},
    {"keep", &Store::KeepAlive},  {"revoke", &Store::Revoke}, {"remove", &Store::Remove},
    {"compact", &Store::Compact}, {"lose", &Store::Lose},
};

void PrepareFolder(SimulatedDisk& disk) {
  ASSERT_EQ(disk.MakeFolder("/v", 0700), 0);
  disk.SyncEverything();
}

// Journals that were never compacted, so that the first "compact" does it: something of everything,
// and one in which everything is still true, whose snapshot is longer than itself.
const std::vector<Run> kVaried = {&Store::Add,    &Store::Add,    &Store::Change,
                                  &Store::Lease,  &Store::Lease,  &Store::KeepAlive,
                                  &Store::Revoke, &Store::Remove, &Store::Add};
const std::vector<Run> kAllAlive = {&Store::Add};

Entries Populate(SimulatedDisk& disk, const std::vector<Run>& scene) {
  PrepareFolder(disk);
  Entries entries;
  Store store(disk);
  for (const Run run : scene) EXPECT_TRUE((store.*run)(entries).ok());
  return entries;
}

void ExpectGoesOn(Store& store, Entries now) {
  for (const Operation& operation : kOperations) {
    const Result<void> ran = (store.*operation.run)(now);
    ASSERT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
  }
  EXPECT_EQ(store.Recover()->entries, now);
}

struct Acknowledged {
  Entries entries;
  Revision revision = 0;
};

void ExpectRecovered(SimulatedDisk& disk, const Acknowledged& done, const Entries& next) {
  Store store(disk);
  const Result<BackendListing> found = store.Recover();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found->entries == done.entries || found->entries == next);
  EXPECT_GE(found->revision, done.revision) << "no number is used twice";
  ExpectGoesOn(store, found->entries);
}

CrashCount Crash(const std::vector<Operation>& operations) {
  SimulatedDisk disk;
  PrepareFolder(disk);
  Store store(disk);
  Acknowledged done;
  Entries next;
  return RunThroughCrashes(
      disk, {.states_a_moment = 12},
      [&] {
        for (const Operation& operation : operations) {
          const Result<void> ran = (store.*operation.run)(next);
          EXPECT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
          done = {next, store.Recover()->revision};
        }
      },
      [&](SimulatedDisk& crashed) { ExpectRecovered(crashed, done, next); });
}

TEST(LocalBackendCrashMatrix, EveryPairOfOperationsSurvivesACrashAtEveryStep) {
  CrashCount count;
  for (const Operation& first : kOperations) {
    for (const Operation& second : kOperations) {
      SCOPED_TRACE(fmt::format("{}, {}", first.name, second.name));
      count += Crash({first, second});
      if (::testing::Test::HasFailure()) return;
    }
  }
  fmt::print("backend crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

// One process is killed at call `n` of `first`, the next one does `second`, and then the power
// goes. False when there is no call `n`.
bool KillThenCutPower(const Operation& first, std::size_t n, const Operation& second,
                      CrashCount& count) {
  SimulatedDisk disk;
  Entries next = Populate(disk, kVaried);
  const bool killed =
      RunKilledAt(disk, n, [&](FileCalls& calls) { (void)(Store(calls).*first.run)(next); });
  if (!killed) return false;
  Store store(disk);
  Entries now = store.Recover()->entries;
  const Result<void> ran = (store.*second.run)(now);
  EXPECT_TRUE(ran.ok()) << ran.error().message;
  ++count.moments;
  for (SimulatedDisk& crashed : disk.CrashStates(16, n)) {
    ++count.states;
    const Result<BackendListing> found = Store(crashed).Recover();
    EXPECT_TRUE(found.ok() && found->entries == now);
  }
  return true;
}

TEST(LocalBackendCrashMatrix, WhatTheNextProcessIsToldSurvivesAPowerCutWhereverTheFirstWasKilled) {
  CrashCount count;
  ForEveryKill(kOperations, [&](const Operation& first, std::size_t n, const Operation& second) {
    return KillThenCutPower(first, n, second, count);
  });
  fmt::print("backend kill matrix: {} kills, {} crash states\n", count.moments, count.states);
}

// False when there is no call `n`.
bool MeetFault(const std::vector<Run>& scene, const Operation& operation, int error,
               std::size_t n) {
  SimulatedDisk disk;
  const Entries done = Populate(disk, scene);
  Entries next = done;
  FaultyCalls calls(disk);
  calls.Plan({.number = n, .error = error});
  Store store(calls);
  const Result<void> ran = (store.*operation.run)(next);
  if (calls.faults() == 0) return false;
  const Result<BackendListing> found = Store(disk).Recover();
  EXPECT_TRUE(found.ok());
  if (!found) return true;
  EXPECT_TRUE(found->entries == next || (!ran.ok() && found->entries == done));
  // The very object that met it does it again and goes on, and so does everybody else.
  calls.Restart();
  EXPECT_EQ(store.Recover()->entries, found->entries);
  Entries now = found->entries;
  calls.Plan({.kind = CallKind::kRename, .error = EIO});  // no compaction hides what went wrong
  EXPECT_TRUE((store.*operation.run)(now).ok());
  EXPECT_EQ(Store(disk).Recover()->entries, now);
  calls.Restart();
  ExpectGoesOn(store, now);
  EXPECT_EQ(Store(disk).Recover()->entries, store.Recover()->entries);
  return true;
}

std::size_t MeetFaults(const std::vector<Run>& scene, int error) {
  std::size_t faults = 0;
  for (const Operation& operation : kOperations) {
    for (std::size_t n = 1; MeetFault(scene, operation, error, n); ++n, ++faults) {
      if (!::testing::Test::HasFailure()) continue;
      ADD_FAILURE() << operation.name << ", error " << error << " at call " << n;
      return faults;
    }
  }
  return faults;
}

TEST(LocalBackendFaultMatrix, AnyFailingCallLeavesTheOldStateOrTheNewAndTheBackendGoesOn) {
  std::size_t faults = 0;
  for (const int error : {ENOSPC, EIO, EINTR, EMFILE, EACCES}) {
    for (const auto* scene : {&kVaried, &kAllAlive}) faults += MeetFaults(*scene, error);
  }
  fmt::print("backend fault matrix: {} faults\n", faults);
}

}  // namespace
}  // namespace belay
