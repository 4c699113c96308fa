#include "store/local_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "store/durable_file.h"
#include "store/test_backend.h"
#include "testing/fake_clock.h"
#include "testing/simulated_disk.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class LocalBackendTest : public ::testing::Test {
 protected:
  LocalBackendTest() { EXPECT_EQ(disk_.MakeFolder("/v", 0700), 0); }
  LocalBackend Open() { return LocalBackend(files_, clock_, boot_, "/v/b", options_); }

  FakeClock clock_;
  SimulatedDisk disk_;
  FileSystem files_{disk_};
  std::string boot_ = "boot 1";
  LocalBackend::Options options_;
};

TEST_F(LocalBackendTest, IsEmptyBeforeTheFirstWrite) {
  LocalBackend backend = Open();
  EXPECT_EQ(List(backend), "");
  EXPECT_EQ(*backend.Get("a"), std::nullopt);
}

TEST_F(LocalBackendTest, GivesBackWhatWasPut) {
  LocalBackend backend = Open();
  const Revision version = Put(backend, "a", "1");
  LocalBackend other = Open();
  EXPECT_EQ(*other.Get("a"), (BackendEntry{"a", Value("1"), version, std::nullopt}));
}

TEST_F(LocalBackendTest, ListsAPrefixSortedByKey) {
  LocalBackend backend = Open();
  for (const char* key : {"q/b", "q/a", "p", "q", "r/a"}) Put(backend, key, "1");
  EXPECT_EQ(List(backend, "q"), "q=1 q/a=1 q/b=1");
  EXPECT_EQ(List(backend, "q/"), "q/a=1 q/b=1");
  EXPECT_EQ(List(backend, "s"), "");
}

TEST_F(LocalBackendTest, OneOfTwoWhoExpectTheSameVersionWins) {
  LocalBackend one = Open();
  LocalBackend other = Open();
  const Revision first = Put(one, "a", "1");
  ASSERT_TRUE(other.Get("a").ok());
  const Revision second = Put(one, "a", "2", first);
  EXPECT_GT(second, first);
  const Result<WriteOutcome> late = other.Put("a", Value("3"), first, {});
  ASSERT_TRUE(late.ok());
  EXPECT_FALSE(late->written);
  EXPECT_EQ(late->now, (BackendEntry{"a", Value("2"), second, std::nullopt}));
  EXPECT_EQ(List(one), "a=2");
}

TEST_F(LocalBackendTest, AWriteMeansTheVersionItNamesAndNoOther) {
  LocalBackend backend = Open();
  EXPECT_EQ(Put(backend, "a", "1", 7), 0u) << "nothing is there";
  const Revision version = Put(backend, "a", "1");
  EXPECT_EQ(Put(backend, "a", "2"), 0u) << "something is there";
  EXPECT_FALSE(backend.Remove("a", version + 1)->written);
  EXPECT_FALSE(backend.Remove("b", version)->written);
  EXPECT_EQ(List(backend), "a=1");
}

TEST_F(LocalBackendTest, ARemovedKeyIsGoneAndMayComeBackWithANewVersion) {
  LocalBackend backend = Open();
  const Revision first = Put(backend, "a", "1");
  const Result<WriteOutcome> removed = backend.Remove("a", first);
  ASSERT_TRUE(removed.ok() && removed->written);
  EXPECT_EQ(removed->now, std::nullopt);
  EXPECT_FALSE(backend.Remove("a", first)->written);
  EXPECT_GT(Put(backend, "a", "2"), first);
  EXPECT_FALSE(backend.Remove("a", first)->written);
}

TEST_F(LocalBackendTest, RefusesWhatNoBackendTakes) {
  LocalBackend backend = Open();
  const std::string longest(kLongestBackendKey, 'k');
  EXPECT_NE(Put(backend, longest, "1"), 0u);
  for (const std::string& key : {std::string(), std::string("a b"), std::string("a\n"),
                                 std::string("\xC3\xBC"), longest + "k", std::string("a\0", 2)}) {
    EXPECT_EQ(backend.Put(key, Value("1"), 0, {}).error().code, ErrorCode::kRefused) << key;
    EXPECT_EQ(backend.Get(key).error().code, ErrorCode::kRefused) << key;
  }
  Json deep = Json::EmptyObject();
  for (int i = 0; i < 127; ++i) deep = MakeObject({{"a", deep}});
  const Json twice = Json::Object{{"a", 1}, {"a", 2}};
  const Json large = Value(std::string(kLargestBackendValue, 'x'));
  for (const Json& value : {Json(1), Json("text"), deep, twice, large}) {
    EXPECT_EQ(backend.Put("a", value, 0, {}).error().code, ErrorCode::kRefused);
  }
  EXPECT_EQ(*Open().Get("a"), std::nullopt);
}

