#include "store/document.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/crash_matrix.h"
#include "testing/faulty_calls.h"
#include "testing/simulated_disk.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class DocumentTest : public ::testing::Test {
 protected:
  DocumentTest() {
    folder_.MakeFolder("root");
    folder_.MakeFolder("vault");
  }

  DocumentText Read() { return *ReadDocument(files_, document_); }
  Result<DocumentChange> Replace(std::string_view read, std::string_view bytes) {
    return ReplaceDocument(files_, lock_, document_, read, bytes);
  }
  Result<DocumentText> ReadOrRestore(bool accept = true) {
    return ReadOrRestoreDocument(files_, lock_, document_,
                                 [&](std::string_view) { return accept; });
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  StateLock lock_ = *StateLock::Acquire(files_, folder_ / "lock", std::chrono::seconds(1));
  Document document_{.root = folder_ / "root",
                     .name = "tmp/work/notes.md",
                     .copy = folder_ / "vault/documents/notes"};
};

TEST_F(DocumentTest, AMissingOneIsAValueAndIsCreatedWithItsFolders) {
  const DocumentText missing = Read();
  EXPECT_FALSE(missing.bytes);
  EXPECT_EQ(*Replace(missing.stamp, "one"), DocumentChange::kReplaced);
  EXPECT_EQ(folder_.Read("root/tmp/work/notes.md"), "one");
  EXPECT_EQ(folder_.Read("vault/documents/notes"), "one");
  EXPECT_EQ(Read().stamp, DocumentStamp("one"));
}

TEST_F(DocumentTest, ReplacesOnlyWhatWasRead) {
  ASSERT_TRUE(Replace(Read().stamp, "one").ok());
  const DocumentText read = Read();
  folder_.Write("root/tmp/work/notes.md", "by a person");
  EXPECT_EQ(*Replace(read.stamp, "two"), DocumentChange::kChangedByOthers);
  EXPECT_EQ(folder_.Read("root/tmp/work/notes.md"), "by a person");
  EXPECT_EQ(folder_.Read("vault/documents/notes"), "one") << "the copy is belay's last version";
  EXPECT_EQ(*Replace(Read().stamp, "two"), DocumentChange::kReplaced);
}

TEST_F(DocumentTest, OneThatAppearedOrVanishedSinceHasChanged) {
  const std::string missing = Read().stamp;
  folder_.MakeFolder("root/tmp");
  folder_.MakeFolder("root/tmp/work");
  folder_.Write("root/tmp/work/notes.md", "");
  EXPECT_EQ(*Replace(missing, "one"), DocumentChange::kChangedByOthers);
  const std::string empty = Read().stamp;
  ASSERT_EQ(unlink(document_.path().c_str()), 0);
  EXPECT_EQ(*Replace(empty, "one"), DocumentChange::kChangedByOthers);
}

TEST_F(DocumentTest, FollowsNoLinkBelowTheRoot) {
  folder_.MakeFolder("elsewhere");
  folder_.Write("elsewhere/notes.md", "not ours");
  folder_.MakeFolder("root/tmp");
  ASSERT_EQ(symlink((folder_ / "elsewhere").c_str(), (folder_ / "root/tmp/work").c_str()), 0);
  EXPECT_EQ(ReadDocument(files_, document_).error().code, ErrorCode::kRefused);
  EXPECT_EQ(Replace(DocumentStamp("not ours"), "x").error().code, ErrorCode::kRefused);
  ASSERT_EQ(unlink((folder_ / "root/tmp/work").c_str()), 0);
  folder_.MakeFolder("root/tmp/work");
  ASSERT_EQ(symlink((folder_ / "elsewhere/notes.md").c_str(), document_.path().c_str()), 0);
  EXPECT_EQ(ReadDocument(files_, document_).error().code, ErrorCode::kRefused);
  EXPECT_EQ(folder_.Read("elsewhere/notes.md"), "not ours");
}

TEST_F(DocumentTest, RefusesNamesThatLeaveTheRoot) {
  for (const char* name : {"", "..", "a/../b", "/etc/passwd", "a//b", "a/", "./a", "a/."}) {
    document_.name = name;
    EXPECT_EQ(ReadDocument(files_, document_).error().code, ErrorCode::kRefused) << name;
  }
}

TEST_F(DocumentTest, RestoresAMissingOneFromItsCopyIfThatIsAccepted) {
  ASSERT_TRUE(Replace(Read().stamp, "one").ok());
  ASSERT_TRUE(files_.RemoveTree(folder_ / "root/tmp").ok());
  EXPECT_FALSE(ReadOrRestore(false)->bytes);
  const Result<DocumentText> restored = ReadOrRestore();
  EXPECT_TRUE(restored->restored);
  EXPECT_EQ(folder_.Read("root/tmp/work/notes.md"), "one");
  EXPECT_EQ(restored->stamp, Read().stamp);
  EXPECT_FALSE(ReadOrRestore()->restored);
}

TEST_F(DocumentTest, ARemovedOneIsNotRestored) {
  ASSERT_TRUE(Replace(Read().stamp, "one").ok());
  EXPECT_EQ(*RemoveDocument(files_, lock_, document_, "other"), DocumentChange::kChangedByOthers);
  EXPECT_EQ(*RemoveDocument(files_, lock_, document_, Read().stamp), DocumentChange::kReplaced);
  EXPECT_FALSE(ReadOrRestore()->bytes);
}

