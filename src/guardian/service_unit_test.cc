#include "guardian/service_unit.h"

#include <gmock/gmock.h>

#include <string>

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

ServiceUnit Unit(const std::string& root, const std::string& program = "/usr/bin/belay") {
  const Result<ServiceUnit> unit = MakeServiceUnit(program, root);
  EXPECT_TRUE(unit.ok()) << root;
  return unit ? *unit : ServiceUnit{};
}

TEST(ServiceUnitTest, RunsTheGuardianOfTheProjectAndIsWatched) {
  const ServiceUnit unit = Unit("/home/me/app");
  EXPECT_THAT(unit.text,
              HasSubstr("\nExecStart=\"/usr/bin/belay\" guard --quiet --root \"/home/me/app\"\n"));
  for (const std::string line : {"Type=notify", "Restart=always", "WatchdogSec=180"}) {
    EXPECT_THAT(unit.text, HasSubstr("\n" + line + "\n"));
  }
}

TEST(ServiceUnitTest, AgentsOutliveIt) {
  EXPECT_THAT(Unit("/home/me/app").text, HasSubstr("\nKillMode=process\n"));
}

TEST(ServiceUnitTest, NamesAreOfTheProjectAndDifferByPath) {
  EXPECT_THAT(Unit("/home/me/app").name, MatchesRegex("belay-app-[0-9a-f]{8}\\.service"));
  EXPECT_EQ(Unit("/home/me/app").name, Unit("/home/me/app").name);
  EXPECT_NE(Unit("/home/me/app").name, Unit("/home/you/app").name);
  EXPECT_THAT(Unit("/x/my app; rm *").name,
              MatchesRegex("belay-my-app--rm---[0-9a-f]{8}\\.service"));
}

TEST(ServiceUnitTest, WhatSystemdWouldExpandIsTakenLiterally) {
  EXPECT_THAT(Unit("/a b/100%/$HOME/\"q\"\\").text,
              HasSubstr(R"(--root "/a b/100%%/$$HOME/\"q\"\\")"));
}

TEST(ServiceUnitTest, WhatAUnitCanNotHoldIsRefused) {
  for (const std::string path : {"/a\nExecStart=/bin/evil", "/a\tb", "/a\x7f"}) {
    const auto root = MakeServiceUnit("/usr/bin/belay", path);
    ASSERT_FALSE(root.ok());
    EXPECT_EQ(root.error().code, ErrorCode::kUsage);
    EXPECT_FALSE(MakeServiceUnit(path, "/home/me/app").ok());
  }
}

TEST(ServiceUnitTest, TheDescriptionOfAnOddNameExpandsNothing) {
  EXPECT_THAT(Unit("/home/me/100%n").text, Not(HasSubstr("of 100%n\n")));
}

}  // namespace
}  // namespace belay
