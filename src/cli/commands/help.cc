#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "ui/markdown.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::string_view kIntroduction =
    "belay keeps the work of AI coding agents safe.\n\n    belay COMMAND [OPTIONS]\n\n";

// A table whose second column may wrap.
Table TwoColumns(std::string left, std::string right) {
  return {.columns = {{.title = std::move(left)},
                      {.title = std::move(right), .fit = Fit::kWrap, .min_width = 20}}};
}

std::string RenderOptionsTable(std::string title, std::span<const Option> options,
                               const Screen& screen) {
  Table table = TwoColumns(std::move(title), "meaning");
  for (const Option& option : options) {
    std::string help(option.help);
    if (!option.choices.empty()) {
      help += fmt::format(": {}", fmt::join(Split(option.choices, '|'), ", "));
    }
    table.rows.push_back({{OptionLabel(option), Tone::kAccent}, {std::move(help)}});
  }
  const std::string text = Render(table, {screen.columns, screen.style});
  return text.empty() ? text : "\n" + text;
}

std::string Overview(const Screen& screen) {
  Table table = TwoColumns("command", "what it does");
  for (const Command& command : Commands()) {
    if (command.internal) continue;
    table.rows.push_back(
        {{std::string(command.name), Tone::kAccent}, {std::string(command.summary)}});
  }
  return std::string(kIntroduction) + Render(table, {screen.columns, screen.style}) +
         RenderOptionsTable("every command takes", CommonOptions(), screen) +
         "\nbelay help COMMAND explains one of them.\n";
}

// What a page says about one of its verbs: the paragraphs that name it in code.
std::string PartAbout(std::string_view page, std::string_view verb) {
  std::string part;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = std::min(page.find("\n\n", at), page.size());
    const std::string_view paragraph = page.substr(at, end - at);
    at = end + 2;
    const bool prose = !paragraph.starts_with('#') && !paragraph.starts_with("- ") &&
                       !paragraph.starts_with('|') && !paragraph.starts_with("```");
    const bool names = paragraph.find(fmt::format("`{}`", verb)) != std::string_view::npos ||
                       paragraph.find(fmt::format("`{} ", verb)) != std::string_view::npos;
    if (prose && names) part += fmt::format("\n{}\n", paragraph);
  }
  return part;
}

// The ways to write the command below the title, the text, then what the table says of options.
std::string Compose(std::string_view title, std::string_view text,
                    const std::vector<const Command*>& commands, const Screen& screen) {
  constexpr std::size_t kCodeIndent = 4;
  const std::size_t columns =
      RoomAfter(kCodeIndent, std::min(screen.ProseColumns(), kProseColumns));
  std::string markdown(title);
  markdown += "\n\n```\n";
  for (const Command* command : commands) markdown += UsageLines(*command, columns);
  markdown += "```\n";
  markdown += text;
  std::string page = RenderMarkdown(markdown, screen.ProseColumns(), screen.style);
  for (const Command* command : commands) {
    page += RenderOptionsTable(fmt::format("{} takes", command->name), command->options, screen);
  }
  return page + RenderOptionsTable("every command takes", CommonOptions(), screen);
}

std::string Page(std::string_view noun, const Screen& screen) {
  const std::string_view page = HelpPage(noun);
  const std::size_t title_end = page.find('\n');
  return Compose(page.substr(0, title_end), page.substr(title_end), CommandsOf(noun), screen);
}

// Of one verb; the whole page when that doesn't speak of it by itself.
std::string PageOf(const Command& command, const Screen& screen) {
  const std::string_view noun = command.noun();
  if (command.name == noun) return Page(noun, screen);
  const std::string part = PartAbout(HelpPage(noun), command.name.substr(noun.size() + 1));
  if (part.empty()) return Page(noun, screen);
  return Compose(fmt::format("# belay {}", command.name),
                 fmt::format("\n{}.\n{}", command.summary, part), {&command}, screen) +
         fmt::format("\nbelay help {} has the whole page.\n", noun);
}

Json OptionRecords(std::span<const Option> options) {
  Json records = Json::EmptyArray();
  for (const Option& option : options) {
    records.Append(
        MakeObject({{"name", option.name}, {"value", option.value}, {"help", option.help}}));
  }
  return records;
}

Json CommandRecords(const std::vector<const Command*>& commands) {
  Json records = Json::EmptyArray();
  for (const Command* command : commands) {
    records.Append(MakeObject({{"name", command->name},
                               {"summary", command->summary},
                               {"usage", UsageLine(*command)},
                               {"options", OptionRecords(command->options)}}));
  }
  return records;
}

Error UnknownTopic(std::string_view topic) {
  std::vector<std::string_view> nouns;
  for (const Command& command : Commands()) nouns.push_back(command.noun());
  return {ErrorCode::kUsage, fmt::format("there is no command {}", Quote(topic)),
          DidYouMean(topic, nouns, "belay help lists the commands")};
}

// The one that is asked about; null: all of the noun. Behind that only one of its verbs may stand.
Result<const Command*> AskedFor(const Invocation& invocation,
                                const std::vector<const Command*>& commands) {
  const Command* none = nullptr;
  if (invocation.command().name != "help") {
    return invocation.names_one() ? &invocation.command() : none;
  }
  if (invocation.operands().size() < 2) return none;
  std::string rest(FullName(invocation.operands()[0]));
  for (std::size_t i = 1; i < invocation.operands().size(); ++i) {
    rest += " " + invocation.operands()[i];
  }
  for (const Command* command : commands) {
    if (command->name == rest) return command;
  }
  return UnknownTopic(rest);
}

// "belay help config show" and "belay config show --help" are both about "config"; "belay help" and
// "belay --help" about nothing in particular.
std::string_view Topic(const Invocation& invocation) {
  if (invocation.command().name != "help") return invocation.command().noun();
  return invocation.operands().empty() ? std::string_view() : invocation.operands().front();
}

}  // namespace

Result<int> RunHelp(const Invocation& invocation, Services& services) {
  Io& io = services.io;
  const std::string_view topic = FullName(Topic(invocation));
  if (topic.empty()) {
    std::vector<const Command*> all;
    for (const Command& command : Commands()) all.push_back(&command);
    io.Show(MakeObject({{"commands", CommandRecords(all)},
                        {"common_options", OptionRecords(CommonOptions())}}),
            io.json ? "" : Overview(io.screen));
    return 0;
  }
  const std::vector<const Command*> commands = CommandsOf(topic);
  if (commands.empty()) return UnknownTopic(topic);
  BELAY_TRY_ASSIGN(const Command* one, AskedFor(invocation, commands));
  io.Show(MakeObject({{"commands", CommandRecords(commands)},
                      {"common_options", OptionRecords(CommonOptions())},
                      {"page", HelpPage(topic)}}),
          io.json          ? ""
          : one != nullptr ? PageOf(*one, io.screen)
                           : Page(topic, io.screen));
  return 0;
}

}  // namespace belay