TEST_F(DocumentTest, KeepsNoCopyWhereNoneIsWanted) {
  document_.copy.clear();
  ASSERT_TRUE(Replace(Read().stamp, "one").ok());
  EXPECT_TRUE(files_.List(folder_ / "vault")->empty());
  ASSERT_EQ(unlink(document_.path().c_str()), 0);
  EXPECT_FALSE(ReadOrRestore()->bytes);
}

// On a simulated disk: a document that is there, and is replaced.
const Document kOnDisk = {.root = "/r", .name = "work/d.md", .copy = "/v/documents/d"};

void MakeOld(SimulatedDisk& disk) {
  ASSERT_EQ(disk.MakeFolder("/r", 0700), 0);
  ASSERT_EQ(disk.MakeFolder("/v", 0700), 0);
  FileSystem files(disk);
  const StateLock lock = *StateLock::Acquire(files, "/v/lock", Duration::zero());
  ASSERT_TRUE(ReplaceDocument(files, lock, kOnDisk, DocumentStamp({}), "old").ok());
  disk.SyncEverything();
}

// `without`: calls that this file system doesn't have.
void ReplaceThroughCrashes(const std::vector<CallKind>& without) {
  SimulatedDisk disk;
  MakeOld(disk);
  FaultyCalls calls(disk);
  for (const CallKind kind : without) {
    calls.Plan({.kind = kind, .error = EINVAL, .lasting = true});
  }
  FileSystem files(calls);
  bool done = false;
  const CrashCount count = RunThroughCrashes(
      disk, {},
      [&] {
        const StateLock lock = *StateLock::Acquire(files, "/v/lock", Duration::zero());
        ASSERT_TRUE(ReplaceDocument(files, lock, kOnDisk, DocumentStamp("old"), "new").ok());
        done = true;
      },
      [&](SimulatedDisk& crashed) {
        FileSystem left(crashed);
        const StateLock lock = *StateLock::Acquire(left, "/v/lock", Duration::zero());
        const std::string text = *ReadDocument(left, kOnDisk)->bytes;
        EXPECT_TRUE(text == "new" || (text == "old" && !done)) << text;
        ASSERT_TRUE(left.RemoveFile(kOnDisk.path()).ok());
        const auto accept = [](std::string_view) { return true; };
        const DocumentText restored = *ReadOrRestoreDocument(left, lock, kOnDisk, accept);
        EXPECT_TRUE(restored.bytes == "new" || (restored.bytes == "old" && text == "old"));
        EXPECT_EQ(*ReplaceDocument(left, lock, kOnDisk, restored.stamp, "next"),
                  DocumentChange::kReplaced);
      });
  EXPECT_GT(count.states, 8u);
}

TEST(DocumentCrash, IsOldOrNewAtEveryMomentAndTheCopyIsNeverBehind) { ReplaceThroughCrashes({}); }

TEST(DocumentCrash, WhereNamesCannotBeSwappedToo) {
  ReplaceThroughCrashes({CallKind::kRenameSwap, CallKind::kRenameNew});
}

TEST(DocumentCrash, ANewOneIsThereOnceItIsAcknowledged) {
  SimulatedDisk disk;
  ASSERT_EQ(disk.MakeFolder("/r", 0700), 0);
  ASSERT_EQ(disk.MakeFolder("/v", 0700), 0);
  disk.SyncEverything();
  FileSystem files(disk);
  bool done = false;
  const CrashCount count = RunThroughCrashes(
      disk, {},
      [&] {
        const StateLock lock = *StateLock::Acquire(files, "/v/lock", Duration::zero());
        ASSERT_TRUE(ReplaceDocument(files, lock, kOnDisk, DocumentStamp({}), "new").ok());
        done = true;
      },
      [&](SimulatedDisk& crashed) {
        const auto text = ReadDocument(FileSystem(crashed), kOnDisk)->bytes;
        EXPECT_TRUE(text == "new" || (!text && !done)) << text.value_or("(missing)");
      });
  EXPECT_GT(count.states, 8u);
}

TEST(DocumentCrash, AFailureOfAnyCallLeavesTheOldOneOrTheNew) {
  for (std::size_t n = 1;; ++n) {
    SimulatedDisk disk;
    MakeOld(disk);
    FaultyCalls calls(disk);
    FileSystem files(calls);
    const StateLock lock = *StateLock::Acquire(files, "/v/lock", Duration::zero());
    calls.Restart();
    calls.Plan({.number = n, .error = ENOSPC, .lasting = true});
    const bool done = ReplaceDocument(files, lock, kOnDisk, DocumentStamp("old"), "new").ok();
    const std::size_t faults = calls.faults();
    calls.Restart();
    const std::string text = *ReadDocument(files, kOnDisk)->bytes;
    EXPECT_TRUE(text == "new" || (text == "old" && !done)) << n << ": " << text;
    if (faults == 0) break;
    ASSERT_LT(n, 100u);
  }
}

}  // namespace
}  // namespace belay
