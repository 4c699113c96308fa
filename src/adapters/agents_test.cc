#include "adapters/agents.h"

#include <gtest/gtest.h>

#include "adapters/agent/agent_program.h"
#include "base/text.h"
#include "os/file_system.h"

namespace belay {
namespace {

using Words = std::vector<std::string>;

std::string Shown(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += "[" + word + "]";
  return text;
}

TEST(AgentsTest, FindsClaudeCodeBehindWhateverStartsIt) {
  const Words commands[] = {
      {"claude"},
      {"claude", "-p", "do it"},
      {"/usr/bin/claude"},
      {"./node_modules/.bin/claude", "-p"},
      {"../x/bin/claude.exe"},
      {"/home/me/.local/share/claude/versions/2.1.325", "-p"},
      {"npx", "claude"},
      {"npx", "-y", "@anthropic-ai/claude-code", "-p", "x"},
      {"npx", "--yes", "--", "@anthropic-ai/claude-code@2.1.325"},
      {"npx", "-p", "@anthropic-ai/claude-code", "claude", "-p", "x"},
      {"npx", "--package=@anthropic-ai/claude-code@latest", "claude"},
      {"bunx", "--bun", "@anthropic-ai/claude-code"},
      {"node", "lib/@anthropic-ai/claude-code/cli.js", "-p"},
      {"node", "--max-old-space-size=4096", "-r", "x.js", "/u/claude-code/cli.js"},
      {"node", "--require", "claude.js", "./node_modules/.bin/claude"},
      {"bun", "run", "claude"},
      {"env", "X=1", "claude"},
      {"env", "-i", "A=b", "B=c=d", "claude"},
      {"env", "-", "PATH=/bin", "claude"},
      {"env", "-u", "NAME", "--chdir=/x", "-C", "/y", "claude"},
      {"/usr/bin/env", "--", "claude"},
      {"nice", "claude"},
      {"nice", "-n", "5", "claude"},
      {"nice", "-n5", "claude"},
      {"nice", "-5", "claude"},
      {"nice", "--adjustment=5", "claude"},
      {"env", "X=1", "nice", "claude", "-p"},
      {"nohup", "claude"},
      {"timeout", "1h", "claude"},
      {"timeout", "-k", "5", "--signal=INT", "--foreground", "1h", "claude"},
      {"stdbuf", "-oL", "-e", "0", "claude"},
      {"setsid", "-w", "claude"},
      {"time", "-p", "claude"},
      {"/usr/bin/time", "-o", "claude", "claude"},
      {"ionice", "-c", "3", "claude"},
      {"ionice", "-c3", "claude"},
      {"chrt", "-b", "0", "claude"},
      {"taskset", "-c", "0-3", "claude"},
      {"sh", "-c", "claude -p 'do it'"},
      {"bash", "-lc", "exec claude --model opus"},
      {"bash", "-l", "-c", "env A=b claude"},
      {"/bin/sh", "-c", "nice claude -p \"do it\""},
  };
  for (const Words& command : commands) {
    EXPECT_EQ(KindOfCommand(command), AgentKind::kClaude) << Shown(command);
  }
}

TEST(AgentsTest, OtherProgramsThatOnlyMentionClaudeAreNot) {
  const Words commands[] = {
      {},
      {"claude-lint"},
      {"./notclaude"},
      {"claude.sh"},
      {"./claude/run"},
      {"echo", "claude"},
      {"cat", "claude"},
      {"git", "commit", "-m", "claude"},
      {"vim", "./claude"},
      {"my-tool", "claude"},
      {"./wrapper.sh", "claude"},
      {"env", "A=b"},
      {"env", "A=claude", "sh"},
      {"env", "-u", "claude", "sh"},
      {"env", "-S", "claude -p", "claude"},
      {"env", "--no-such-option", "claude"},
      {"nice", "-n", "claude", "sh"},
      {"timeout", "claude", "sh"},
      {"timeout", "1h"},
      {"time", "-o", "claude", "make"},
      {"nohup", "./claude-lint"},
      {"npx", "-p", "x", "y"},
      {"npx", "-c", "claude"},
      {"npx", "@anthropic-ai/claude-code-action"},
      {"npx", "--package", "@anthropic-ai/claude-code", "eslint"},
      {"node", "-e", "claude"},
      {"node", "--title", "claude", "app.js"},
      {"node", "--eval", "claude"},
      {"node", "server.js", "claude"},
      {"node"},
      {"sh", "claude"},
      {"sh", "-c", "echo claude"},
      {"sh", "-c", "claude -p x; make"},
      {"sh", "-c", "claude -p \"$PROMPT\""},
      {"sh", "-c", "claude -p x | tee log"},
      {"sh", "-c", "claude -p x > log"},
      {"sh", "-c", "claude \"$@\"", "sh", "x"},
      {"sh", "-c", "A=b claude"},
      {"sh", "-c", "claude -p 'x"},
      {"sh", "-c", "claude # -p"},
      {"sh", "-c", "claude *"},
      {"sh", "-c", ""},
      {"bash", "-ic", "claude"},
  };
  for (const Words& command : commands) {
    EXPECT_EQ(KindOfCommand(command), AgentKind::kGeneric) << Shown(command);
  }
}

TEST(AgentsTest, FindsCodex) {
  for (const Words& command : {Words{"codex", "exec", "x"}, Words{"env", "A=b", "/x/codex"},
                               Words{"npx", "-y", "@openai/codex@0.166.0"},
                               Words{"node", "/x/@openai/codex/bin/codex.js"}}) {
    EXPECT_EQ(KindOfCommand(command), AgentKind::kCodex) << Shown(command);
  }
  for (const Words& command : {Words{"codex-lint"}, Words{"echo", "codex"}, Words{"my.codex"}}) {
    EXPECT_EQ(KindOfCommand(command), AgentKind::kGeneric) << Shown(command);
  }
}

TEST(AgentsTest, FindsWhereItsArgumentsBegin) {
  const auto claude = [](std::string_view word) {
    return AdapterFor(AgentKind::kClaude).IsProgram(word);
  };
  EXPECT_EQ(FindProgramWord(Words{"env", "X=1", "nice", "-n", "5", "claude", "-p"}, claude), 5U);
  EXPECT_EQ(FindProgramWord(Words{"npx", "-y", "@anthropic-ai/claude-code@1", "-p"}, claude), 2U);
}

TEST(AgentsTest, EveryKindHasItsAdapterAndATitle) {
  for (const KindOfAgent& row : KindsOfAgents()) {
    EXPECT_EQ(&AdapterFor(row.kind), &row.adapter());
    EXPECT_EQ(ParseAgentKind(AgentKindName(row.kind)), row.kind);
    EXPECT_NE(row.adapter().title(), "");
    EXPECT_NE(kAgentChoices.find(AgentKindName(row.kind)), std::string_view::npos);
  }
}

TEST(AgentsTest, AnEventIsOfTheKindWhoseHooksNameIt) {
  const std::optional<NamedEvent> found = FindEvent("PreToolUse");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->agent, AgentKind::kClaude);
  EXPECT_EQ(found->kind, EventKind::kToolStarting);
  EXPECT_FALSE(FindEvent("Nonsense"));
  EXPECT_FALSE(FindEvent("tool_starting")) << "belay's own name";
}

TEST(AgentsTest, ATextIsAnArgumentWhereTheKindTakesIt) {
  EXPECT_TRUE(AdapterFor(AgentKind::kClaude).TextIsArgument(false));
  EXPECT_FALSE(AdapterFor(AgentKind::kCodex).TextIsArgument(false)) << "only its command says so";
  EXPECT_TRUE(AdapterFor(AgentKind::kCodex).TextIsArgument(true));
  EXPECT_FALSE(AdapterFor(AgentKind::kGeneric).TextIsArgument(true));
}

TEST(AgentsTest, AShellThatFirstChangesTheFolderIsLookedThrough) {
  const Words command = {"sh", "-c", " cd 'my sub' &&  claude -p 'do it'"};
  EXPECT_EQ(KindOfCommand(command), AgentKind::kClaude);
  const auto read = ReadShellInvocation(command);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->before, " cd 'my sub' &&  ");
  EXPECT_EQ(read->words, (Words{"claude", "-p", "do it"}));
  EXPECT_EQ(WorkFolderOf(command, "/w"), "/w/my sub");
  EXPECT_EQ(WorkFolderOf(Words{"sh", "-c", "cd /else && claude"}, "/w"), "/else");
  EXPECT_EQ(WorkFolderOf(Words{"claude"}, "/w"), "/w");
  for (const char* line :
       {"cd && claude", "cd - && claude", "cd $X && claude", "cd a b && claude", "cd a; claude",
        "cd a || claude", "cd a && cd b && claude", "cd a &&", "cd a & claude"}) {
    EXPECT_EQ(KindOfCommand(Words{"sh", "-c", line}), AgentKind::kGeneric) << line;
  }
}

