#include "cli/invocation.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

Result<int> Nothing(const Invocation&, Services&) { return 0; }

constexpr Option kSpawnOptions[] = {{"--host", "HOST", "where it runs", "tmux|process"},
                                    {"--name", "NAME", "what it is called"},
                                    {"--watch", "", "go on"},
                                    {"--once", "", "one time", "", "--watch"}};
constexpr Operand kWords[] = {{"COMMAND", "what to run", "", true, true, true}};
constexpr Operand kShell[] = {{"SHELL", "which", "bash|zsh"}};
constexpr Operand kPhase[] = {{"AGENT", "whose"}, {"PHASE", "which", "plan|test"}};
constexpr Command kTable[] = {
    {"spawn", Group::kStart, "start an agent", kSpawnOptions, kWords, Nothing, Operation::kExplain},
    {"shell", Group::kStart, "choose a shell", {}, kShell, Nothing, Operation::kExplain},
    {"hook show", Group::kStart, "show a hook", {}, {}, Nothing, Operation::kExplain},
    {"hook note", Group::kStart, "add a note", {}, {}, Nothing, Operation::kExplain},
    {"phase", Group::kStart, "say where it is", {}, kPhase, Nothing, Operation::kExplain},
    {"help", Group::kStart, "explain", {}, {}, Nothing, Operation::kExplain}};

Result<Invocation> Parse(std::vector<std::string_view> words) {
  return Invocation::Parse(kTable, words);
}

// "message; hint" of a command line that is refused.
std::string Refusal(std::vector<std::string_view> words) {
  const Result<Invocation> result = Parse(std::move(words));
  if (result) return "(accepted)";
  EXPECT_EQ(result.error().code, ErrorCode::kUsage);
  return result.error().message + "; " + result.error().hint;
}

TEST(InvocationTest, TakesOptionsAnywhereAndInBothForms) {
  const auto good =
      Parse({"--root", "/r", "spawn", "--host=tmux", "--name", "a", "--", "sh", "-c"});
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ(good->command().name, "spawn");
  EXPECT_EQ(good->Value("--root"), "/r");
  EXPECT_EQ(good->Value("--host"), "tmux");
  EXPECT_EQ(good->operands(), (std::vector<std::string>{"sh", "-c"}));
  EXPECT_FALSE(Parse({"spawn", "sh", "-c"}).ok());  // without --, -c would be an option of ours
}

TEST(InvocationTest, FindsTheVerbOfANoun) {
  EXPECT_EQ(Parse({"hook", "--json", "note"})->command().name, "hook note");
  EXPECT_EQ(Refusal({"hook"}), "hook needs a subcommand; belay hook show|note");
  EXPECT_EQ(Refusal({"hook", "shwo"}), "hook has no subcommand \"shwo\"; did you mean show?");
  EXPECT_EQ(Refusal({"hook", "zzz"}),
            "hook has no subcommand \"zzz\"; its subcommands are show, note");
}

TEST(InvocationTest, IsAboutHelpWithoutACommandOrWithTheOption) {
  EXPECT_EQ(Parse({})->command().name, "help");
  EXPECT_EQ(Parse({"--json"})->command().name, "help");
  EXPECT_TRUE(Parse({"hook", "--help"})->Has("--help"));
  EXPECT_TRUE(Parse({"spawn", "-h"})->Has("--help"));  // even without the operand that it needs
}

TEST(InvocationTest, NamesTheNearestSpelling) {
  EXPECT_EQ(Refusal({"spwan"}), "unknown command \"spwan\"; did you mean spawn?");
  EXPECT_EQ(Refusal({"zzz"}), "unknown command \"zzz\"; belay help lists the commands");
  EXPECT_EQ(Refusal({"spawn", "--hots", "tmux"}),
            "spawn has no option \"--hots\"; did you mean --host?");
  EXPECT_EQ(Refusal({"spawn", "-la"}),
            "spawn has no option \"-la\"; write -- before another program's command line");
  EXPECT_EQ(Refusal({"spawn", "--host", "tmx", "sh"}),
            "--host can't be \"tmx\"; did you mean tmux?");
  EXPECT_EQ(Refusal({"shell", "fish"}), "SHELL can't be \"fish\"; use one of bash, zsh");
}

TEST(InvocationTest, RefusesMissingAndNeedlessValues) {
  EXPECT_EQ(Refusal({"spawn", "--host"}), "--host needs a value; write --host HOST");
  EXPECT_EQ(Refusal({"spawn", "--name", "--watch", "sh"}),
            "--name needs a value; write --name NAME");
  EXPECT_EQ(Refusal({"spawn", "--name=", "sh"}), "--name needs a value; write --name NAME");
  EXPECT_EQ(Refusal({"spawn", "--watch=1", "sh"}), "--watch takes no value; remove the value");
  EXPECT_EQ(Refusal({"spawn"}), "spawn needs COMMAND; belay spawn --help shows how");
  EXPECT_EQ(Refusal({"shell"}), "shell needs SHELL; belay shell bash|zsh");
  EXPECT_EQ(Refusal({"phase", "a"}), "phase needs PHASE; belay phase AGENT plan|test");
  EXPECT_EQ(Refusal({"shell", "bash", "x"}),
            "shell doesn't take the argument \"x\"; belay shell --help shows what it takes");
}

TEST(InvocationTest, RefusesOptionsThatContradictEachOther) {
  EXPECT_EQ(Refusal({"spawn", "--once", "--watch", "sh"}),
            "--once and --watch can't be combined; use only one");
  EXPECT_EQ(Refusal({"spawn", "--name", "a", "--name", "b", "sh"}),
            "--name was given twice, as \"a\" and \"b\"; use only one");
  EXPECT_EQ(Refusal({"spawn", "--name", "a", "--name", "a", "sh"}), "(accepted)");
}

TEST(InvocationTest, RepeatsBadBytesSafely) {
  EXPECT_EQ(Refusal({"\xFF"}).substr(0, 21), "unknown command \"\xEF\xBF\xBD\"");
  EXPECT_LT(Refusal({std::string(100'000, 'a')}).size(), 200u);
  EXPECT_EQ(Refusal({""}), "unknown command \"\"; belay help lists the commands");
}

TEST(InvocationTest, SeesTheWishForJsonInALineThatMakesNoSense) {
  const std::string_view asks[] = {"zzz", "--json"};
  const std::string_view asks_not[] = {"spawn", "--", "--json"};
  EXPECT_TRUE(AsksForJson(asks));
  EXPECT_FALSE(AsksForJson(asks_not));
}

}  // namespace
}  // namespace belay
