#include "store/document_swap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "store/durable_file.h"
#include "testing/faulty_calls.h"
#include "testing/simulated_disk.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Document kDocument = {.root = "/r", .name = "d.yaml"};
constexpr const char* kPath = "/r/d.yaml";

class DocumentSwapTest : public ::testing::Test {
 protected:
  DocumentSwapTest() {
    EXPECT_EQ(disk_.MakeFolder("/r", 0700), 0);
    EXPECT_TRUE(ReplaceFile(files_, kPath, "old").ok());
  }

  Result<DocumentChange> Replace(FileCalls& calls) {
    FileSystem files(calls);
    const StateLock lock = *StateLock::Acquire(files_, "/lock", Duration::zero());
    return ReplaceDocument(files, lock, kDocument, DocumentStamp("old"), "new");
  }
  // Killed right after the names were swapped.
  void KillAfterSwap() {
    bool swapped = false;
    WatchedCalls watched(disk_, [&](const WatchedCall& call) {
      swapped = swapped || call.kind == CallKind::kRenameSwap;
    });
    FaultyCalls calls(watched);
    calls.Plan({.kind = CallKind::kSync, .number = 2, .error = EIO, .lasting = true});
    EXPECT_FALSE(Replace(calls).ok());
    EXPECT_TRUE(swapped);
    EXPECT_EQ(Text(), "new");
    EXPECT_EQ(Names().size(), 2U);
  }
  Result<void> FinishIt() {
    const StateLock lock = *StateLock::Acquire(files_, "/lock", Duration::zero());
    return FinishReplacing(files_, lock, kDocument);
  }
  std::string Text(const std::string& path = kPath) { return *files_.Read(path, 1000); }
  std::vector<std::string> Names() { return *files_.List("/r"); }
  std::string Left() { return "/r/" + Names().front(); }

  SimulatedDisk disk_;
  FileSystem files_{disk_};
};

TEST_F(DocumentSwapTest, NothingButTheNewTextIsLeft) {
  EXPECT_EQ(*Replace(disk_), DocumentChange::kReplaced);
  EXPECT_EQ(Text(), "new");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, OnlyItsTextAndItsFolderAreSynced) {
  std::size_t syncs = 0;
  WatchedCalls watched(disk_, [&](const WatchedCall& call) {
    syncs += call.kind == CallKind::kSync || call.kind == CallKind::kSyncData ? 1 : 0;
  });
  EXPECT_EQ(*Replace(watched), DocumentChange::kReplaced);
  EXPECT_EQ(syncs, 2U);
}

TEST_F(DocumentSwapTest, WhatAKilledProcessLeftIsFinished) {
  KillAfterSwap();
  EXPECT_TRUE(FinishIt().ok());
  EXPECT_EQ(Text(), "new");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, ASwapThatNeverHappenedIsForgotten) {
  FaultyCalls calls(disk_);
  calls.Plan({.kind = CallKind::kRenameSwap, .error = EIO, .lasting = true});
  calls.Plan({.kind = CallKind::kRename, .error = EIO, .lasting = true});
  calls.Plan({.kind = CallKind::kRemove, .error = EIO, .lasting = true});
  EXPECT_FALSE(Replace(calls).ok());
  EXPECT_EQ(Names().size(), 2U);
  EXPECT_TRUE(FinishIt().ok());
  EXPECT_EQ(Text(), "old");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, WhatOthersWroteInAKilledSwapIsTheDocumentAgain) {
  KillAfterSwap();
  ASSERT_TRUE(files_.OpenForAppending(Left())->Write(" and more").ok());
  EXPECT_TRUE(FinishIt().ok());
  EXPECT_EQ(Text(), "old and more");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, AProgramThatStillHasTheOldTextOpenGetsItBack) {
  KillAfterSwap();
  const Result<File> open = files_.OpenForAppending(Left());
  EXPECT_TRUE(FinishIt().ok());
  EXPECT_EQ(Text(), "old");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, OfTwoTextsOfOthersBothAreKept) {
  KillAfterSwap();
  ASSERT_TRUE(files_.OpenForAppending(Left())->Write(" by one").ok());
  ASSERT_TRUE(files_.OpenForAppending(kPath)->Write(" by another").ok());
  const Result<void> finished = FinishIt();
  ASSERT_FALSE(finished.ok());
  EXPECT_THAT(finished.error().message, HasSubstr("d.yaml.kept-by-belay"));
  EXPECT_EQ(Text(), "new by another");
  EXPECT_EQ(Text("/r/d.yaml.kept-by-belay"), "old by one");
  EXPECT_TRUE(FinishIt().ok());
}

