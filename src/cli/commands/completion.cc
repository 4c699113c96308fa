// Completion scripts for shells, made from the table of commands.

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

std::vector<Noun> Nouns() {
  std::vector<Noun> nouns;
  for (const Command& command : Commands()) {
    if (command.group.value == Group::kMachines) continue;
    if (nouns.empty() || nouns.back().name != command.noun()) {
      nouns.push_back({command.noun(), NounSummary(command)});
    }
  }
  return nouns;
}

std::vector<std::string_view> NounNames() {
  std::vector<std::string_view> names;
  for (const Noun& noun : Nouns()) names.push_back(noun.name);
  return names;
}

std::vector<std::string_view> OptionNames(std::span<const Option> options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  return names;
}

// What may follow the noun: its verbs, or the choices of its operand, or every noun for help.
std::vector<std::string_view> WordsAfter(std::string_view noun) {
  if (noun == "help") return NounNames();
  std::vector<std::string_view> words;
  for (const Command* command : CommandsOf(noun)) {
    if (command->name != noun) words.push_back(command->name.substr(noun.size() + 1));
    for (const Operand& operand : command->operands) {
      std::ranges::copy(Split(operand.choices, '|'), std::back_inserter(words));
    }
  }
  return words;
}

// The options of all its verbs, each once.
std::vector<std::string_view> OptionsOf(std::string_view noun) {
  std::vector<std::string_view> names;
  for (const Command* command : CommandsOf(noun)) {
    for (const std::string_view name : OptionNames(command->options)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// The options of all commands that take a folder, as the pattern of a case.
std::string FolderOptions() {
  std::vector<std::string_view> names;
  const auto add = [&](std::span<const Option> options) {
    for (const Option& option : options) {
      if (option.value == "DIR") names.push_back(option.name);
    }
  };
  add(CommonOptions());
  for (const Command& command : Commands()) add(command.options);
  return fmt::format("{}", fmt::join(names, "|"));
}

// The options of all commands that have a list of allowed values.
std::vector<const Option*> ChoiceOptions() {
  std::vector<const Option*> found;
  for (const Command& command : Commands()) {
    for (const Option& option : command.options) {
      if (!option.choices.empty()) found.push_back(&option);
    }
  }
  return found;
}

std::string Spaced(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// For a text between single quotes.
std::string Quoted(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

// The case lines with what each noun takes; the same in bash and zsh.
std::string NounCases(std::string_view variable) {
  std::string cases;
  for (const std::string_view noun : NounNames()) {
    std::vector<std::string_view> words = WordsAfter(noun);
    std::ranges::copy(OptionsOf(noun), std::back_inserter(words));
    cases += fmt::format("    {}) {}=\"{}\" ;;\n", noun, variable, Spaced(words));
  }
  return cases;
}

// `reply` makes the values of an option the reply; it has one {} for them.
std::string ValueCases(fmt::format_string<std::string> reply) {
  std::string cases;
  for (const Option* option : ChoiceOptions()) {
    cases += fmt::format("    {}) {}; return ;;\n", option->name,
                         fmt::format(reply, Spaced(Split(option->choices, '|'))));
  }
  return cases;
}

std::string BashCompletion() {
  return fmt::format(R"(# bash completion for belay: source <(belay completion bash)
_belay() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} noun= words= i
  case $prev in
    {}) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
{}  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      --root|--config) ((i++)) ;;
      -*) ;;
      *) noun=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  case $noun in
    '') words="{}" ;;
{}  esac
  COMPREPLY=($(compgen -W "$words {}" -- "$cur"))
}}
complete -F _belay belay
)",
                     FolderOptions(), ValueCases("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))"),
                     Spaced(NounNames()), NounCases("words"), Spaced(OptionNames(CommonOptions())));
}

std::string ZshCompletion() {
  std::string described;
  for (const Noun& noun : Nouns()) {
    described += fmt::format("    '{}:{}'\n", noun.name, Quoted(noun.summary));
  }
  return fmt::format(R"(#compdef belay
# zsh completion for belay: source <(belay completion zsh)
_belay() {{
  local noun= list= i
  local -a commands
  commands=(
{}  )
  case ${{words[CURRENT-1]}} in
    {}) _files -/; return ;;
    --config) _files; return ;;
{}  esac
  for ((i = 2; i < CURRENT; i++)); do
    case ${{words[i]}} in
      --root|--config) ((i++)) ;;
      -*) ;;
      *) noun=${{words[i]}}; break ;;
    esac
  done
  case $noun in
    '') _describe command commands ;;
{}  esac
  compadd -- ${{=list}} {}
}}
# Loaded from fpath it is called at once; sourced it only registers itself.
if [[ $funcstack[1] == _belay ]]; then _belay "$@"; else compdef _belay belay; fi
)",
                     described, FolderOptions(), ValueCases("compadd -- {}"),
                     // Not `words`: zsh keeps the command line itself in that.
                     NounCases("list"), Spaced(OptionNames(CommonOptions())));
}

std::string FishCompletion() {
  std::string script = "# fish completion for belay: belay completion fish | source\n";
  script += "complete -c belay -f\n";
  for (const Noun& noun : Nouns()) {
    script += fmt::format("complete -c belay -n __fish_use_subcommand -a {} -d '{}'\n", noun.name,
                          Quoted(noun.summary));
    const std::string seen = fmt::format("'__fish_seen_subcommand_from {}'", noun.name);
    if (const auto words = WordsAfter(noun.name); !words.empty()) {
      script += fmt::format("complete -c belay -n {} -a '{}'\n", seen, Spaced(words));
    }
    for (const Command* command : CommandsOf(noun.name)) {
      for (const Option& option : command->options) {
        const std::string value =
            option.value == "DIR"    ? " -rF"
            : option.choices.empty() ? ""
                                     : fmt::format(" -xa '{}'", Spaced(Split(option.choices, '|')));
        script += fmt::format("complete -c belay -n {} -l {}{} -d '{}'\n", seen,
                              option.name.substr(2), value, Quoted(option.help));
      }
    }
  }
  for (const Option& option : CommonOptions()) {
    const std::string value = option.value.empty() ? "" : " -rF";
    script += fmt::format("complete -c belay -l {}{} -d '{}'\n", option.name.substr(2), value,
                          Quoted(option.help));
  }
  return script;
}

}  // namespace

Result<int> RunCompletion(const Invocation& invocation, Services& services) {
  const std::string& shell = invocation.operands().front();
  const std::string script = shell == "bash"  ? BashCompletion()
                             : shell == "zsh" ? ZshCompletion()
                                              : FishCompletion();
  services.io.Show(MakeObject({{"shell", shell}, {"script", script}}), script);
  return 0;
}

}  // namespace belay
