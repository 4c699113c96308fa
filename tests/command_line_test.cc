// What every command has in common: help, errors, JSON, colours, output that can't be written.

#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "cli/command.h"
#include "model/agent_kind.h"
#include "sandbox.h"
#include "testing/golden.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CommandLineTest : public Sandbox {};

// The golden pages don't name the kinds of agents, so that a new one doesn't change them.
std::string WithoutKinds(std::string page) {
  std::string listed;
  for (const std::string_view name : kAgentKinds) {
    listed += (listed.empty() ? "" : ", ") + std::string(name);
  }
  for (const std::string& kinds : {std::string(kAgentChoices), listed}) {
    const std::size_t at = page.find(kinds);
    EXPECT_NE(at, std::string::npos) << kinds;
    if (at != std::string::npos) page.replace(at, kinds.size(), "KINDS");
  }
  return page;
}

TEST_F(CommandLineTest, EveryCommandHasAPageThatItsHelpOptionShowsToo) {
  const Json overview = BelayJson({"help"});
  for (const Json& command : *overview.Find("commands")->AsArray()) {
    const std::string& name = *command.Find("name")->AsString();
    const std::string noun = name.substr(0, name.find(' '));
    const RunOutcome page = Belay({"help", noun});
    EXPECT_EQ(page.exit_code, 0) << noun;
    EXPECT_THAT(page.out, HasSubstr("belay " + noun)) << noun;
    // "belay help --help" is the overview, as "belay --help" is.
    if (noun == "help") continue;
    EXPECT_EQ(Belay({noun, "--help"}).out, page.out) << noun;
  }
}

// Without most of its rows: a new command changes no golden file.
std::string FirstAndLastRows(const std::string& overview) {
  const std::size_t from = overview.rfind('\n', overview.find("snapshot take"));
  const std::size_t to = overview.rfind('\n', overview.find("print the version"));
  return overview.substr(0, from) + "\n..." + overview.substr(to);
}

TEST_F(CommandLineTest, TheOverviewNamesEveryCommand) {
  const std::string overview = Belay({"help"}).out;
  for (const Command& command : Commands()) {
    const std::string row = fmt::format("\n{} ", command.name);
    EXPECT_EQ(overview.find(row) != std::string::npos, !command.internal) << command.name;
  }
}

TEST_F(CommandLineTest, HelpReadsAsAgreed) {
  for (const unsigned columns : {80U, 200U}) {
    const std::string width = std::to_string(columns);
    const RunOptions plain{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = columns};
    const RunOptions coloured{.terminal_columns = columns};
    ExpectGolden("help-" + width + ".txt", FirstAndLastRows(Belay({"help"}, plain).out));
    ExpectGolden("help-" + width + "-colour.txt", FirstAndLastRows(Belay({"help"}, coloured).out));
    ExpectGolden("config-show-" + width + ".txt", Belay({"config", "show"}, plain).out);
    ExpectGolden("config-show-" + width + "-colour.txt", Belay({"config", "show"}, coloured).out);
  }
  const RunOptions wide{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = 200};
  ExpectGolden("help-init-200.txt", WithoutKinds(Belay({"help", "init"}, wide).out));
}

