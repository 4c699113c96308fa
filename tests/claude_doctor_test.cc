// Doctor calls the hooks as Claude Code does, and says who answers.

#include <gmock/gmock.h>

#include "claude_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ClaudeDoctorTest : public ClaudeSandbox {
 protected:
  ClaudeDoctorTest() { EXPECT_EQ(Belay({"init"}).exit_code, 0); }

  // Settings with a hook for PreToolUse that calls this fake belay.
  void FakeBelay(const std::string& body) {
    Script("a place/belay", body);
    Settings(R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"')" +
             (folder_ / "a place/belay") + R"(' event PreToolUse"}]}]}})");
  }
  std::string Called() {
    const Json report = *ParseJson(Run({BelayBinary(), "doctor", "--json"}).out);
    for (const Json& check : *report.Find("checks")->AsArray()) {
      if (*check.Find("name")->AsString() == "claude hooks called") {
        return *check.Find("state")->AsString() + ": " + *check.Find("detail")->AsString();
      }
    }
    return "no such check";
  }
};

TEST_F(ClaudeDoctorTest, ABelayThatAnswersTheProbeIsFine) {
  FakeBelay(R"([ "$BELAY_EVENT_PROBE$1$2" = 1eventPreToolUse ] || exit 1
[ "$PWD" = "$CLAUDE_PROJECT_DIR" ] || exit 1
grep -q '"session_id":"belay-doctor".*"hook_event_name":"PreToolUse"' || exit 1
echo '{"belay":"probe"}')");
  EXPECT_THAT(Called(), AllOf(HasSubstr("fine: '"), HasSubstr("a place/belay' event PreToolUse")));
}

TEST_F(ClaudeDoctorTest, FindsHooksThatDoNotAnswer) {
  FakeBelay("echo broken >&2; exit 3");
  EXPECT_THAT(Called(), AllOf(HasSubstr("broken: "), HasSubstr("exits with code 3: \"broken")));
  EXPECT_EQ(Doctor().exit_code, 1);
  FakeBelay("echo hello");
  EXPECT_THAT(Called(), HasSubstr("which isn't a JSON object"));
  FakeBelay("exec cat >/dev/null");
  EXPECT_THAT(Called(), HasSubstr("lacking: "));
  FakeBelay("echo '{}'");
  EXPECT_THAT(Called(), HasSubstr("but not like belay"));
}

TEST_F(ClaudeDoctorTest, ChecksNothingWhereThereIsNoClaudeCode) {
  ASSERT_EQ(remove((folder_ / "bin/claude").c_str()), 0);
  const RunOutcome without =
      RunReal({BelayBinary(), "doctor"},
              {.folder = folder_ / "repo", .environment = {{"PATH", "/usr/bin:/bin"}}});
  EXPECT_THAT(without.out, Not(HasSubstr("\nclaude")));
}

TEST_F(ClaudeDoctorTest, SeesHooksThatAreMissingOrSwitchedOff) {
  EXPECT_THAT(Doctor().out, HasSubstr("fix:   run belay init --agent claude"));
  Settings(
      R"({"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"command":"belay event Stop"}]}]}})");
  EXPECT_THAT(Doctor().out, HasSubstr("disabled: disableAllHooks"));
}

TEST_F(ClaudeDoctorTest, SeesSettingsThatClaudeCodeIgnores) {
  Settings("{,}");
  EXPECT_EQ(Doctor().exit_code, 5);
  EXPECT_THAT(Doctor().out, HasSubstr(".claude/settings.json: line 1, column 2"));
  FakeClaude("2.1.100 (Claude Code)");
  Settings(R"({"hooks":{"Nonsense":[]}})");
  EXPECT_EQ(Doctor().exit_code, 2);
  EXPECT_THAT(Doctor().out, HasSubstr("\"Nonsense\", which is unknown to Claude Code 2.1.100"));
  FakeClaude("2.1.101 (Claude Code)");
  EXPECT_EQ(Doctor().exit_code, 0);
}

}  // namespace
}  // namespace belay
