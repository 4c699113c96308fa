#include <gtest/gtest.h>

#include <cerrno>

#include "base/result.h"

namespace belay {
namespace {

TEST(ErrorTest, EveryCodeHasItsNameAndExitCode) {
  const std::pair<std::string_view, int> expected[] = {
      {"failed", 1}, {"usage", 2}, {"not_found", 3}, {"refused", 4}, {"damaged", 5}, {"busy", 75}};
  int i = 0;
  for (const ErrorCode code : {ErrorCode::kFailed, ErrorCode::kUsage, ErrorCode::kNotFound,
                               ErrorCode::kRefused, ErrorCode::kDamaged, ErrorCode::kBusy}) {
    EXPECT_EQ(ErrorCodeName(code), expected[i].first);
    EXPECT_EQ(ExitCode(code), expected[i].second);
    ++i;
  }
}

TEST(ErrorTest, NamesObjectBeforeReason) {
  EXPECT_EQ(SystemError("rename a.tmp", ENOSPC).message, "rename a.tmp: No space left on device");
  EXPECT_EQ(SystemError("open a", 524).message, "open a: error 524");
  EXPECT_EQ(SystemError("open a", ENOENT).code, ErrorCode::kNotFound);
  EXPECT_EQ(SystemError("open a", EACCES).code, ErrorCode::kFailed);
  EXPECT_EQ((Error{ErrorCode::kDamaged, "line 1"}.In("a.json").message), "a.json: line 1");
}

TEST(ErrorTest, HasHintsForTheCommonErrors) {
  for (const auto& [number, word] :
       {std::pair(ENOSPC, "free"), std::pair(EDQUOT, "free"), std::pair(EROFS, "writable"),
        std::pair(EACCES, "ls -ld"), std::pair(EPERM, "ls -ld"), std::pair(EMFILE, "ulimit -n"),
        std::pair(ENFILE, "limit of open files"), std::pair(EIO, "dmesg")}) {
    const std::string hint = SystemError("open a", number).hint;
    EXPECT_NE(hint.find(word), std::string::npos) << word << " in: " << hint;
  }
  EXPECT_EQ(SystemError("open a", ENOENT).hint, "");
}

Result<int> Half(int n) {
  if (n % 2 != 0) return Error{ErrorCode::kFailed, "odd"};
  return n / 2;
}

Result<int> Quarter(int n) {
  BELAY_TRY_ASSIGN(const int half, Half(n));
  return Half(half);
}

Result<void> BothEven(int a, int b) {
  BELAY_TRY(Half(a));
  BELAY_TRY(Half(b));
  return {};
}

TEST(ResultTest, PassesTheFirstErrorOutwards) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_TRUE(BothEven(2, 4).ok());
  EXPECT_FALSE(BothEven(2, 5).ok());
}

}  // namespace
}  // namespace belay
