#include "adapters/claude/command.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using Words = std::vector<std::string>;

Words With(const Words& command, const std::string& prompt) {
  return ClaudeCommand(command).WithPrompt(prompt);
}

TEST(ClaudeCommandTest, ThePromptStandsBehindDashesWhereNoOptionTakesIt) {
  EXPECT_EQ(With({"claude"}, "do it"), (Words{"claude", "--", "do it"}));
  EXPECT_EQ(With({"claude", "--add-dir", "/a", "/b"}, "- do it"),
            (Words{"claude", "--add-dir", "/a", "/b", "--", "- do it"}));
  EXPECT_EQ(With({"claude", "-p", "--"}, "do it"), (Words{"claude", "-p", "--", "do it"}));
  EXPECT_EQ(With({"claude", "-p"}, ""), (Words{"claude", "-p"}));
}

TEST(ClaudeCommandTest, ASingleWordIsNoSubcommand) {
  EXPECT_EQ(With({"claude"}, "doctor"), (Words{"claude", "--", "doctor "}));
}

TEST(ClaudeCommandTest, FindsThePersonsPromptWhereverItStands) {
  const Words commands[] = {
      {"claude", "their words"},
      {"claude", "-p", "their words", "--model", "opus"},
      {"claude", "--model", "opus", "their words", "--add-dir", "/a"},
      {"claude", "--allowedTools", "Bash", "Edit", "--verbose", "their words"},
      {"claude", "--allowedTools", "Bash", "--", "their words", "and more"},
      {"claude", "--model=opus", "their words"},
      {"claude", "--append-system-prompt", "--odd--", "their words"},
      {"claude", "--debug", "api", "their words"},
      {"claude", "their words", "ignored"},
      {"claude", "-p", "--max-turns", "30", "their words"},
      {"claude", "-p", "--debug-file", "/log", "--no-chrome", "their words"},
      {"claude", "-w", "tree", "--permission-prompt-tool", "x", "their words"},
      {"claude", "--append-system-prompt-file", "a.md", "their words"},
      {"claude", "--plugin-dir", "/a", "--plugin-dir", "/b", "--verbose", "their words"},
      {"claude", "--allowedTools=Bash", "their words"},
      {"claude", "--allowedTools", "--odd--", "--verbose", "their words"},
      {"claude", "-pc", "their words"},
      {"claude", "-p", "-d2e", "their words"},
      {"claude", "--new-option=value", "their words"},
  };
  for (const Words& command : commands) {
    const ClaudeCommand parsed(command);
    EXPECT_EQ(parsed.prompt(), "their words") << command[1];
    const Words words = parsed.WithPrompt("our words");
    EXPECT_EQ(std::count(words.begin(), words.end(), "their words"), 0) << command[1];
    EXPECT_EQ(words[words.size() - 2], "--");
    EXPECT_EQ(words.back(), "our words");
  }
}

// The word after an unknown option is its value or the prompt. A text after it would be a second
// positional argument, which the program ignores.
TEST(ClaudeCommandTest, AWordThatMayBeThePromptStaysAndNoTextIsAdded) {
  const Words commands[] = {
      {"claude", "--new-option", "value", "-x", "y"},
      {"claude", "-p", "--new-option", "their words"},
      {"claude", "-p", "--new-option", "7", "their words"},
      {"claude", "-p", "--new-option", "7", "--verbose", "their words", "and more"},
      {"claude", "--new-option", "7", "--", "their words", "-x"},
      {"claude", "--plugin-dir", "/a", "their words"},  // also a value, for older versions
      {"sh", "-c", "claude -p --new-option 'their words'"},
  };
  for (const Words& command : commands) {
    ClaudeCommand parsed(command);
    EXPECT_TRUE(parsed.understood());
    EXPECT_FALSE(parsed.TakesPrompt()) << command[1];
    EXPECT_EQ(parsed.prompt(), "");
    EXPECT_EQ(parsed.WithPrompt("our words"), command);
    EXPECT_EQ(parsed.WithPrompt(""), command);
  }
  ClaudeCommand resumed(commands[1]);
  resumed.Resume("ID");
  EXPECT_EQ(resumed.WithPrompt("our words"),
            (Words{"claude", "--resume", "ID", "-p", "--new-option", "their words"}));
}

TEST(ClaudeCommandTest, AnUnknownOptionBehindThePromptLeavesNoDoubtAboutIt) {
  ClaudeCommand parsed({"claude", "-p", "their words", "--new-option", "value"});
  EXPECT_TRUE(parsed.TakesPrompt());
  EXPECT_EQ(parsed.prompt(), "their words");
  EXPECT_EQ(parsed.WithPrompt("- ours"),
            (Words{"claude", "-p", " - ours", "--new-option", "value"}));
  parsed.Resume("ID");
  EXPECT_EQ(parsed.WithPrompt("our words"),
            (Words{"claude", "--resume", "ID", "-p", "our words", "--new-option", "value"}));
}

