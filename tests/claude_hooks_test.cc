// belay's hooks in Claude Code's settings: put in beside what others have, taken out without a
// trace.

#include <gmock/gmock.h>

#include "claude_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ClaudeHooksTest : public ClaudeSandbox {
 protected:
  timespec ModifiedAt() {
    struct stat info {};
    EXPECT_EQ(stat((folder_ / kSettings).c_str(), &info), 0);
    return info.st_mtim;
  }
  std::vector<std::string> Events() {
    std::vector<std::string> names;
    const Result<Json> settings = ParseJson(Settings());
    EXPECT_TRUE(settings.ok());
    for (const JsonMember& event : *settings->Find("hooks")->AsObject()) names.push_back(event.key);
    return names;
  }
};

constexpr std::string_view kTheirs =
    "{\r\n\t\"permissions\": {\"deny\" :[ \"Bash(rm:*)\"]},\r\n\t\"unknown\": 1.10,\r\n"
    "\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\"hooks\": [{\"type\": \"command\", "
    "\"command\": \"say done\"}]}\r\n\t\t],\r\n\t\t\"PreToolUse\": [ ]\r\n\t}\r\n}\r\n";

TEST_F(ClaudeHooksTest, OtherPeoplesHooksAndUnknownKeysStayAsTheyAre) {
  Settings(kTheirs);
  ASSERT_EQ(chmod((folder_ / kSettings).c_str(), 0640), 0);
  const RunOutcome outcome = Init();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = Settings();
  EXPECT_TRUE(text.starts_with(kTheirs.substr(0, kTheirs.find("done\"}]}"))));
  EXPECT_TRUE(text.ends_with("\r\n\t}\r\n}\r\n"));
  EXPECT_EQ(text.find("\n\n"), std::string::npos);
  EXPECT_EQ(Events().size(), 14u);
  const std::string ours = "'" + BelayBinary() + "' event Stop";
  const Json stop = *ParseJson(text)->Find("hooks")->Find("Stop");
  ASSERT_EQ(stop.AsArray()->size(), 2u);
  EXPECT_EQ(*(*(*stop.AsArray())[1].Find("hooks")->AsArray())[0].Find("command")->AsString(), ours);
  struct stat info {};
  ASSERT_EQ(stat((folder_ / kSettings).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640u);
}

TEST_F(ClaudeHooksTest, ASecondTimeTouchesNothing) {
  for (const std::string_view text : {kTheirs, std::string_view("{}"), std::string_view("")}) {
    Settings(text);
    ASSERT_EQ(Init().exit_code, 0);
    const std::string first = Settings();
    const timespec at = ModifiedAt();
    const RunOutcome again = Init();
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.err, Not(HasSubstr("a copy of the old")));
    EXPECT_EQ(Settings(), first);
    EXPECT_EQ(ModifiedAt().tv_nsec, at.tv_nsec);
    EXPECT_EQ(ModifiedAt().tv_sec, at.tv_sec);
    ASSERT_EQ(Init({"--remove"}).exit_code, 0);
    EXPECT_EQ(Settings(), text);
  }
}

TEST_F(ClaudeHooksTest, RemovalGivesBackEveryByte) {
  for (const bool whole : {false, true}) {
    Settings(kTheirs);
    ASSERT_EQ(Init().exit_code, 0);
    const RunOutcome removed =
        whole ? Run({BelayBinary(), "init", "--remove"}) : Init({"--remove"});
    EXPECT_EQ(removed.exit_code, 0) << removed.err;
    EXPECT_EQ(Settings(), kTheirs);
    EXPECT_FALSE(Exists("repo/.git/belay/claude-settings.json"));
    EXPECT_EQ(Exists("repo/.claude/state"), !whole);
  }
  EXPECT_THAT(Init({"--remove"}).out, HasSubstr("it contains no belay hooks"));
}

TEST_F(ClaudeHooksTest, AFileThatInitMadeIsRemovedUnlessSomethingElseIsInIt) {
  ASSERT_EQ(Init().exit_code, 0);
  const Json dry = *ParseJson(Init({"--remove", "--dry-run", "--json"}).out);
  const RunOutcome removed = Init({"--remove", "--json"});
  EXPECT_EQ(*ParseJson(removed.out)->Find("changes"), *dry.Find("changes"));
  EXPECT_THAT(removed.out, HasSubstr("init created it, and it contained nothing else"));
  EXPECT_FALSE(Exists(kSettings));
  ASSERT_EQ(Init().exit_code, 0);
  std::string text = Settings();
  Settings(text.insert(1, "\n  \"model\": \"x\","));
  ASSERT_EQ(Init({"--remove"}).exit_code, 0);
  EXPECT_EQ(Settings(), "{\n  \"model\": \"x\"\n}\n");
  ASSERT_EQ(remove((folder_ / kSettings).c_str()), 0);
  ASSERT_EQ(Init().exit_code, 0);
  ASSERT_EQ(Run({BelayBinary(), "init", "--remove"}).exit_code, 0);
  EXPECT_FALSE(Exists("repo/.claude/settings.json"));
}

