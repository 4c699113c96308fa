#include "base/ids.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(IdsTest, SplitsAnIdentityAtItsFirstDash) {
  const Result<IdentityName> identity = IdentityName::Parse("orchestrator-fix-login");
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->role(), "orchestrator");
  EXPECT_EQ(identity->name(), "fix-login");
}

TEST(IdsTest, RefusesNamesThatCouldBecomePathsOrOptions) {
  for (const std::string_view bad :
       {"", "a", "../x", "r-../x", "r-a b", "r-A", "r-a.b", "r-", "-r-a", "r--a", "r-a-", "r-a--b",
        "r-_a", "R-a", "r-a/b", "r-a\n", "r-\xC3\xBC"}) {
    EXPECT_FALSE(IdentityName::Parse(bad).ok()) << bad;
  }
  EXPECT_TRUE(IdentityName::Make("r", std::string(64, 'a')).ok());
  EXPECT_FALSE(IdentityName::Make("r", std::string(65, 'a')).ok());
  EXPECT_FALSE(IdentityName::Make("r", std::string_view("a\0b", 3)).ok());
}

TEST(IdsTest, ReadsBackAnAgentId) {
  const Result<AgentId> id = AgentId::Parse("runner-a_1-b#42");
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(id->incarnation(), 42u);
  EXPECT_EQ(id->text(), "runner-a_1-b#42");
}

TEST(IdsTest, RefusesAnAgentIdWithoutAPlainIncarnation) {
  for (const std::string_view bad :
       {"r-a", "r-a#", "r-a#0", "r-a#01", "r-a#-1", "r-a#1x", "r-a#4294967296", "r#1"}) {
    EXPECT_FALSE(AgentId::Parse(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace belay
