#include <gtest/gtest.h>

#include "os/file_calls.h"
#include "snapshot/restore_files.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class BlobWriterTest : public ::testing::Test {
 protected:
  BlobWriterTest() : files_(calls_) {}

  static ObjectId IdOf(std::string_view content) {
    return *ObjectId::Parse(BlobIdOf(ObjectFormat::kSha1, content));
  }
  static std::string Answer(std::string_view content) {
    return IdOf(content).text() + " blob " + std::to_string(content.size()) + "\n" +
           std::string(content) + "\n";
  }
  BlobToWrite Blob(std::string_view name, std::string_view content,
                   std::uint32_t mode = kFileMode) const {
    return {folder_ / name, {mode, IdOf(content)}};
  }
  ErrorCode CodeOf(const std::vector<BlobToWrite>& blobs, std::string_view output) {
    BlobWriter writer(files_, blobs);
    if (Result<void> added = writer.Add(output); !added) return added.error().code;
    const Result<void> finished = writer.Finish();
    return finished ? ErrorCode::kFailed : finished.error().code;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_;
};

TEST_F(BlobWriterTest, TakesPiecesOfAnySize) {
  const std::string contents[] = {"one\n", "", std::string("\0\n\xff", 3)};
  std::string output;
  for (const std::string& content : contents) output += Answer(content);
  for (std::size_t size = 1; size <= output.size(); ++size) {
    const std::string at = std::to_string(size);
    const std::vector<BlobToWrite> blobs = {
        Blob("a" + at, contents[0]), Blob("b" + at, contents[1]), Blob("c" + at, contents[2])};
    BlobWriter writer(files_, blobs);
    for (std::size_t i = 0; i < output.size(); i += size) {
      ASSERT_TRUE(writer.Add(std::string_view(output).substr(i, size)).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    EXPECT_EQ(folder_.Read("a" + at), contents[0]);
    EXPECT_EQ(folder_.Read("b" + at), contents[1]);
    EXPECT_EQ(folder_.Read("c" + at), contents[2]);
  }
}

TEST_F(BlobWriterTest, SetsPermissionsAndMakesLinks) {
  std::vector<BlobToWrite> blobs = {Blob("private", "x"), Blob("link", "no/such", kLinkMode)};
  blobs[0].permissions = 04600;
  BlobWriter writer(files_, blobs);
  ASSERT_TRUE(writer.Add(Answer("x") + Answer("no/such")).ok());
  EXPECT_EQ(files_.Inspect(folder_ / "private")->mode, 0600U);
  EXPECT_EQ(*files_.ReadLink(folder_ / "link"), "no/such");
}

TEST_F(BlobWriterTest, NoticesWhatIsMissingCutOrChanged) {
  const std::vector<BlobToWrite> blobs = {Blob("a", "content")};
  const std::string id = IdOf("content").text();
  EXPECT_EQ(CodeOf(blobs, id + " missing\n"), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(blobs, id + " tree 7\ncontent\n"), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(blobs, id + " blob 7\nCONTENT\n"), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(blobs, id + " blob 7\ncontent!"), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(blobs, Answer("content") + "more"), ErrorCode::kDamaged);
  EXPECT_EQ(CodeOf(blobs, std::string(1000, 'x')), ErrorCode::kDamaged);
  const std::string whole = Answer("content");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(CodeOf(blobs, whole.substr(0, size)), ErrorCode::kDamaged) << size;
  }
}

TEST_F(BlobWriterTest, RefusesTargetsThatNoLinkCanHave) {
  for (const std::string& target :
       {std::string(), std::string("a\0b", 3), std::string(5000, 'a')}) {
    EXPECT_EQ(CodeOf({Blob("link", target, kLinkMode)}, Answer(target)), ErrorCode::kDamaged);
  }
  EXPECT_FALSE(files_.Inspect(folder_ / "link").ok());
}

}  // namespace
}  // namespace belay