TEST_F(DocumentSwapTest, WhereNamesCannotBeSwappedTheFileIsRenamed) {
  FaultyCalls calls(disk_);
  calls.Plan({.kind = CallKind::kRenameSwap, .error = EINVAL, .lasting = true});
  calls.Plan({.kind = CallKind::kRenameNew, .error = EINVAL, .lasting = true});
  EXPECT_EQ(*Replace(calls), DocumentChange::kReplaced);
  EXPECT_EQ(Text(), "new");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, WhereOpenFilesAreNotKnownTheyAreNoReason) {
  const Result<File> open = files_.OpenForAppending(kPath);
  EXPECT_EQ(Replace(disk_).error().code, ErrorCode::kBusy);
  FaultyCalls calls(disk_);
  calls.Plan({.kind = CallKind::kProbeWriters, .error = EINVAL, .lasting = true});
  EXPECT_EQ(*Replace(calls), DocumentChange::kReplaced);
}

// One program appends right before the swap, another one right behind it.
TEST_F(DocumentSwapTest, WhatIsAppendedBetweenSwapAndLookGoesToItsEnd) {
  ASSERT_TRUE(ReplaceFile(files_, kPath, "old\n").ok());
  int syncs = 0;
  const auto append = [&](std::string_view text) {
    EXPECT_TRUE(files_.OpenForAppending(kPath)->Write(text).ok());
  };
  bool swapped = false;
  WatchedCalls calls(disk_, [&](const WatchedCall& call) {
    if (call.kind == CallKind::kRenameSwap && !std::exchange(swapped, true)) append("one");
    if (call.kind == CallKind::kSync && swapped && ++syncs == 1) append("two\n");
  });
  FileSystem files(calls);
  const StateLock lock = *StateLock::Acquire(files_, "/lock", Duration::zero());
  EXPECT_EQ(*ReplaceDocument(files, lock, kDocument, DocumentStamp("old\n"), "new\n"),
            DocumentChange::kChangedByOthers);
  EXPECT_EQ(Text(), "old\none\ntwo\n");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

// The names don't follow what a program puts there.
TEST_F(DocumentSwapTest, ALinkThatAppearsAtTheLastMomentIsPutBack) {
  bool done = false;
  WatchedCalls calls(disk_, [&](const WatchedCall& call) {
    if (done || call.kind != CallKind::kRenameSwap) return;
    done = true;
    ASSERT_EQ(disk_.Remove(kPath), 0);
    ASSERT_EQ(disk_.MakeLink("elsewhere", kPath), 0);
  });
  EXPECT_EQ(*Replace(calls), DocumentChange::kChangedByOthers);
  EXPECT_EQ(*files_.ReadLink(kPath), "elsewhere");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

TEST_F(DocumentSwapTest, AFileThatIsDeletedAtTheLastMomentStaysDeleted) {
  bool done = false;
  WatchedCalls calls(disk_, [&](const WatchedCall& call) {
    if (done || call.kind != CallKind::kRenameSwap) return;
    done = true;
    ASSERT_EQ(disk_.Remove(kPath), 0);
  });
  EXPECT_EQ(*Replace(calls), DocumentChange::kChangedByOthers);
  EXPECT_TRUE(Names().empty());
}

TEST_F(DocumentSwapTest, ANewFileThatAppearsAtTheLastMomentStays) {
  ASSERT_EQ(disk_.Remove(kPath), 0);
  WatchedCalls calls(disk_, [&](const WatchedCall& call) {
    if (call.kind != CallKind::kRenameNew) return;
    ASSERT_TRUE(ReplaceFile(files_, kPath, "theirs").ok());
  });
  FileSystem files(calls);
  const StateLock lock = *StateLock::Acquire(files_, "/lock", Duration::zero());
  EXPECT_EQ(*ReplaceDocument(files, lock, kDocument, DocumentStamp({}), "new"),
            DocumentChange::kChangedByOthers);
  EXPECT_EQ(Text(), "theirs");
  EXPECT_THAT(Names(), ElementsAre("d.yaml"));
}

}  // namespace
}  // namespace belay
