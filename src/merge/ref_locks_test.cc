#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "merge/move_note.h"
#include "os/file_system.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class RefLocksTest : public ::testing::Test {
 protected:
  RefLocksTest() { std::filesystem::create_directories(folder_ / "refs/heads"); }

  void Put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  bool Has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  bool Free(std::int64_t since = 0) { return FreeRefLocks(files_, folder_.path(), note_, since); }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  MoveNote note_{.ref = "refs/heads/main",
                 .from = *ObjectId::Parse(std::string(40, 'a')),
                 .to = *ObjectId::Parse(std::string(40, 'b')),
                 .reason = "r"};
};

TEST_F(RefLocksTest, WithoutLocksThereIsNothingToWaitFor) { EXPECT_FALSE(Free()); }

TEST_F(RefLocksTest, FreesThoseOfItsOwnGitHoweverFarItHadCome) {
  for (const std::string& text : {note_.to.text() + "\n", std::string(9, 'b'), std::string()}) {
    Put("refs/heads/main.lock", text);
    Put("HEAD.lock", "");
    EXPECT_TRUE(Free()) << text;
    EXPECT_FALSE(Has("refs/heads/main.lock"));
    EXPECT_FALSE(Has("HEAD.lock"));
  }
}

TEST_F(RefLocksTest, LeavesThoseOfOthers) {
  Put("refs/heads/main.lock", std::string(40, 'c') + "\n");
  Put("HEAD.lock", "");
  EXPECT_FALSE(Free());
  Put("refs/heads/main.lock", note_.to.text() + "\n");
  EXPECT_FALSE(Free(std::numeric_limits<std::int64_t>::max())) << "older than the move";
  std::filesystem::remove(folder_ / "refs/heads/main.lock");
  Put("HEAD.lock", "ref: refs/heads/other\n");
  EXPECT_FALSE(Free());
  EXPECT_TRUE(Has("HEAD.lock"));
}

}  // namespace
}  // namespace belay
