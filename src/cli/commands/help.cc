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

constexpr std::string_view kIntroduction = R"(belay keeps the work of AI coding agents safe.

First steps:  belay init
              belay guard                          # in its own terminal
              belay spawn --name NAME -- COMMAND   # COMMAND starts the agent

)";

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

std::string_view Title(Group group) {
  switch (group) {
    case Group::kStart:
      return "start";
    case Group::kWatch:
      return "watch";
    case Group::kKeep:
      return "keep";
    case Group::kWork:
      return "work";
    case Group::kLand:
      return "land";
    case Group::kRepair:
      return "repair";
    case Group::kAbout:
      return "about";
    case Group::kMachines:
      return "machines";
  }
  return {};
}

// "Print the settings: show, check"
std::string SummaryWithVerbs(const Command& first) {
  const std::string_view noun = first.noun();
  std::string text(NounSummary(first));
  if (first.name == noun) return text;
  std::string_view separator = ": ";
  for (const Command* command : CommandsOf(noun)) {
    text += fmt::format("{}{}", separator, command->name.substr(noun.size() + 1));
    separator = ", ";
  }
  return text;
}

// One row per noun; the first of each group shows the group's name.
Table CommandTable() {
  Table table{.columns = {{.title = ""},
                          {.title = "command"},
                          {.title = "what it does", .fit = Fit::kWrap, .min_width = 20}}};
  const Command* before = nullptr;
  for (const Command& command : Commands()) {
    const bool same_noun = before != nullptr && before->noun() == command.noun();
    const bool same_group = before != nullptr && before->group.value == command.group.value;
    before = &command;
    if (same_noun || command.group.value == Group::kMachines) continue;
    table.rows.push_back({{std::string(same_group ? "" : Title(command.group.value)), Tone::kBold},
                          {std::string(command.noun()), Tone::kAccent},
                          {SummaryWithVerbs(command)}});
  }
  return table;
}

std::string Overview(const Screen& screen) {
  std::vector<std::string_view> machines;
  for (const Command& command : Commands()) {
    if (command.group.value == Group::kMachines) machines.push_back(command.name);
  }
  return std::string(kIntroduction) + Render(CommandTable(), {screen.columns, screen.style}) +
         RenderOptionsTable("common options", CommonOptions(), screen) +
         fmt::format("\nFor programs, not people: {}.\n", fmt::join(machines, ", ")) +
         "belay help COMMAND explains one command.\n";
}

// The paragraphs of a page that name one of its verbs in code.
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

// The title, the usage lines, the text, then the options from the table.
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
    page +=
        RenderOptionsTable(fmt::format("options of {}", command->name), command->options, screen);
  }
  return page + RenderOptionsTable("common options", CommonOptions(), screen);
}

std::string Page(std::string_view noun, const Screen& screen) {
  const std::string_view page = HelpPage(noun);
  const std::size_t title_end = page.find('\n');
  return Compose(page.substr(0, title_end), page.substr(title_end), CommandsOf(noun), screen);
}

// The help of one verb; the whole page if no paragraph is about it.
std::string PageOf(const Command& command, const Screen& screen) {
  const std::string_view noun = command.noun();
  if (command.name == noun) return Page(noun, screen);
  const std::string part = PartAbout(HelpPage(noun), command.name.substr(noun.size() + 1));
  if (part.empty()) return Page(noun, screen);
  return Compose(fmt::format("# belay {}", command.name),
                 fmt::format("\n{}.\n{}", command.summary, part), {&command}, screen) +
         fmt::format("\nbelay help {} shows the full page.\n", noun);
}

Json OptionRecords(std::span<const Option> options) {
  return MakeArray(options, [](const Option& option) {
    return MakeObject({{"name", option.name}, {"value", option.value}, {"help", option.help}});
  });
}

Json CommandRecords(const std::vector<const Command*>& commands) {
  return MakeArray(commands, [](const Command* command) {
    return MakeObject({{"name", command->name},
                       {"summary", command->summary},
                       {"usage", UsageLine(*command)},
                       {"options", OptionRecords(command->options)}});
  });
}

Error UnknownTopic(std::string_view topic) {
  std::vector<std::string_view> nouns;
  for (const Command& command : Commands()) nouns.push_back(command.noun());
  return {ErrorCode::kUsage, fmt::format("unknown command {}", Quote(topic)),
          DidYouMean(topic, nouns, "belay help lists the commands")};
}

// The command asked about; null means all of the noun. Only one of its verbs may follow the noun.
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

// "config" for "belay help config show" and "belay config show --help"; empty for "belay help" and
// "belay --help".
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