TEST(AgentsTest, AShellReadsALineBackAsTheSameWords) {
  const Words words = {"claude", "--model=opus", "-p", "it's \"so\" $HOME `x`\n", "", "~", "a b"};
  EXPECT_EQ(ShellLineOf(words).substr(0, 25), "claude --model=opus -p 'i");
  const auto read = ReadShellInvocation(
      Words{"sh", "-c", "claude --model=opus -p 'a  \"b' \"c 'd\" '' e'f'\"g\""});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->shell, (Words{"sh", "-c"}));
  EXPECT_EQ(read->words, (Words{"claude", "--model=opus", "-p", "a  \"b", "c 'd", "", "efg"}));
}

TEST(AgentsTest, AGenericOneIsTheCommandAgainWithATextAtItsEndIfThatIsWanted) {
  RealFileCalls calls;
  const FileSystem files(calls);
  const AgentAdapter& generic = AdapterFor(AgentKind::kGeneric);
  EXPECT_EQ(generic.StartCommand({{"make", "it"}, ""}), (Words{"make", "it"}));
  EXPECT_EQ(generic.StartCommand({{"make", "it"}, "our words"}),
            (Words{"make", "it", "our words"}));
  const Continuation next = generic.Continue(files, {.command = {"make", "it"}, .text = "words"});
  EXPECT_FALSE(next.same_conversation);
  EXPECT_EQ(next.command, (Words{"make", "it", "words"}));
  EXPECT_FALSE(generic.ReadContext(files, "/any"));
}

}  // namespace
}  // namespace belay