TEST_F(CommandLineTest, AWrongLineIsRefusedInOneLineWithTheRightSpelling) {
  const std::pair<std::vector<std::string>, std::string> lines[] = {
      {{"inti"}, "did you mean init?"},
      {{"init", "--agnet", "claude"}, "did you mean --agent?"},
      {{"init", "--agent", "cluade"}, "did you mean claude?"},
      {{"init", "--agent"}, "write --agent KIND"},
      {{"guard", "--once", "--systemd-unit"}, "can't stand together"},
      {{"config"}, "belay config show|check"},
      {{"completion", "zhs"}, "did you mean zsh?"},
      {{"version", "now"}, "has no use for"},
      {{"doctor", "--root", "/no/such/folder"}, "existing folder"},
      {{"config", "show", "--config", "/no/such.yml"}, "--config names this file"},
  };
  for (const auto& [line, says] : lines) {
    const RunOutcome outcome = Belay(line);
    EXPECT_EQ(outcome.exit_code, 2) << line[0];
    EXPECT_EQ(outcome.out, "") << line[0];
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(CommandLineTest, AnErrorIsARecordWithJson) {
  const Json record = BelayJson({"inti"}, 2);
  const Json* error = record.Find("error");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(*error->Find("code")->AsString(), "usage");
  EXPECT_EQ(*error->Find("message")->AsString(), "unknown command \"inti\"");
  EXPECT_EQ(*error->Find("hint")->AsString(), "did you mean init?");
}

TEST_F(CommandLineTest, ControlCharactersOnTheLineNeverReachTheTerminal) {
  const RunOutcome outcome = Belay({"\x1B[2Jclear\xFF"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, Not(HasSubstr("\x1B")));
  EXPECT_THAT(outcome.err, HasSubstr("\\x1b[2Jclear"));
}

TEST_F(CommandLineTest, ColoursOnlyATerminalThatWantsThem) {
  const std::string escape = "\x1B[";
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr(escape)));
  EXPECT_THAT(Belay({"doctor"}, {.terminal_columns = 80}).out, HasSubstr(escape));
  EXPECT_THAT(Belay({"doctor", "--no-color"}, {.terminal_columns = 80}).out,
              Not(HasSubstr(escape)));
  for (const auto& [name, value] : {std::pair("NO_COLOR", "1"), std::pair("TERM", "dumb")}) {
    const RunOptions options{.environment = {{name, value}}, .terminal_columns = 80};
    EXPECT_THAT(Belay({"doctor"}, options).out, Not(HasSubstr(escape))) << name;
  }
  folder_.Write("repo/.claude/belay.yml", "ui: {color: never}\n");
  EXPECT_THAT(Belay({"doctor"}, {.terminal_columns = 80}).out, Not(HasSubstr(escape)));
}

TEST_F(CommandLineTest, OutputThatCannotBeWrittenIsAFailure) {
  const RunOutcome outcome = Belay({"config", "show"}, {.out_path = "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
}

TEST_F(CommandLineTest, SettingsThatAreALinkToNowhereAreAMistakeAndNotTheDefaults) {
  folder_.MakeFolder("repo/.claude");
  ASSERT_EQ(symlink("/no/such.yml", (folder_ / "repo/.claude/belay.yml").c_str()), 0);
  EXPECT_EQ(Belay({"config", "check"}).exit_code, 2);
  EXPECT_EQ(Belay({"config", "show"}).exit_code, 2);
}

TEST_F(CommandLineTest, QuietLeavesOutTalkButNotData) {
  const RunOutcome loud = Belay({"init"});
  EXPECT_THAT(loud.err, HasSubstr("belay doctor"));
  const RunOutcome quiet = Belay({"init", "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_THAT(quiet.out, HasSubstr(".claude/belay.yml"));
}

TEST_F(CommandLineTest, MistakesInTheSettingsAreAnErrorForScriptsToo) {
  folder_.Write("repo/.claude/belay.yml", "merge: {slots: x}\n");
  const Json record = BelayJson({"config", "check"}, 2);
  EXPECT_EQ(record.Find("problems")->AsArray()->size(), 1u);
  EXPECT_EQ(*record.Find("error")->Find("code")->AsString(), "usage");
}

TEST_F(CommandLineTest, VersionIsOneLineAndARecord) {
  EXPECT_THAT(Belay({"version"}).out, ::testing::MatchesRegex("belay [0-9.]+\n"));
  EXPECT_NE(BelayJson({"version"}).Find("version"), nullptr);
}

TEST_F(CommandLineTest, TheBinaryLoadsNothingAtItsStart) {
  std::ifstream file(BelayBinary(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Elf64_Ehdr header{};
  ASSERT_GT(bytes.size(), sizeof(header));
  std::memcpy(&header, bytes.data(), sizeof(header));
  ASSERT_GT(header.e_phnum, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP)) << "it is not static";
  }
}

}  // namespace
}  // namespace belay