TEST(ClaudeCommandTest, AnUnknownOptionWithoutAWordBehindItIsNoObstacle) {
  EXPECT_EQ(With({"claude", "their words", "--new-option"}, "our words"),
            (Words{"claude", "--new-option", "--", "our words"}));
  EXPECT_EQ(With({"claude", "--new-option", "--verbose"}, "our words"),
            (Words{"claude", "--new-option", "--verbose", "--", "our words"}));
  EXPECT_EQ(ClaudeCommand({"claude", "--tools", "", "Bash"}).prompt(), "");
}

TEST(ClaudeCommandTest, KnowsWhatStartsClaudeCode) {
  const Words understood[] = {
      {"/usr/bin/claude"},
      {"env", "-i", "A=b", "claude"},
      {"npx", "-y", "@anthropic-ai/claude-code@2.1.325"},
      {"node", "lib/@anthropic-ai/claude-code/cli.js"},
      {"nice", "-5", "env", "A=b", "claude"},
      {"timeout", "1h", "claude"},
      {"sh", "-c", "claude -p 'their words'"},
  };
  for (const Words& command : understood) EXPECT_TRUE(ClaudeCommand(command).understood());
  const Words others[] = {{},
                          {"./my-agent"},
                          {"sh", "-c", "claude; make"},
                          {"codex", "exec", "x"},
                          {"env", "A=b"},
                          {"my-tool", "claude"},
                          {"env", "-u", "NAME", "sh"},
                          {"npx", "-p", "x", "y"}};
  for (const Words& command : others) EXPECT_FALSE(ClaudeCommand(command).understood());
  EXPECT_EQ(With({"env", "A=b", "claude", "-p", "theirs"}, "our words"),
            (Words{"env", "A=b", "claude", "-p", "--", "our words"}));
}

TEST(ClaudeCommandTest, APlainShellLineIsRewrittenAsAWhole) {
  ClaudeCommand command({"sh", "-c", "nice claude --model opus -p 'their words'"});
  EXPECT_EQ(command.prompt(), "their words");
  command.Resume("ID");
  EXPECT_EQ(
      command.WithPrompt("it's ours; $HOME"),
      (Words{"sh", "-c", "nice claude --resume ID --model opus -p -- 'it'\\''s ours; $HOME'"}));
}

TEST(ClaudeCommandTest, AChangeOfTheFolderStaysBeforeTheCommand) {
  ClaudeCommand command({"sh", "-c", "cd sub && claude -p 'their words'"});
  command.Resume("ID");
  EXPECT_EQ(command.WithPrompt("our words"),
            (Words{"sh", "-c", "cd sub && claude --resume ID -p -- 'our words'"}));
  EXPECT_TRUE(command.PrintsAndEnds());
  EXPECT_TRUE(ClaudeCommand({"claude", "--print"}).PrintsAndEnds());
  EXPECT_FALSE(ClaudeCommand({"claude", "--model", "-p"}).PrintsAndEnds());
  EXPECT_FALSE(ClaudeCommand({"./loop.sh", "-p"}).PrintsAndEnds());
}

TEST(ClaudeCommandTest, TakesOutWhatChoosesAConversationInAnySpelling) {
  const Words commands[] = {
      {"claude", "-p", "--resume", "ID", "--fork-session"},
      {"claude", "-p", "--resume=ID"},
      {"claude", "-r", "ID", "-p"},
      {"claude", "-p", "-rID"},
      {"claude", "-c", "-p"},
      {"claude", "--continue", "-p"},
      {"claude", "-p", "--session-id", "ID"},
      {"claude", "-p", "--resume"},
      {"claude", "--resume", "-p"},
      {"claude", "-pc"},
      {"claude", "-prID"},
      {"claude", "-p", "--resume", "ID", "--resume-session-at", ""},
  };
  for (const Words& command : commands) {
    ClaudeCommand parsed(command);
    std::string value;
    parsed.TakeOut([&](const ClaudeCommand::Choice& choice) {
      value += choice.value;
      return true;
    });
    EXPECT_EQ(parsed.WithPrompt(""), (Words{"claude", "-p"})) << command[1];
    EXPECT_TRUE(value.empty() || value == "ID") << value;
  }
}

TEST(ClaudeCommandTest, TheConversationIsNamedBeforeAnyOtherArgument) {
  ClaudeCommand command({"npx", "@anthropic-ai/claude-code", "--add-dir", "/a", "--", "theirs"});
  command.Resume("ID");
  EXPECT_TRUE(command.Chooses("--resume"));
  EXPECT_EQ(command.WithPrompt("our words"), (Words{"npx", "@anthropic-ai/claude-code", "--resume",
                                                    "ID", "--add-dir", "/a", "--", "our words"}));
}

}  // namespace
}  // namespace belay