TEST_F(LocalBackendTest, TheWriterKnowsAValueAsItsReadersDo) {
  LocalBackend backend = Open();
  const Result<WriteOutcome> put = backend.Put("a", Value("bad \xFF"), 0, {});
  ASSERT_TRUE(put.ok() && put->written);
  EXPECT_EQ(put->now, *Open().Get("a"));
}

TEST_F(LocalBackendTest, AHeldLockIsBusyAndChangesNothing) {
  options_.lock_limit = Duration(0);
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  LocalBackend backend(files, clock_, boot_, folder / "b", options_);
  const Revision version = Put(backend, "a", "1");
  {
    const StateLock held = *StateLock::Acquire(files, folder / "b/lock", seconds(0));
    EXPECT_EQ(backend.Put("a", Value("2"), version, {}).error().code, ErrorCode::kBusy);
    EXPECT_EQ(List(backend), "a=1") << "reads need no lock";
  }
  EXPECT_NE(Put(backend, "a", "2", version), 0u);
}

TEST_F(LocalBackendTest, ManyThreadsRaceAndExactlyOneWinsEveryRound) {
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  const TempFolder folder;
  std::vector<std::thread> threads;
  std::vector<int> won(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      RealFileCalls calls;
      FileSystem files(calls);
      LocalBackend backend(files, clock_, boot_, folder / "b", {.lock_limit = seconds(60)});
      Revision expected = 0;
      while (won[static_cast<std::size_t>(t)] < kEach) {
        const Result<WriteOutcome> put = backend.Put("a", Value("x"), expected, {});
        ASSERT_TRUE(put.ok()) << put.error().message;
        expected = put->now->version;
        won[static_cast<std::size_t>(t)] += put->written ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  RealFileCalls calls;
  FileSystem files(calls);
  LocalBackend backend(files, clock_, boot_, folder / "b", {});
  EXPECT_EQ((*backend.Get("a"))->version, Revision{kThreads * kEach}) << "a revision for each win";
}

TEST_F(LocalBackendTest, KeysGoWithTheirLeaseWhenItExpires) {
  LocalBackend one = Open();
  LocalBackend other = Open();
  const LeaseId lease = *one.Grant(seconds(10));
  const Revision version = Put(one, "leader", "one", 0, lease);
  Put(one, "other", "stays");
  clock_.Advance(seconds(10) - Duration(1));
  EXPECT_EQ(List(other), "leader=one other=stays");
  EXPECT_EQ(Put(other, "leader", "other"), 0u);
  clock_.Advance(Duration(1));
  EXPECT_EQ(List(other), "other=stays");
  EXPECT_EQ(Put(one, "leader", "one", version), 0u) << "its version is gone with it";
  EXPECT_GT(Put(other, "leader", "other"), version);
  EXPECT_EQ(List(one), "leader=other other=stays");
}

TEST_F(LocalBackendTest, AKeptLeaseLivesOnAndADeadOneIsAnError) {
  LocalBackend backend = Open();
  const LeaseId lease = *backend.Grant(seconds(10));
  Put(backend, "a", "1", 0, lease);
  for (int i = 0; i < 5; ++i) {
    clock_.Advance(seconds(9));
    ASSERT_TRUE(Open().KeepAlive(lease).ok()) << "anybody may";
  }
  clock_.Advance(seconds(10));
  EXPECT_EQ(backend.KeepAlive(lease).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(backend.Revoke(lease).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(backend.Put("b", Value("1"), 0, lease).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(backend.KeepAlive(LeaseId{999}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(List(backend), "");
}

TEST_F(LocalBackendTest, ARevokedLeaseTakesItsKeysAtOnce) {
  LocalBackend backend = Open();
  const LeaseId lease = *backend.Grant(seconds(10));
  const LeaseId spare = *backend.Grant(seconds(10));
  Put(backend, "a", "1", 0, lease);
  const Revision b = Put(backend, "b", "1", 0, lease);
  Put(backend, "b", "2", b);
  const Revision c = Put(backend, "c", "1", 0, lease);
  Put(backend, "c", "2", c, spare);
  ASSERT_TRUE(backend.Revoke(lease).ok());
  EXPECT_EQ(List(backend), "b=2 c=2") << "what was put again belongs to what it was put under";
  EXPECT_EQ(backend.KeepAlive(lease).error().code, ErrorCode::kNotFound);
}

TEST_F(LocalBackendTest, RefusesLeasesOfNoTimeOrForever) {
  LocalBackend backend = Open();
  for (const Duration ttl :
       {Duration(0), Duration(-1), Duration::max(), kLongestLease + Duration(1)}) {
    EXPECT_EQ(backend.Grant(ttl).error().code, ErrorCode::kRefused);
  }
  EXPECT_TRUE(backend.Grant(kLongestLease).ok());
}

TEST_F(LocalBackendTest, ANewDateEndsNoLeaseAndSleepingDoes) {
  LocalBackend backend = Open();
  Put(backend, "a", "1", 0, *backend.Grant(seconds(10)));
  clock_.JumpWall(hours(1000));
  EXPECT_EQ(List(backend), "a=1");
  clock_.Suspend(seconds(10));
  EXPECT_EQ(List(backend), "");
}

TEST_F(LocalBackendTest, ARebootEndsEveryLeaseAndNothingElse) {
  LocalBackend before = Open();
  const LeaseId lease = *before.Grant(hours(1));
  Put(before, "a", "1", 0, lease);
  Put(before, "b", "1");
  boot_ = "boot 2";
  LocalBackend after = Open();
  EXPECT_EQ(List(after), "b=1");
  EXPECT_EQ(after.KeepAlive(lease).error().code, ErrorCode::kNotFound);
  EXPECT_NE(Put(after, "a", "2"), 0u);
}

TEST_F(LocalBackendTest, CompactsWhatHasGrownAndForgetsNoNumber) {
  options_.smallest_compaction = 2000;
  LocalBackend writer = Open();
  LocalBackend reader = Open();
  const LeaseId lease = *writer.Grant(hours(1));
  Put(writer, "leased", "1", 0, lease);
  Revision version = 0;
  std::size_t largest = 0;
  for (int i = 0; i < 500; ++i) {
    const Revision next = Put(writer, "a", std::to_string(i), version);
    ASSERT_GT(next, version);
    version = next;
    largest = std::max(largest, disk_.Content("/v/b/journal")->size());
    if (i % 7 == 0) {
      EXPECT_EQ(List(reader), List(writer));
    }
  }
  EXPECT_LT(largest, 5000u);
  ASSERT_TRUE(writer.Remove("a", version).ok());
  LocalBackend fresh = Open();
  EXPECT_EQ(List(fresh), "leased=1");
  EXPECT_TRUE(fresh.KeepAlive(lease).ok());
  EXPECT_GT(Put(fresh, "a", "again"), version);
}

TEST_F(LocalBackendTest, CompactsTheMoreRarelyTheMoreThereIs) {
  options_.smallest_compaction = 2000;
  LocalBackend backend = Open();
  std::size_t compactions = 0;
  std::size_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    Put(backend, "key" + std::to_string(i), "x");
    const std::size_t now = disk_.Content("/v/b/journal")->size();
    compactions += now < before ? 1 : 0;
    before = now;
  }
  EXPECT_LE(compactions, 6u) << "each is several times larger than the one before";
}

TEST_F(LocalBackendTest, LeasesThatRanOutLeaveNothingBehind) {
  options_.smallest_compaction = 2000;
  LocalBackend backend = Open();
  std::size_t largest = 0;
  for (int i = 0; i < 200; ++i) {
    Put(backend, "key" + std::to_string(i), "x", 0, *backend.Grant(seconds(1)));
    clock_.Advance(seconds(1));
    largest = std::max(largest, disk_.Content("/v/b/journal")->size());
  }
  EXPECT_LT(largest, 5000u);
}

TEST_F(LocalBackendTest, FieldsOfANewerBelaySurviveACompaction) {
  options_.smallest_compaction = 2000;
  LocalBackend backend = Open();
  const LeaseId lease = *backend.Grant(hours(1));
  Json put = PutRecord({"new", Value("1"), 2, lease});
  put.Set("colour", "blue");
  AddToJournal(files_, "/v/b", put);
  Json granted = LeaseRecord(3, hours(1), clock_.Boot() + hours(1), boot_);
  granted.Set("owner", "somebody");
  AddToJournal(files_, "/v/b", granted);
  ASSERT_TRUE(backend.KeepAlive(LeaseId{3}).ok());
  Revision version = 0;
  for (int i = 0; i < 100; ++i) version = Put(backend, "a", "x", version);
  ASSERT_NE(disk_.Content("/v/b/journal")->find("\"kind\":\"at\""), std::string::npos);
  EXPECT_NE(disk_.Content("/v/b/journal")->find("\"colour\":\"blue\""), std::string::npos);
  EXPECT_NE(disk_.Content("/v/b/journal")->find("\"owner\":\"somebody\""), std::string::npos);
}

TEST_F(LocalBackendTest, RefusesRecordsItDoesNotKnow) {
  LocalBackend backend = Open();
  const Revision version = Put(backend, "a", "1");
  AddToJournal(files_, "/v/b",
               MakeObject({{"kind", "rename"}, {"revision", 2}, {"key", "a"}, {"to", "b"}}));
  const std::string before = *disk_.Content("/v/b/journal");
  EXPECT_EQ(backend.Get("a").error().code, ErrorCode::kDamaged);
  EXPECT_EQ(backend.Get("a").error().code, ErrorCode::kDamaged) << "also when asked again";
  EXPECT_EQ(backend.Put("a", Value("2"), version, {}).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(Open().Grant(seconds(1)).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(*disk_.Content("/v/b/journal"), before);
  EXPECT_NE(List(backend).find("/v/b/journal: a record of the unknown kind \"rename\""),
            std::string::npos);
}

TEST_F(LocalBackendTest, RefusesRecordsThatLackSomething) {
  const std::vector<Json> whole = {
      PutRecord({"a", Value("1"), 1, LeaseId{1}}), RemoveRecord(1, "a"),
      LeaseRecord(1, seconds(1), clock_.Boot(), boot_), EndRecord(1, LeaseId{1}),
      MakeObject({{"kind", "at"}, {"revision", 1}, {"bytes", 1}})};
  for (const Json& record : whole) {
    EXPECT_TRUE(LocalBackendState(boot_).Apply(record).ok());
    for (const JsonMember& member : *record.AsObject()) {
      for (const Json& wrong : {Json(), Json(true), Json(-1), Json(Json::Decimal{"1.5"})}) {
        Json broken = record;
        broken.Set(member.key, wrong);
        EXPECT_EQ(LocalBackendState(boot_).Apply(broken).error().code, ErrorCode::kDamaged)
            << WriteJson(broken);
      }
    }
  }
}

TEST_F(LocalBackendTest, GoesOnWithWhatARepairLeft) {
  LocalBackend backend = Open();
  const LeaseId lost = *backend.Grant(hours(1));
  Put(backend, "leased", "1", 0, lost);
  const Revision version = Put(backend, "a", "1");
  std::string text = *disk_.Content("/v/b/journal");
  text[text.find("\"ttl\"") + 1] = 'x';
  ASSERT_TRUE(ReplaceFile(files_, "/v/b/journal", text).ok());
  EXPECT_EQ(Open().Get("a").error().code, ErrorCode::kDamaged);
  {
    const StateLock lock = *StateLock::Acquire(files_, "/v/b/lock", seconds(0));
    ASSERT_EQ(*Journal(files_, "/v/b/journal", "backend").Repair(lock), 1u);
  }
  EXPECT_EQ(List(backend), "a=1") << "a key whose lease is lost goes with it";
  EXPECT_GT(Put(backend, "a", "2", version), version) << "numbers outlive those of the journal";
}

}  // namespace
}  // namespace belay
