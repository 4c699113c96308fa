#include <gtest/gtest.h>

#include "adapters/claude/hooks.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

constexpr const char* kHooks =
    R"({"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"'/b/belay' event SessionStart"}]}]}})";

class HookSightTest : public testing::Test {
 protected:
  HookSight Of(const std::vector<std::string>& command, const std::string& worktree = "r") {
    Identity identity{*AgentId::Parse("worker-a#1")};
    identity.agent_kind = AgentKind::kClaude;
    identity.command = command;
    identity.worktree_path = folder_ / worktree;
    return FindClaudeSight(files_, project_, identity, {{"CLAUDE_CONFIG_DIR", folder_ / "config"}});
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_ / "r", folder_ / "r/.git"};
};

TEST_F(HookSightTest, WithoutAnySettingsThereAreNone) {
  EXPECT_EQ(Of({"claude"}), HookSight::kNone);
  EXPECT_EQ(Of({"claude", "--settings", "/mine.json"}), HookSight::kUnknown);
  EXPECT_EQ(Of({"claude", "--plugin-dir=/p"}), HookSight::kUnknown);
}

TEST_F(HookSightTest, FindsThemWhereverClaudeCodeReadsSettings) {
  for (const char* path :
       {"r/.claude/settings.json", "r/.claude/settings.local.json", "config/settings.json"}) {
    folder_.Write(path, kHooks);
    EXPECT_EQ(Of({"./wrapper.sh"}), HookSight::kInstalled) << path;
    folder_.Write(path, "{}");
    EXPECT_EQ(Of({"./wrapper.sh"}), HookSight::kNone) << path;
  }
  folder_.Write("config/settings.json", R"({"enabledPlugins":{"belay@here":true}})");
  EXPECT_EQ(Of({"claude"}), HookSight::kInstalled);
  folder_.Write("config/settings.json", R"({"enabledPlugins":{"belay@here":false}})");
  EXPECT_EQ(Of({"claude"}), HookSight::kNone);
}

TEST_F(HookSightTest, HooksThatAreSwitchedOffAreNone) {
  folder_.Write("r/.claude/settings.json", kHooks);
  folder_.Write("r/.claude/settings.local.json", R"({"disableAllHooks":true})");
  EXPECT_EQ(Of({"claude"}), HookSight::kNone);
  folder_.Write("r/.claude/settings.local.json", "{}");
  EXPECT_EQ(Of({"claude"}), HookSight::kInstalled);
  EXPECT_EQ(Of({"claude", "--bare"}), HookSight::kNone);
  EXPECT_EQ(Of({"claude", "--safe-mode"}), HookSight::kNone);
}

TEST_F(HookSightTest, AFolderBelowTheProjectHasSettingsOfItsOwn) {
  EXPECT_EQ(Of({"sh", "-c", "cd sub && claude"}), HookSight::kNone);
  folder_.Write("r/.claude/settings.json", kHooks);
  EXPECT_EQ(Of({"sh", "-c", "cd sub && claude"}), HookSight::kInstalled) << "belay gives them";
  EXPECT_EQ(Of({"sh", "-c", "cd sub && claude --settings /mine.json"}), HookSight::kUnknown);
}

TEST_F(HookSightTest, InALinkedWorktreeOnlyClaudesOwnCommandIsGivenThem) {
  folder_.Write("r/.claude/settings.json", kHooks);
  folder_.MakeFolder("w");
  EXPECT_EQ(Of({"nice", "claude"}, "w"), HookSight::kInstalled);
  EXPECT_EQ(Of({"./wrapper.sh"}, "w"), HookSight::kNotGiven);
}

}  // namespace
}  // namespace belay
