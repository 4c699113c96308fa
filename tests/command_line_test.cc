// What every command has in common: help, errors, JSON, colours, output that can't be written.

#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <fstream>
#include <regex>

#include "base/text.h"
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

// Where the row of a noun begins in the overview; npos if it has none.
std::size_t RowOf(const std::string& overview, std::string_view noun) {
  return overview.find(fmt::format("  {}  ", noun));
}

std::string RowText(const std::string& overview, std::size_t row) {
  return overview.substr(row, overview.find('\n', row) - row);
}

TEST_F(CommandLineTest, TheOverviewNamesEveryCommandOnceWithThoseForMachinesApart) {
  const std::string overview = Belay({"help"}).out;
  std::string machines;
  for (const Command& command : Commands()) {
    const bool machine = command.group.value == Group::kMachines;
    const std::size_t row = RowOf(overview, command.noun());
    EXPECT_EQ(row == std::string::npos, machine) << command.name;
    if (machine) {
      machines += fmt::format("{}{}", machines.empty() ? "" : ", ", command.name);
      continue;
    }
    EXPECT_EQ(RowOf(overview.substr(row + 1), command.noun()), std::string::npos) << command.name;
    const std::size_t verb = command.name.find(' ');
    if (verb == std::string::npos) continue;
    EXPECT_THAT(RowText(overview, row), HasSubstr(command.name.substr(verb)));
  }
  EXPECT_EQ(machines, "event, exec, ref-guard, statusline");
  EXPECT_THAT(overview, HasSubstr("\nFor programs, not people: " + machines + ".\n"));
}

TEST_F(CommandLineTest, BelayAloneIsTheOverview) {
  const RunOutcome alone = Belay({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_EQ(alone.out, Belay({"help"}).out);
}

TEST_F(CommandLineTest, EveryLineOfTheOverviewFitsEightyColumns) {
  const RunOptions plain{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = 80};
  const std::string overview = Belay({"help"}, plain).out;
  for (const std::string_view line : Split(overview, '\n')) EXPECT_LE(line.size(), 80u) << line;
}

// The first rows, the longest and the last, so that most new commands change no golden file.
std::string SomeRows(const std::string& overview) {
  const auto line_of = [&](std::string_view noun) {
    return overview.rfind('\n', RowOf(overview, noun));
  };
  const std::size_t longest = line_of("merge-queue");
  return overview.substr(0, line_of("spawn")) + "\n..." +
         overview.substr(longest, line_of("doctor") - longest) + "\n..." +
         overview.substr(line_of("version"));
}

TEST_F(CommandLineTest, HelpReadsAsAgreed) {
  for (const unsigned columns : {80U, 200U}) {
    const std::string width = std::to_string(columns);
    const RunOptions plain{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = columns};
    ExpectGolden("help-" + width + ".txt", SomeRows(Belay({"help"}, plain).out));
    ExpectGolden("config-show-" + width + ".txt", Belay({"config", "show"}, plain).out);
  }
  const RunOptions wide{.environment = {{"NO_COLOR", "1"}}, .terminal_columns = 200};
  ExpectGolden("help-init-200.txt", WithoutKinds(Belay({"help", "init"}, wide).out));
}

// Without escape sequences, and without capitals: titles are bold in colour and capitals without.
std::string Colourless(std::string text) {
  text = std::regex_replace(text, std::regex("\x1B\\[[0-9]*m"), "");
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

TEST_F(CommandLineTest, ColourPaintsNamesAndTitlesAndChangesNothingElse) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"help"}, {"config", "show"}}) {
    const std::string plain =
        Belay(line, {.environment = {{"NO_COLOR", "1"}}, .terminal_columns = 80}).out;
    const std::string coloured = Belay(line, {.terminal_columns = 80}).out;
    EXPECT_EQ(Colourless(coloured), Colourless(plain)) << line[0];
    EXPECT_NE(coloured, plain) << line[0];
  }
  const std::string overview = Belay({"help"}, {.terminal_columns = 80}).out;
  EXPECT_THAT(overview, HasSubstr("\x1B[1mstart\x1B[0m"));
  EXPECT_THAT(overview, HasSubstr("\x1B[36minit\x1B[0m"));
}

TEST_F(CommandLineTest, AWrongLineIsRefusedInOneLineWithTheRightSpelling) {
  const std::pair<std::vector<std::string>, std::string> lines[] = {
      {{"inti"}, "did you mean init?"},
      {{"init", "--agnet", "claude"}, "did you mean --agent?"},
      {{"init", "--agent", "cluade"}, "did you mean claude?"},
      {{"init", "--agent"}, "write --agent KIND"},
      {{"guard", "--once", "--systemd-unit"}, "can't be combined"},
      {{"config"}, "belay config show|check"},
      {{"completion", "zhs"}, "did you mean zsh?"},
      {{"version", "now"}, "doesn't take the argument"},
      {{"doctor", "--root", "/no/such/folder"}, "existing folder"},
      {{"config", "show", "--config", "/no/such.yml"}, "--config points to this file"},
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
