#include <gmock/gmock.h>

#include "sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SettingsDriftTest : public Sandbox {
 protected:
  void SetUp() override { ASSERT_EQ(Belay({"init", "--yes"}).exit_code, 0); }

  std::string Guard() {
    const RunOutcome outcome = Belay({"guard", "--once"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out + outcome.err;
  }
  std::string SettingsCheck() {
    const Json outcome = BelayJson({"doctor"});
    for (const Json& check : *outcome.Find("checks")->AsArray()) {
      if (*check.Find("name")->AsString() == "settings") return WriteJson(check);
    }
    return "";
  }
};

TEST_F(SettingsDriftTest, AChangeByAnyoneIsReportedOnce) {
  EXPECT_EQ(SettingsCheck(), "") << "nothing was seen yet";
  EXPECT_THAT(Guard(), Not(HasSubstr("belay.yml"))) << "the first sight is no change";
  EXPECT_THAT(SettingsCheck(), HasSubstr("unchanged since"));
  folder_.Write("repo/.claude/belay.yml", "merge: {target: other}\n");
  EXPECT_THAT(SettingsCheck(), AllOf(HasSubstr("lacking"), HasSubstr("belay.yml has changed")));
  EXPECT_THAT(Guard(), HasSubstr(".claude/belay.yml has changed since 20"));
  EXPECT_THAT(Guard(), Not(HasSubstr("belay.yml"))) << "once";
  EXPECT_THAT(SettingsCheck(), HasSubstr("unchanged since"));
  EXPECT_THAT(Belay({"log"}).out, AllOf(HasSubstr("settings_seen"), HasSubstr("settings_changed"),
                                        HasSubstr(".claude/belay.yml")));
}

TEST_F(SettingsDriftTest, HooksThatAppearAndSettingsThatVanishAreNoticed) {
  (void)Guard();
  folder_.Write("repo/.git/hooks/reference-transaction", "#!/bin/sh\n");
  folder_.Write("repo/.claude/settings.json", "{}\n");
  ASSERT_EQ(unlink((folder_ / "repo/.claude/belay.yml").c_str()), 0);
  EXPECT_THAT(Guard(), AllOf(HasSubstr("hooks/reference-transaction has changed"),
                             HasSubstr(".claude/settings.json has changed"),
                             HasSubstr(".claude/belay.yml is gone")));
}

TEST_F(SettingsDriftTest, ALinkInTheirPlaceIsNoticed) {
  (void)Guard();
  folder_.Write("elsewhere.yml", "merge: {target: other}\n");
  const std::string settings = folder_ / "repo/.claude/belay.yml";
  ASSERT_EQ(unlink(settings.c_str()), 0);
  ASSERT_EQ(symlink((folder_ / "elsewhere.yml").c_str(), settings.c_str()), 0);
  EXPECT_THAT(SettingsCheck(), HasSubstr("belay.yml has changed"));
  EXPECT_THAT(Guard(), HasSubstr(".claude/belay.yml has changed"));
  folder_.Write("elsewhere.yml", "merge: {target: another}\n");
  EXPECT_THAT(Guard(), HasSubstr(".claude/belay.yml has changed")) << "what it leads to counts";
  folder_.Write("elsewhere.yml", std::string(2 << 20, '#'));
  EXPECT_THAT(Guard(), HasSubstr(".claude/belay.yml has changed")) << "too long to be read";
}

TEST_F(SettingsDriftTest, APersonsMergeQueueNoticesItWithoutAGuardian) {
  folder_.Write("repo/.claude/belay.yml", "merge: {gates: [{name: t, run: \"true\"}]}\n");
  EXPECT_THAT(Belay({"merge-queue", "process"}).err, Not(HasSubstr("has changed")));
  folder_.Write("repo/.claude/belay.yml", "merge: {gates: [{name: u, run: \"true\"}]}\n");
  EXPECT_THAT(Belay({"merge-queue", "process"}).err, HasSubstr("belay.yml has changed since"));
  EXPECT_THAT(Belay({"merge-queue", "process"}).err, Not(HasSubstr("has changed")));
}

}  // namespace
}  // namespace belay
