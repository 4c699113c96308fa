#include "cli/invocation.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

Error Usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

std::string Listed(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

// Goes through the words once. Before the command only common options are known, so the command is
// found first and the options are read with its table.
class InvocationParser {
 public:
  InvocationParser(std::span<const Command> commands, std::span<const std::string_view> words)
      : commands_(commands), words_(words) {}

  Result<Invocation> Parse() {
    BELAY_TRY(FindCommand());
    for (std::size_t i = 0; i < words_.size(); ++i) BELAY_TRY(Word(i));
    if (result_.Has("--help")) return std::move(result_);
    BELAY_TRY(CheckOperands());
    BELAY_TRY(CheckExclusions());
    return std::move(result_);
  }

 private:
  static bool IsOption(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

  // Index of the first word at or after `from` that is neither a common option nor its value.
  std::size_t NextPlain(std::size_t from) const {
    for (std::size_t i = from; i < words_.size(); ++i) {
      if (!IsOption(words_[i])) return i;
      const Option* option = Find(CommonOptions(), words_[i].substr(0, words_[i].find('=')));
      const bool takes_next =
          option != nullptr && !option->value.empty() && words_[i].find('=') == std::string::npos;
      if (takes_next) ++i;
    }
    return words_.size();
  }

  const Command* Named(std::string_view name) const {
    const auto at = std::find_if(commands_.begin(), commands_.end(),
                                 [&](const Command& command) { return command.name == name; });
    return at == commands_.end() ? nullptr : &*at;
  }

  // The verbs of a noun that has them.
  std::vector<std::string_view> Verbs(std::string_view noun) const {
    std::vector<std::string_view> verbs;
    for (const Command& command : commands_) {
      if (command.noun() == noun && command.name != noun) {
        verbs.push_back(command.name.substr(noun.size() + 1));
      }
    }
    return verbs;
  }

  Result<void> FindCommand() {
    noun_at_ = NextPlain(0);
    if (noun_at_ == words_.size()) return Choose("help");
    const std::string_view noun = FullName(words_[noun_at_]);
    const bool one_word = noun.find(' ') == std::string_view::npos;
    if (one_word && Named(noun) != nullptr) return Choose(noun);
    const std::vector<std::string_view> verbs = Verbs(noun);
    if (verbs.empty()) return UnknownCommand(noun);
    verb_at_ = NextPlain(noun_at_ + 1);
    if (verb_at_ == words_.size()) {
      // "belay config --help" asks about all of its verbs.
      result_.names_one_ = false;
      if (AsksForHelp()) return Choose(fmt::format("{} {}", noun, verbs[0]));
      return Usage(fmt::format("{} needs a subcommand", noun),
                   fmt::format("belay {} {}", noun, fmt::join(verbs, "|")));
    }
    const std::string_view verb = words_[verb_at_];
    if (std::find(verbs.begin(), verbs.end(), verb) == verbs.end()) {
      return Usage(fmt::format("{} has no subcommand {}", noun, Quote(verb)),
                   DidYouMean(verb, verbs, fmt::format("its subcommands are {}", Listed(verbs))));
    }
    return Choose(fmt::format("{} {}", noun, verb));
  }

  bool AsksForHelp() const {
    return std::any_of(words_.begin(), words_.end(),
                       [](std::string_view word) { return word == "--help" || word == "-h"; });
  }

  Result<void> Choose(std::string_view name) {
    result_.command_ = Named(name);
    return {};
  }

  Error UnknownCommand(std::string_view typed) const {
    std::vector<std::string_view> nouns;
    for (const Command& command : commands_) nouns.push_back(command.noun());
    return Usage(fmt::format("unknown command {}", Quote(typed)),
                 DidYouMean(typed, nouns, "belay help lists the commands"));
  }

  static const Option* Find(std::span<const Option> options, std::string_view name) {
    for (const Option& option : options) {
      const bool short_form = name.size() == 2 && name[0] == '-' && option.letter == name[1];
      if (option.name == name || short_form) return &option;
    }
    return nullptr;
  }

  Result<const Option*> FindOption(std::string_view name) const {
    const Command& command = *result_.command_;
    if (const Option* own = Find(command.options, name)) return own;
    if (const Option* common = Find(CommonOptions(), name)) return common;
    // No option contains a space.
    if (name.find(' ') != std::string_view::npos) {
      return Usage(fmt::format("{} has no option {}", command.name, Quote(name)),
                   "write -- before a text that begins with a dash");
    }
    std::vector<std::string_view> known;
    for (const Option& option : command.options) known.push_back(option.name);
    for (const Option& option : CommonOptions()) known.push_back(option.name);
    const bool foreign =
        std::ranges::any_of(command.operands, [](const Operand& one) { return one.foreign; });
    const std::string hint = foreign ? "write -- before another program's command line"
                                     : fmt::format("belay {} --help lists them", command.name);
    return Usage(fmt::format("{} has no option {}", command.name, Quote(name)),
                 DidYouMean(name, known, hint));
  }

  // Reads words_[i]; moves i past a value in the next word.
  Result<void> Word(std::size_t& i) {
    if (!options_ended_ && words_[i] == "--") {
      options_ended_ = true;
      return {};
    }
    if (!options_ended_ && IsOption(words_[i])) return OptionWord(i);
    if (i != noun_at_ && i != verb_at_) result_.operands_.emplace_back(words_[i]);
    return {};
  }

  Result<void> OptionWord(std::size_t& i) {
    const std::size_t equals = words_[i].find('=');
    const bool joined = equals != std::string_view::npos;
    BELAY_TRY_ASSIGN(const Option* option, FindOption(words_[i].substr(0, equals)));
    if (option->value.empty()) {
      if (joined) return Usage(fmt::format("{} takes no value", option->name), "remove the value");
      result_.options_.emplace(option->name, "");
      return {};
    }
    const bool missing = !joined && (i + 1 == words_.size() || IsOption(words_[i + 1]));
    if (missing) return MissingValue(*option);
    return SetValue(*option, joined ? words_[i].substr(equals + 1) : words_[++i]);
  }

  static Error MissingValue(const Option& option) {
    return Usage(fmt::format("{} needs a value", option.name),
                 fmt::format("write {} {}", option.name, option.value));
  }

  Result<void> SetValue(const Option& option, std::string_view value) {
    if (value.empty()) return MissingValue(option);
    BELAY_TRY(CheckChoice(option.name, option.choices, value));
    if (option.repeated) result_.repeated_[std::string(option.name)].emplace_back(value);
    const auto [at, fresh] = result_.options_.emplace(option.name, value);
    if (option.repeated) return {};
    if (!fresh && at->second != value) {
      return Usage(fmt::format("{} was given twice, as {} and {}", option.name, Quote(at->second),
                               Quote(value)),
                   "use only one");
    }
    return {};
  }

  static Result<void> CheckChoice(std::string_view what, std::string_view choices,
                                  std::string_view value) {
    if (choices.empty()) return {};
    const std::vector<std::string_view> allowed = Split(choices, '|');
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return {};
    return Usage(fmt::format("{} can't be {}", what, Quote(value)),
                 DidYouMean(value, allowed, fmt::format("use one of {}", Listed(allowed))));
  }

  Result<void> CheckOperands() {
    const Command& command = *result_.command_;
    std::size_t given = 0;
    for (const Operand& operand : command.operands) {
      const bool there = given < result_.operands_.size();
      if (!there && operand.required) {
        return Usage(fmt::format("{} needs {}", command.name, operand.name), HowTo(operand));
      }
      for (; given < result_.operands_.size(); ++given) {
        BELAY_TRY(CheckChoice(operand.name, operand.choices, result_.operands_[given]));
        if (!operand.repeated) {
          ++given;
          break;
        }
      }
    }
    if (given < result_.operands_.size()) {
      return Usage(fmt::format("{} doesn't take the argument {}", command.name,
                               Quote(result_.operands_[given])),
                   fmt::format("belay {} --help shows what it takes", command.name));
    }
    return {};
  }

  std::string HowTo(const Operand& operand) const {
    const Command& command = *result_.command_;
    if (operand.choices.empty()) return fmt::format("belay {} --help shows how", command.name);
    std::string line = fmt::format("belay {}", command.name);
    for (const Operand& one : command.operands) {
      line += fmt::format(" {}", one.choices.empty() ? one.name : one.choices);
      if (&one == &operand) break;
    }
    return line;
  }

  Result<void> CheckExclusions() const {
    for (const Option& option : result_.command_->options) {
      if (!option.excludes.empty() && result_.Has(option.name) && result_.Has(option.excludes)) {
        return Usage(fmt::format("{} and {} can't be combined", option.name, option.excludes),
                     "use only one");
      }
    }
    return {};
  }

  std::span<const Command> commands_;
  std::span<const std::string_view> words_;
  std::size_t noun_at_ = std::string_view::npos;
  std::size_t verb_at_ = std::string_view::npos;
  bool options_ended_ = false;
  Invocation result_;
};

Result<Invocation> Invocation::Parse(std::span<const Command> commands,
                                     std::span<const std::string_view> arguments) {
  return InvocationParser(commands, arguments).Parse();
}

std::vector<std::string> Invocation::Values(std::string_view option) const {
  const auto at = repeated_.find(option);
  return at == repeated_.end() ? std::vector<std::string>() : at->second;
}

std::optional<std::string> Invocation::Value(std::string_view option) const {
  const auto at = options_.find(option);
  if (at == options_.end()) return std::nullopt;
  return at->second;
}

bool AsksForJson(std::span<const std::string_view> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--json") return true;
  }
  return false;
}

}  // namespace belay
