#include <gtest/gtest.h>

#include "adapters/claude/hooks.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

constexpr const char* kHooks =
    R"({"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"'/b/belay' event SessionStart"}]}]}})";

class HookVisibilityTest : public testing::Test {
 protected:
  HookVisibility Of(const std::vector<std::string>& command, const std::string& worktree = "r") {
    Identity identity{*AgentId::Parse("worker-a#1")};
    identity.agent_kind = AgentKind::kClaude;
    identity.command = command;
    identity.worktree_path = folder_ / worktree;
    return FindClaudeHookVisibility(files_, project_, identity,
                                    {{"CLAUDE_CONFIG_DIR", folder_ / "config"}});
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_ / "r", folder_ / "r/.git"};
};

TEST_F(HookVisibilityTest, WithoutAnySettingsThereAreNone) {
  EXPECT_EQ(Of({"claude"}), HookVisibility::kNone);
  EXPECT_EQ(Of({"claude", "--settings", "/mine.json"}), HookVisibility::kUnknown);
  EXPECT_EQ(Of({"claude", "--plugin-dir=/p"}), HookVisibility::kUnknown);
}

TEST_F(HookVisibilityTest, FindsThemWhereverClaudeCodeReadsSettings) {
  for (const char* path :
       {"r/.claude/settings.json", "r/.claude/settings.local.json", "config/settings.json"}) {
    folder_.Write(path, kHooks);
    EXPECT_EQ(Of({"./wrapper.sh"}), HookVisibility::kInstalled) << path;
    folder_.Write(path, "{}");
    EXPECT_EQ(Of({"./wrapper.sh"}), HookVisibility::kNone) << path;
  }
  folder_.Write("config/settings.json", R"({"enabledPlugins":{"belay@here":true}})");
  EXPECT_EQ(Of({"claude"}), HookVisibility::kInstalled);
  folder_.Write("config/settings.json", R"({"enabledPlugins":{"belay@here":false}})");
  EXPECT_EQ(Of({"claude"}), HookVisibility::kNone);
}

TEST_F(HookVisibilityTest, HooksThatAreSwitchedOffAreNone) {
  folder_.Write("r/.claude/settings.json", kHooks);
  folder_.Write("r/.claude/settings.local.json", R"({"disableAllHooks":true})");
  EXPECT_EQ(Of({"claude"}), HookVisibility::kNone);
  folder_.Write("r/.claude/settings.local.json", "{}");
  EXPECT_EQ(Of({"claude"}), HookVisibility::kInstalled);
  EXPECT_EQ(Of({"claude", "--bare"}), HookVisibility::kNone);
  EXPECT_EQ(Of({"claude", "--safe-mode"}), HookVisibility::kNone);
}

TEST_F(HookVisibilityTest, AFolderBelowTheProjectHasSettingsOfItsOwn) {
  EXPECT_EQ(Of({"sh", "-c", "cd sub && claude"}), HookVisibility::kNone);
  folder_.Write("r/.claude/settings.json", kHooks);
  EXPECT_EQ(Of({"sh", "-c", "cd sub && claude"}), HookVisibility::kInstalled) << "belay gives them";
  EXPECT_EQ(Of({"sh", "-c", "cd sub && claude --settings /mine.json"}), HookVisibility::kUnknown);
}

TEST_F(HookVisibilityTest, InALinkedWorktreeOnlyClaudesOwnCommandIsGivenThem) {
  folder_.Write("r/.claude/settings.json", kHooks);
  folder_.MakeFolder("w");
  EXPECT_EQ(Of({"nice", "claude"}, "w"), HookVisibility::kInstalled);
  EXPECT_EQ(Of({"./wrapper.sh"}, "w"), HookVisibility::kNotGiven);
}

}  // namespace
}  // namespace belay