TEST_F(ClaudeHooksTest, KeepsTheFileAsItWas) {
  Settings(kTheirs);
  const RunOutcome outcome = Init();
  EXPECT_THAT(
      outcome.err,
      HasSubstr("a copy of the old .claude/settings.json is in .git/belay/edited/settings.json-1"));
  EXPECT_EQ(folder_.Read("repo/.git/belay/edited/settings.json-1"), kTheirs);
}

TEST_F(ClaudeHooksTest, SettingsThatCannotBeEditedSafelyStopEverything) {
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"{\n  \"a\": 1,\n}", "line 3, column 1: '}' where a key in quotes should be"},
           {"{\"hooks\": {}, \"hooks\": {}}", "line 1, column 15: duplicate key \"hooks\""},
           {"// mine\n{}", "line 1, column 1"},
           {"{\"hooks\": \"none\"}", "\"hooks\" is a text, not an object"},
           {"[]", "it is a list, not an object"}}) {
    Settings(text);
    const RunOutcome outcome = Init();
    EXPECT_EQ(outcome.exit_code, 5) << text;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(".claude/settings.json: "), HasSubstr(said),
                                   HasSubstr("fix the file")));
    EXPECT_EQ(Settings(), text);
    EXPECT_FALSE(Exists("repo/.git/belay"));
    EXPECT_FALSE(Exists("repo/.claude/belay.yml"));
  }
}

TEST_F(ClaudeHooksTest, FollowsNoLink) {
  folder_.Write("dotfiles/settings.json", "{}\n");
  folder_.MakeFolder("repo/.claude");
  ASSERT_EQ(symlink((folder_ / "dotfiles/settings.json").c_str(), (folder_ / kSettings).c_str()),
            0);
  const RunOutcome outcome = Init();
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("is a symbolic link to " + folder_ / "dotfiles/settings.json"),
                    HasSubstr("cp --remove-destination")));
  EXPECT_EQ(folder_.Read("dotfiles/settings.json"), "{}\n");
  EXPECT_FALSE(Exists("repo/.git/belay"));
  // Taking out belay isn't stopped by what can't hold anything of belay's.
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_EQ(Init({"--remove"}).exit_code, 4);
  EXPECT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_FALSE(Exists("repo/.git/belay"));
}

