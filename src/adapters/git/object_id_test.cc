#include <gtest/gtest.h>

#include "adapters/git/fields.h"
#include "adapters/git/git.h"

namespace belay {
namespace {

const std::string kSha1 = "ce013625030ba8dba906f756967f9e9ca394464a";
const std::string kSha256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";

TEST(ObjectId, HasOneOfTwoLengths) {
  EXPECT_EQ(ObjectId::Parse(kSha1)->text(), kSha1);
  EXPECT_EQ(ObjectId::Parse(kSha1)->format(), ObjectFormat::kSha1);
  EXPECT_EQ(ObjectId::Parse(kSha256)->format(), ObjectFormat::kSha256);
  EXPECT_EQ(ObjectId::Parse(kSha1)->Short(), "ce01362503");
}

TEST(ObjectId, OfZerosIsOfNoObject) {
  EXPECT_TRUE(ObjectId().IsNone());
  EXPECT_EQ(*ObjectId::Parse(std::string(40, '0')), ObjectId());
  EXPECT_EQ(*ObjectId::Parse(std::string(64, '0')), ObjectId());
  EXPECT_EQ(ObjectId().Short(), "");
}

TEST(ObjectId, TakesNothingElse) {
  for (const std::string& wrong :
       {std::string(), kSha1.substr(1), kSha1 + "0", kSha1 + "\n", " " + kSha1.substr(1),
        "C" + kSha1.substr(1), "g" + kSha1.substr(1), std::string("HEAD"), std::string(40, '\0'),
        kSha256.substr(1), std::string(52, 'a')}) {
    ASSERT_FALSE(ObjectId::Parse(wrong)) << wrong;
    EXPECT_EQ(ObjectId::Parse(wrong).error().code, ErrorCode::kDamaged);
  }
}

TEST(Fields, AreTakenOneByOne) {
  Fields fields("100644 ab c\n", "show");
  EXPECT_EQ(*fields.ModeUntil(' '), 0100644u);
  EXPECT_EQ(*fields.Next(), 'a');
  EXPECT_EQ(*fields.Until(' '), "b");
  EXPECT_FALSE(fields.AtEnd());
  EXPECT_EQ(*fields.Until('\n'), "c");
  EXPECT_TRUE(fields.AtEnd());
}

TEST(Fields, SayWhatIsWrong) {
  Fields fields("no end here", "show");
  const Error error = fields.Until('\0').error();
  EXPECT_EQ(error.code, ErrorCode::kDamaged);
  EXPECT_EQ(error.message, "git show: a field isn't terminated before \"no end here\"");
  EXPECT_FALSE(Fields("", "show").Next());
}

TEST(Fields, TakeOnlyOctalDigitsAsAMode) {
  for (const std::string_view wrong : {" ", "8 ", "-1 ", "0x1 ", "77777777 ", "1"}) {
    EXPECT_FALSE(Fields(wrong, "show").ModeUntil(' ')) << wrong;
  }
  EXPECT_EQ(*Fields("0 ", "show").ModeUntil(' '), 0u);
}

}  // namespace
}  // namespace belay
