#include "snapshot/capture_stream.h"

#include <gtest/gtest.h>

#include <functional>

#include "testing/temp_folder.h"

namespace belay {
namespace {

// Lets a test do something before each read.
class DisturbedCalls final : public RealFileCalls {
 public:
  ssize_t Read(int fd, char* buffer, std::size_t count, off_t offset) override {
    if (before_read) before_read();
    return RealFileCalls::Read(fd, buffer, count, offset);
  }
  int Open(const std::string& path, int flags, mode_t mode) override {
    return open_error != 0 ? -open_error : RealFileCalls::Open(path, flags, mode);
  }

  std::function<void()> before_read;
  int open_error = 0;
};

class CaptureStreamTest : public ::testing::Test {
 protected:
  // Reads the whole stream of one file into `text_`.
  void Capture(const CaptureRules& rules = {}) {
    stream_.emplace(files_, clock_, folder_.path(), items_, rules, ObjectFormat::kSha1);
    text_.clear();
    std::string piece;
    while (true) {
      const Result<bool> more = stream_->Next(piece);
      ASSERT_TRUE(more.ok()) << more.error().message;
      if (!*more) return;
      text_ += piece;
    }
  }

  TempFolder folder_;
  DisturbedCalls calls_;
  FileSystem files_{calls_};
  SystemClock clock_;
  std::vector<CaptureItem> items_ = {{"f", true}};
  std::optional<CaptureStream> stream_;
  std::string text_;
};

TEST_F(CaptureStreamTest, MakesABlobOfAFile) {
  folder_.Write("f", "content\n");
  Capture();
  EXPECT_EQ(text_, "blob\nmark :1\ndata 8\ncontent\n\n");
  ASSERT_EQ(stream_->captured().size(), 1U);
  EXPECT_EQ(stream_->captured()[0].entry.id.text(), BlobIdOf(ObjectFormat::kSha1, "content\n"));
  EXPECT_EQ(stream_->captured()[0].entry.mode, kFileMode);
  EXPECT_TRUE(stream_->unsteady().empty());
}

TEST_F(CaptureStreamTest, StoresALinkAsItsTarget) {
  ASSERT_TRUE(files_.MakeLink("no/where", folder_ / "f").ok());
  Capture();
  EXPECT_EQ(text_, "blob\nmark :1\ndata 8\nno/where\n");
  EXPECT_EQ(stream_->captured()[0].entry.mode, kLinkMode);
}

TEST_F(CaptureStreamTest, ReadsAFileAgainThatChangesWhileItIsRead) {
  folder_.Write("f", "old");
  int reads = 0;
  calls_.before_read = [&] {
    if (++reads == 1) folder_.Write("f", "newer");
  };
  Capture();
  EXPECT_EQ(text_, "blob\nmark :1\ndata 5\nnewer\n");
  EXPECT_TRUE(stream_->unsteady().empty());
}

TEST_F(CaptureStreamTest, TakesABeginningOfAFileThatNeverStopsGrowing) {
  std::string content = "line\n";
  folder_.Write("f", content);
  calls_.before_read = [&] { folder_.Write("f", content += "line\n"); };
  Capture();
  EXPECT_EQ(stream_->unsteady(), std::vector<std::string>{"f"});
  ASSERT_EQ(stream_->captured().size(), 1U);
  EXPECT_EQ(stream_->captured()[0].bytes % 5, 0U);
  EXPECT_GE(stream_->captured()[0].bytes, 5U);
}

TEST_F(CaptureStreamTest, KeepsItsPromiseAboutALargeFileThatShrinks) {
  folder_.Write("f", std::string(6 << 20, 'x'));
  int reads = 0;
  calls_.before_read = [&] {
    if (++reads == 2) folder_.Write("f", "short");
  };
  Capture();
  ASSERT_EQ(stream_->captured().size(), 1U);
  EXPECT_EQ(stream_->captured()[0].bytes, 5U);
  EXPECT_EQ(stream_->captured()[0].mark, 2U);
  const std::string head = "blob\nmark :1\ndata 6291456\n";
  ASSERT_TRUE(text_.starts_with(head));
  EXPECT_EQ(text_.substr(head.size() + 6291456), "\nblob\nmark :2\ndata 5\nshort\n");
}

TEST_F(CaptureStreamTest, DoesWithoutAFileThatHasGone) {
  Capture();
  EXPECT_EQ(text_, "");
  EXPECT_EQ(stream_->gone(), items_);
  folder_.MakeFolder("f");
  Capture();
  EXPECT_EQ(stream_->gone(), items_);
}

TEST_F(CaptureStreamTest, NamesWhatItMayNotRead) {
  folder_.Write("f", "x");
  calls_.open_error = EACCES;
  Capture();
  EXPECT_EQ(stream_->skipped(), (std::vector<SkippedPath>{{"f", SkipReason::kUnreadable}}));
}

TEST_F(CaptureStreamTest, LeavesOutWhatIsTooLarge) {
  folder_.Write("f", "123456");
  Capture({.most_bytes = 5});
  EXPECT_EQ(stream_->skipped(), (std::vector<SkippedPath>{{"f", SkipReason::kTooLarge}}));
  EXPECT_EQ(text_, "");
}

}  // namespace
}  // namespace belay
