#include "store/journal.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "codec/json_lines.h"
#include "testing/faulty_calls.h"
#include "testing/simulated_disk.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::seconds;

// The records that a follower got, as "1 a, 2 b"; cleared when it must forget.
struct Seen {
  std::vector<std::string> records;
  JournalFollower Follower() {
    return {[this] { records.clear(); },
            [this](std::uint64_t seq, const Json& record) {
              records.push_back(std::to_string(seq) + " " + *record.Find("kind")->AsString());
            }};
  }
};

// Each with its newline.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

Json Record(std::string_view kind) { return MakeObject({{"kind", kind}}); }

class JournalTest : public ::testing::Test {
 protected:
  Journal Open() { return Journal(files_, folder_ / "j", "test"); }
  StateLock Lock() { return *StateLock::Acquire(files_, folder_ / "lock", seconds(30)); }
  Result<std::uint64_t> Append(Journal& journal, std::vector<Json> records) {
    return journal.Append(Lock(), records, {});
  }
  std::vector<std::string> ReadAll() {
    Seen seen;
    Journal journal = Open();
    const Result<void> read = journal.CatchUp(seen.Follower());
    EXPECT_TRUE(read.ok()) << read.error().message;
    return seen.records;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

using Records = std::vector<std::string>;

TEST_F(JournalTest, IsEmptyBeforeTheFirstRecord) { EXPECT_EQ(ReadAll(), Records{}); }

TEST_F(JournalTest, GivesBackWhatWasAppendedInOrder) {
  Journal journal = Open();
  EXPECT_EQ(*Append(journal, {Record("a"), Record("b")}), 2u);
  EXPECT_EQ(*Append(journal, {Record("c")}), 3u);
  EXPECT_EQ(ReadAll(), (Records{"1 a", "2 b", "3 c"}));
}

TEST_F(JournalTest, SeveralWritersContinueEachOthersNumbers) {
  Journal one = Open();
  Journal other = Open();
  EXPECT_EQ(*Append(one, {Record("a")}), 1u);
  EXPECT_EQ(*Append(other, {Record("b")}), 2u);
  EXPECT_EQ(*Append(one, {Record("c")}), 3u);
  EXPECT_EQ(ReadAll(), (Records{"1 a", "2 b", "3 c"}));
}

TEST_F(JournalTest, GivesAFollowerOnlyNewRecords) {
  Journal writer = Open();
  Journal reader = Open();
  Seen seen;
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  ASSERT_TRUE(Append(writer, {Record("a")}).ok());
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  ASSERT_TRUE(Append(writer, {Record("b")}).ok());
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  EXPECT_EQ(seen.records, (Records{"1 a", "2 b"}));
}

TEST_F(JournalTest, ContinuesAfterATailThatWasTornAnywhere) {
  Journal first = Open();
  ASSERT_TRUE(Append(first, {Record("a"), Record("b")}).ok());
  const std::string whole = folder_.Read("j");
  const std::size_t kept = whole.find("{\"seq\":2");
  for (std::size_t length = kept; length < whole.size(); ++length) {
    folder_.Write("j", whole.substr(0, length));
    EXPECT_EQ(ReadAll(), Records{"1 a"}) << length;
    Journal journal = Open();
    ASSERT_EQ(*Append(journal, {Record("c")}), 2u) << length;
    ASSERT_EQ(ReadAll(), (Records{"1 a", "2 c"})) << length;
  }
}

TEST_F(JournalTest, StopsAtDamageAndRefusesToAppendBehindIt) {
  Journal journal = Open();
  for (const char* kind : {"a", "b", "c"}) ASSERT_TRUE(Append(journal, {Record(kind)}).ok());
  std::string text = folder_.Read("j");
  text[text.find("\"b\"") + 1] = 'X';
  folder_.Write("j", text);
  Journal reader = Open();
  Seen seen;
  const Result<void> read = reader.CatchUp(seen.Follower());
  EXPECT_EQ(read.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(seen.records, Records{"1 a"});
  Journal writer = Open();
  EXPECT_EQ(Append(writer, {Record("d")}).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(folder_.Read("j"), text);
}

TEST_F(JournalTest, RepairKeepsEveryGoodRecordAndTheDamagedFile) {
  Journal journal = Open();
  ASSERT_TRUE(Append(journal, {Record("a"), Record("b"), Record("c")}).ok());
  std::string text = folder_.Read("j");
  text[text.find("\"b\"") + 1] = 'X';
  folder_.Write("j", text);
  Journal broken = Open();
  EXPECT_EQ(*broken.Repair(Lock()), 1u);
  EXPECT_EQ(folder_.Read("j.damaged-1"), text);
  EXPECT_EQ(ReadAll(), (Records{"5 a", "6 c"}));
  EXPECT_EQ(*Append(broken, {Record("d")}), 7u);
}

// What a crash may leave of an append of several records: their pages arrive in any order.
TEST_F(JournalTest, AHoleInTheLastAppendIsATornTailOfWhichACopyIsKept) {
  Journal journal = Open();
  ASSERT_TRUE(Append(journal, {Record("a")}).ok());
  const std::string before = folder_.Read("j");
  ASSERT_TRUE(Append(journal, {Record("b"), Record("c"), Record("d")}).ok());
  std::string text = folder_.Read("j");
  text[text.find("\"c\"") + 1] = '\0';
  folder_.Write("j", text);
  Journal reader = Open();
  ASSERT_TRUE(reader.CatchUp({}).ok());
  EXPECT_EQ(reader.bad_tail_lines(), 2u);
  Journal writer = Open();
  EXPECT_EQ(*Append(writer, {Record("e")}), 3u);
  EXPECT_EQ(ReadAll(), (Records{"1 a", "2 b", "3 e"}));
  EXPECT_EQ(folder_.Read("j.damaged-1").size(), text.size() - text.find("{\"seq\":3"));
}

// One writer was killed before its sync, another during it; but a writer whose record was
// acknowledged has synced everything before it.
TEST_F(JournalTest, AWriterNamesWhatOthersWroteSinceItSyncedLast) {
  Journal first = Open();
  Journal second = Open();
  ASSERT_TRUE(Append(first, {Record("a")}).ok());
  ASSERT_TRUE(Append(second, {Record("b")}).ok());
  ASSERT_TRUE(Append(first, {Record("c")}).ok());
  EXPECT_NE(folder_.Read("j").find("{\"seq\":3,\"unsynced\":2,\"kind\":\"c\""), std::string::npos);
  ASSERT_TRUE(Append(first, {Record("d")}).ok());
  EXPECT_NE(folder_.Read("j").find("{\"seq\":4,\"kind\":\"d\""), std::string::npos);
}

TEST_F(JournalTest, AfterAFailedSyncTheRecordsAreInANewFileAndNothingIsTakenBack) {
  SimulatedDisk disk;
  FaultyCalls calls(disk);
  FileSystem files(calls);
  Journal journal(files, "/j", "test");
  const auto append = [&](std::string_view kind) {
    const std::vector<Json> records = {Record(kind)};
    return journal.Append(*StateLock::Acquire(files, "/lock", seconds(0)), records, {});
  };
  ASSERT_TRUE(append("a").ok());
  Journal reader(files, "/j", "test");
  Seen seen;
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  const std::uint64_t inode = files.Inspect("/j")->inode;
  calls.Restart();
  calls.Plan({.kind = CallKind::kSyncData, .number = 1, .error = EIO});
  EXPECT_FALSE(append("b").ok());
  EXPECT_NE(files.Inspect("/j")->inode, inode);
  EXPECT_EQ(*append("c"), 3u);
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  EXPECT_EQ(seen.records, (Records{"1 a", "2 b", "3 c"}));
}

TEST_F(JournalTest, RepairPutsRecordsInOrderAndTakesTheSameOneOnce) {
  Journal journal = Open();
  ASSERT_TRUE(Append(journal, {Record("a"), Record("b"), Record("c")}).ok());
  const std::vector<std::string> lines = Lines(folder_.Read("j"));
  folder_.Write("j", lines[0] + lines[3] + lines[1] + lines[2] + lines[1]);
  EXPECT_EQ(Open().CatchUp({}).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(*Open().Repair(Lock()), 0u);
  EXPECT_EQ(ReadAll(), (Records{"4 a", "5 b", "6 c"}));
  folder_.Write("j", lines[0] + lines[1] + lines[3]);
  EXPECT_EQ(*Open().Repair(Lock()), 0u);
  EXPECT_EQ(ReadAll(), (Records{"4 a", "5 c"}));
}

TEST_F(JournalTest, RepairLeavesAWholeJournalAndANewerOneAlone) {
  Journal journal = Open();
  ASSERT_TRUE(Append(journal, {Record("a")}).ok());
  const std::string whole = folder_.Read("j") + "torn";
  folder_.Write("j", whole);
  EXPECT_EQ(*Open().Repair(Lock()), 0u);
  EXPECT_EQ(folder_.Read("j"), whole);
  std::string newer;
  ASSERT_TRUE(
      AppendJsonLine(MakeObject({{"seq", 0}, {"journal", "test"}, {"version", 2}}), newer).ok());
  newer += "damage\n" + Lines(whole)[1];
  folder_.Write("j", newer);
  EXPECT_EQ(Open().Repair(Lock()).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(folder_.Read("j"), newer);
  EXPECT_EQ(folder_.Read("j.damaged-1"), "(missing)");
}

TEST_F(JournalTest, RepairMakesAJournalOfWhatHasNoHeader) {
  for (const std::string_view text : {"", "garbage", "garbage\n"}) {
    folder_.Write("j", text);
    ASSERT_TRUE(Open().Repair(Lock()).ok());
    Journal journal = Open();
    ASSERT_TRUE(Append(journal, {Record("a")}).ok());
    EXPECT_EQ(ReadAll().size(), 1u);
  }
}

TEST_F(JournalTest, AFolderOrALinkInItsPlaceIsDamage) {
  folder_.MakeFolder("j");
  EXPECT_EQ(Open().CatchUp({}).error().code, ErrorCode::kDamaged);
  Journal journal = Open();
  EXPECT_EQ(Append(journal, {Record("a")}).error().code, ErrorCode::kDamaged);
}

TEST_F(JournalTest, ReadsInPiecesWithoutMissingAnything) {
  Journal journal = Open();
  Records expected;
  for (int i = 1; i <= 300; ++i) {
    const std::string text(i % 7 * 1000, 'x');
    ASSERT_TRUE(Append(journal, {Record(text)}).ok());
    expected.push_back(fmt::format("{} {}", i, text));
  }
  Journal reader = Open();
  Seen seen;
  int pieces = 1;
  while (*reader.CatchUpSome(seen.Follower())) ++pieces;
  EXPECT_EQ(seen.records, expected);
  EXPECT_GT(pieces, 5);
}

TEST_F(JournalTest, RepairSetsAsideALineThatItCouldNotWriteAgain) {
  // Read as it is, but written with escapes that make it six times as long.
  std::string line = R"({"seq":1,"kind":")" + std::string(kLongestJsonLine / 2, '\x7f') + '"';
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(line.data()), line.size());
  line += fmt::format(R"(,"crc":"{:08x}"}})", crc);
  ASSERT_TRUE(ParseJsonLine(line).ok());
  Journal journal = Open();
  ASSERT_TRUE(Append(journal, {}).ok());
  folder_.Write("j", folder_.Read("j") + line + "\n" + "damage\n");
  EXPECT_EQ(*journal.Repair(Lock()), 2u);
  EXPECT_EQ(ReadAll().size(), 0u);
}

// A writer's sync failed after its record had been read; the next record is as long.
TEST_F(JournalTest, AReaderNoticesThatWhatItReadWasTakenBack) {
  Journal writer = Open();
  ASSERT_TRUE(Append(writer, {Record("a")}).ok());
  const std::string before = folder_.Read("j");
  ASSERT_TRUE(Append(writer, {Record("taken back")}).ok());
  Journal reader = Open();
  Seen seen;
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  std::filesystem::resize_file(folder_ / "j", before.size());
  Journal other = Open();
  ASSERT_TRUE(Append(other, {Record("in a place")}).ok());
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  EXPECT_EQ(seen.records, (Records{"1 a", "2 in a place"}));
}

TEST_F(JournalTest, ASnapshotMissesNothingThatOthersAdded) {
  Journal writer = Open();
  Journal other = Open();
  Seen seen;
  ASSERT_TRUE(writer.CatchUp(seen.Follower()).ok());
  ASSERT_TRUE(Append(other, {Record("a"), Record("b")}).ok());
  const auto snapshot = [&] {
    return std::vector<Json>{Record(std::to_string(seen.records.size()))};
  };
  ASSERT_TRUE(writer.Compact(Lock(), seen.Follower(), snapshot).ok());
  EXPECT_EQ(ReadAll(), (Records{"3 2"}));
}

TEST_F(JournalTest, CompactionIsNoticedByThoseWhoFollow) {
  Journal writer = Open();
  Journal reader = Open();
  Seen seen;
  ASSERT_TRUE(Append(writer, {Record("a"), Record("b"), Record("c")}).ok());
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  const std::vector<Json> snapshot = {Record("abc")};
  ASSERT_TRUE(writer.Compact(Lock(), {}, [&] { return snapshot; }).ok());
  EXPECT_EQ(*Append(writer, {Record("d")}), 5u);
  ASSERT_TRUE(reader.CatchUp(seen.Follower()).ok());
  EXPECT_EQ(seen.records, (Records{"4 abc", "5 d"}));
  EXPECT_EQ(*Append(reader, {Record("e")}), 6u);
}

TEST_F(JournalTest, RefusesANewerVersionAndAnotherJournal) {
  for (const Json& header : {MakeObject({{"seq", 0}, {"journal", "test"}, {"version", 2}}),
                             MakeObject({{"seq", 0}, {"journal", "other"}, {"version", 1}})}) {
    std::string line;
    ASSERT_TRUE(AppendJsonLine(header, line).ok());
    folder_.Write("j", line);
    Journal journal = Open();
    EXPECT_EQ(journal.CatchUp({}).error().code, ErrorCode::kDamaged);
    EXPECT_EQ(Append(journal, {Record("a")}).error().code, ErrorCode::kDamaged);
    EXPECT_EQ(folder_.Read("j"), line);
  }
}

TEST_F(JournalTest, RefusesNumbersThatCouldNotContinue) {
  std::string line;
  const Json header = MakeObject({{"seq", INT64_MAX}, {"journal", "test"}, {"version", 1}});
  ASSERT_TRUE(AppendJsonLine(header, line).ok());
  folder_.Write("j", line);
  Journal journal = Open();
  EXPECT_EQ(journal.CatchUp({}).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(Append(journal, {Record("a")}).error().code, ErrorCode::kDamaged);
}

TEST_F(JournalTest, RefusesAFolderInItsPlace) {
  folder_.MakeFolder("j");
  Journal journal = Open();
  EXPECT_FALSE(journal.CatchUp({}).ok());
  EXPECT_FALSE(Append(journal, {Record("a")}).ok());
}

TEST_F(JournalTest, AHeldLockIsBusyAfterTheLimitAndNamesItsHolder) {
  const StateLock held = Lock();
  const auto second = StateLock::Acquire(files_, folder_ / "lock", std::chrono::milliseconds(20));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_NE(second.error().message.find("process " + std::to_string(getpid())), std::string::npos);
}

TEST_F(JournalTest, AWaiterGetsTheLockWhenItIsGivenUp) {
  std::optional<StateLock> held = Lock();
  std::thread waiter(
      [&] { EXPECT_TRUE(StateLock::Acquire(files_, folder_ / "lock", seconds(30)).ok()); });
  held.reset();
  waiter.join();
}

}  // namespace
}  // namespace belay