TEST_F(ClaudeHooksTest, SeesBeforehandWhatItMayNotWrite) {
  Settings("{}\n");
  std::vector<std::string> command = {BelayBinary(), "init", "--agent", "claude"};
  if (geteuid() == 0) {
    ASSERT_EQ(RunReal({"chown", "-R", "65534:65534", folder_.path()}).exit_code, 0);
    command.insert(command.begin(),
                   {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  for (const char* const path : {kSettings, "repo/.claude"}) {
    ASSERT_EQ(chmod((folder_ / path).c_str(), path == kSettings ? 0444 : 0555), 0);
    const RunOutcome outcome = Run(command);
    EXPECT_EQ(outcome.exit_code, 2) << path;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(folder_ / path), HasSubstr("is not writable")));
    EXPECT_EQ(Settings(), "{}\n");
    EXPECT_FALSE(Exists("repo/.git/belay"));
    ASSERT_EQ(chmod((folder_ / path).c_str(), 0755), 0);
  }
}

TEST_F(ClaudeHooksTest, InstallsWhatTheInstalledVersionKnows) {
  FakeClaude("2.0.77 (Claude Code)");
  EXPECT_THAT(Init().err, HasSubstr("Claude Code 2.0.77 doesn't support all events"));
  EXPECT_EQ(Events().size(), 10u);
  EXPECT_THAT(Settings(), AllOf(HasSubstr("PostToolUseFailure"), Not(HasSubstr("PostCompact"))));
  FakeClaude("2.1.325 (Claude Code)");
  EXPECT_THAT(Doctor().out, HasSubstr("missing: PostCompact, StopFailure, TaskCreated, "));
  EXPECT_THAT(Init().err, Not(HasSubstr("doesn't support")));
  EXPECT_EQ(Events().size(), 14u);
  FakeClaude("2.0.77 (Claude Code)");
  EXPECT_THAT(Doctor().out, HasSubstr("it silently ignores the whole file"));
  ASSERT_EQ(Init().exit_code, 0);
  EXPECT_EQ(Events().size(), 10u);
  for (const std::string odd : {"hello", "2.1"}) {
    FakeClaude(odd);
    EXPECT_THAT(Init().err, HasSubstr("is unknown (claude --version prints"));
    EXPECT_EQ(Events().size(), 10u);
  }
  FakeClaude("1.0.100 (Claude Code)");
  const RunOutcome old = Init();
  EXPECT_EQ(old.exit_code, 4);
  EXPECT_THAT(old.err, HasSubstr("older than 2.0.77"));
}

TEST_F(ClaudeHooksTest, FixesThePathOfAMovedBelay) {
  const std::string place = folder_ / "it's a place";
  ASSERT_EQ(RunReal({"mkdir", place}).exit_code, 0);
  ASSERT_EQ(RunReal({"cp", BelayBinary(), place + "/belay"}).exit_code, 0);
  Settings("{\"a\": 1}");
  ASSERT_EQ(Run({place + "/belay", "init", "--agent", "claude"}).exit_code, 0);
  EXPECT_THAT(Settings(), HasSubstr("it'\\\\''s a place/belay' event Stop"));
  ASSERT_EQ(RunReal({"rm", "-r", place}).exit_code, 0);
  EXPECT_THAT(Doctor().out, HasSubstr("which doesn't exist"));
  ASSERT_EQ(Init().exit_code, 0);
  EXPECT_THAT(Settings(), Not(HasSubstr("a place")));
  EXPECT_EQ(Events().size(), 14u);
  ASSERT_EQ(Init({"--remove"}).exit_code, 0);
  EXPECT_EQ(Settings(), "{\"a\": 1}");
}

TEST_F(ClaudeHooksTest, CallsBelayByTheNameThatPathHasForIt) {
  ASSERT_EQ(symlink(BelayBinary().c_str(), (folder_ / "bin/belay").c_str()), 0);
  ASSERT_EQ(Init().exit_code, 0);
  EXPECT_THAT(Settings(), HasSubstr("'" + folder_ / "bin/belay" + "' event Stop"));
}

TEST_F(ClaudeHooksTest, SpoiltSettingsStopARemovalOnlyIfTheyMayHoldBelaysHooks) {
  ASSERT_EQ(Init().exit_code, 0);
  ASSERT_EQ(Init({"--remove"}).exit_code, 0);
  Settings("{\"command\": \"belay event Stop\",}");
  EXPECT_EQ(Belay({"init", "--remove"}).exit_code, 5);
  EXPECT_TRUE(Exists("repo/.claude/state/project.json"));
  Settings("{\"command\": \"mine\",}");
  EXPECT_EQ(Init({"--remove"}).exit_code, 5);
  EXPECT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_EQ(Settings(), "{\"command\": \"mine\",}");
  EXPECT_FALSE(Exists("repo/.git/belay"));
}

TEST_F(ClaudeHooksTest, AProgramOfAnotherNameIsRefused) {
  ASSERT_EQ(RunReal({"cp", BelayBinary(), folder_ / "other"}).exit_code, 0);
  const RunOutcome outcome = Run({folder_ / "other", "init", "--agent", "claude"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("rename the program"));
  EXPECT_FALSE(Exists("repo/.git/belay"));
}

TEST_F(ClaudeHooksTest, ADryRunPrintsTheSameAndDoesNothing) {
  Settings(kTheirs);
  const Json dry = *ParseJson(Init({"--dry-run", "--json"}).out);
  EXPECT_EQ(Settings(), kTheirs);
  EXPECT_FALSE(Exists("repo/.git/belay"));
  EXPECT_EQ(*ParseJson(Init({"--json"}).out)->Find("changes"), *dry.Find("changes"));
  const RunOutcome dry_removal = Run({BelayBinary(), "init", "--remove", "--dry-run", "--json"});
  const RunOutcome removal = Run({BelayBinary(), "init", "--remove", "--json"});
  EXPECT_EQ(*ParseJson(removal.out)->Find("changes"), *ParseJson(dry_removal.out)->Find("changes"));
}

}  // namespace
}  // namespace belay
