#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "adapters/git/fields.h"
#include "adapters/git/test_git.h"
#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

TEST(QuotePath, LeavesOrdinaryNamesAsTheyAre) {
  for (const std::string_view plain :
       {"", "a", "src/a b.cc", "src/ü.cc", "it's", "日本", "$(x)", "*", "-rf", "a:b", "#", " "}) {
    EXPECT_EQ(QuotePath(plain), plain);
    EXPECT_EQ(*UnquotePath(plain), plain);
  }
}

TEST(QuotePath, QuotesWhatTextCantHold) {
  EXPECT_EQ(QuotePath("a\nb"), "\"a\\nb\"");
  EXPECT_EQ(QuotePath("\xff"), "\"\\377\"");
  EXPECT_EQ(QuotePath("ü\t"), "\"\\303\\274\\t\"");
  EXPECT_EQ(QuotePath("\""), "\"\\\"\"");
  EXPECT_EQ(QuotePath("a\\b"), "\"a\\\\b\"");
  EXPECT_EQ(QuotePath("\x01\x7f"), "\"\\001\\177\"");
  EXPECT_EQ(QuotePath("\033[31m"), "\"\\033[31m\"");
}

TEST(UnquotePath, RefusesWhatIsNotQuoted) {
  for (const std::string_view wrong :
       {"\"", "\"a", "\"a\"b\"", "\"\\\"", "\"\\x\"", "\"\\12\"", "\"\\400\"", "\"\\08a\"",
        "\"a\\\"", "\"\\", "\"\\1\"", "\"\\777\""}) {
    ASSERT_FALSE(UnquotePath(wrong)) << wrong;
    EXPECT_EQ(UnquotePath(wrong).error().code, ErrorCode::kDamaged);
  }
}

TEST(QuotePath, AnyBytesSurviveARoundTrip) {
  EXPECT_TRUE(rc::check([](const std::string& path) {
    const std::string quoted = QuotePath(path);
    RC_ASSERT(FindInvalidUtf8(quoted) == std::string_view::npos);
    RC_ASSERT(quoted.find_first_of(std::string_view("\0\n\r\033", 4)) == std::string::npos);
    RC_ASSERT(quoted == path || quoted.starts_with('"'));
    const Result<std::string> back = UnquotePath(quoted);
    RC_ASSERT(back.ok());
    RC_ASSERT(*back == path);
  }));
}

// One file for each byte that a name can contain.
class QuotePathTest : public GitTest {
 protected:
  QuotePathTest() {
    for (int byte = 1; byte < 256; ++byte) {
      if (byte != '/') names_.push_back(std::string("x") + static_cast<char>(byte) + "y");
    }
    for (const std::string& name : names_) repo_.Write(name, "");
    repo_.Remove("tracked.txt");
    repo_.Git({"add", "-A"});
  }

  std::vector<std::string> names_;
};

TEST_F(QuotePathTest, QuotesAsGitDoesWhenItQuotesTheBytesOfUtf8) {
  const std::string listed = repo_.Git({"-c", "core.quotePath=true", "ls-files"});
  std::vector<std::string_view> lines = Split(listed, '\n');
  ASSERT_EQ(lines.size(), names_.size() + 1);  // nothing follows the last newline
  for (std::size_t i = 0; i < names_.size(); ++i) {
    EXPECT_EQ(QuotePath(names_[i]), lines[i]);
    EXPECT_EQ(*UnquotePath(lines[i]), names_[i]);
  }
}

TEST_F(QuotePathTest, ReadsGitsQuotesWhenItLeavesTheBytesOfUtf8) {
  const std::string listed = repo_.Git({"-c", "core.quotePath=false", "ls-files"});
  std::vector<std::string_view> lines = Split(listed, '\n');
  for (std::size_t i = 0; i < names_.size(); ++i) EXPECT_EQ(*UnquotePath(lines[i]), names_[i]);
}

}  // namespace
}  // namespace belay
