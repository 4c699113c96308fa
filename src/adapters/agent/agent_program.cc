#include "adapters/agent/agent_program.h"

#include <algorithm>
#include <iterator>

#include "base/path.h"
#include "base/text.h"
#include "os/this_process.h"

namespace belay {
namespace {

// A program that starts another one. Options are separated by spaces; one that ends with "=" takes
// a value: the next word, or after "=" for a long option, or in the same word for a short one.
struct Starter {
  std::string_view name;
  std::string_view options;
  std::size_t operands = 0;  // before the command, such as the duration of timeout
  bool variables = false;    // NAME=VALUE may precede the command
  bool numbers = false;      // -5 is an option
  bool any_long = false;     // a long option that isn't listed takes no word
};

constexpr Starter kStarters[] = {
    {.name = "env",
     .options = "- -i --ignore-environment -u= --unset= -C= --chdir= -v --debug --block-signal "
                "--default-signal --ignore-signal --list-signal-handling",
     .variables = true},
    {.name = "nice", .options = "-n= --adjustment=", .numbers = true},
    {.name = "nohup", .options = ""},
    {.name = "timeout",
     .options = "-k= --kill-after= -s= --signal= --preserve-status --foreground -v --verbose",
     .operands = 1},
    {.name = "stdbuf", .options = "-i= --input= -o= --output= -e= --error="},
    {.name = "setsid", .options = "-c --ctty -f --fork -w --wait"},
    {.name = "time",
     .options = "-a --append -f= --format= -o= --output= -p --portability -q --quiet -v --verbose"},
    {.name = "ionice", .options = "-c= --class= -n= --classdata= -t --ignore"},
    {.name = "chrt",
     .options = "-b --batch -d --deadline -f --fifo -i --idle -o --other -r --rr -R "
                "--reset-on-fork -v --verbose",
     .operands = 1},
    {.name = "taskset", .options = "-a --all-tasks -c --cpu-list", .operands = 1},
    {.name = "exec", .options = "-a= -c -l"},
    {.name = "command", .options = "-p"},
    {.name = "npx",
     .options = "-y --yes -q --quiet -s --silent --no --no-install --prefer-offline "
                "--prefer-online --offline --ignore-existing -p= --package= --registry= --cache="},
    {.name = "bunx", .options = "--bun --no-install --verbose --silent -p= --package="},
    {.name = "node",
     .options = "-r= --require= --import= --loader= --experimental-loader= -C= --conditions= "
                "--title=",
     .any_long = true},
    {.name = "bun", .options = "run --bun --smol -b --silent"},
};

// With these options node runs no script.
constexpr std::string_view kNoScript[] = {"--eval", "--print",      "--check",
                                          "--test", "--watch-path", "--run"};

const Starter* FindStarter(std::string_view word) {
  const auto* found = std::ranges::find(kStarters, FileName(word), &Starter::name);
  return found == std::end(kStarters) ? nullptr : found;
}

enum class Takes { kUnknown, kNothing, kNextWord };

// "-n=" in the list: the option "-n" takes a value.
Takes TakesIn(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(' '), options.size());
    std::string_view one = options.substr(0, end);
    options.remove_prefix(std::min(end + 1, options.size()));
    const bool value = one.ends_with('=');
    if (value) one.remove_suffix(1);
    if (one == option) return value ? Takes::kNextWord : Takes::kNothing;
  }
  return Takes::kUnknown;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

Takes TakesOf(const Starter& starter, std::string_view word) {
  const Takes whole = TakesIn(starter.options, word);
  if (whole != Takes::kUnknown) return whole;
  const bool long_one = word.starts_with("--");
  if (starter.numbers && IsNumber(word.substr(long_one ? 2 : 1))) return Takes::kNothing;
  if (long_one) {
    const std::string_view name = word.substr(0, word.find('='));
    const bool value = name.size() < word.size();
    if (value && TakesIn(starter.options, name) != Takes::kUnknown) return Takes::kNothing;
    const bool no_script = std::ranges::find(kNoScript, name) != std::end(kNoScript);
    return starter.any_long && !no_script ? Takes::kNothing : Takes::kUnknown;
  }
  // "-oL": the value in the same word.
  const bool joined =
      word.size() > 2 && TakesIn(starter.options, word.substr(0, 2)) == Takes::kNextWord;
  return joined ? Takes::kNothing : Takes::kUnknown;
}

bool IsVariable(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != word.npos && equals > 0 && !word.starts_with('-');
}

// Where the started command begins; nullopt when uncertain.
std::optional<std::size_t> CommandOf(const Starter& starter, std::span<const std::string> words,
                                     std::size_t at) {
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    const bool option = word.starts_with('-') && (word.size() > 1 || starter.variables);
    if (!option && TakesIn(starter.options, word) == Takes::kUnknown) break;
    const Takes takes = TakesOf(starter, word);
    if (takes == Takes::kUnknown) return std::nullopt;
    if (takes == Takes::kNextWord) ++at;
  }
  while (starter.variables && at < words.size() && IsVariable(words[at])) ++at;
  return at + starter.operands;
}

bool IsShell(std::string_view word) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh"};
  return std::ranges::find(kShells, FileName(word)) != std::end(kShells);
}

// "-c", "-lc", "-ec".
bool IsCommandOption(std::string_view word) {
  return word.starts_with('-') && word.ends_with('c') &&
         word.find_first_not_of("leux", 1) == word.size() - 1;
}

// Characters that a shell leaves alone outside of quotes.
bool IsPlain(char c) {
  constexpr std::string_view kPlain = "_./:=@%+,-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != kPlain.npos || static_cast<unsigned char>(c) >= 0x80;
}

// Reads one word at `at`, and moves `at` past it.
std::optional<std::string> ReadPlainWord(std::string_view line, std::size_t& at) {
  std::string word;
  while (at < line.size() && line[at] != ' ' && line[at] != '\t') {
    const char c = line[at++];
    if (c != '\'' && c != '"') {
      if (!IsPlain(c)) return std::nullopt;
      word += c;
      continue;
    }
    const std::size_t end = line.find(c, at);
    if (end == line.npos) return std::nullopt;
    const std::string_view quoted = line.substr(at, end - at);
    if (c == '"' && quoted.find_first_of("$`\\!") != quoted.npos) return std::nullopt;
    word += quoted;
    at = end + 1;
  }
  return word;
}

std::optional<std::vector<std::string>> ReadPlainLine(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0;;) {
    at = std::min(line.find_first_not_of(" \t", at), line.size());
    if (at == line.size()) break;
    std::optional<std::string> word = ReadPlainWord(line, at);
    if (!word) return std::nullopt;
    words.push_back(*std::move(word));
  }
  // A variable before the command can't be written back as a quoted word.
  if (words.empty() || IsVariable(words.front())) return std::nullopt;
  return words;
}

struct FolderSwitch {
  std::string folder;
  std::size_t end;  // where the command after it begins
};

// "cd FOLDER && ".
std::optional<FolderSwitch> ReadFolderSwitch(std::string_view line) {
  const auto skip = [&](std::size_t at) {
    return std::min(line.find_first_not_of(" \t", at), line.size());
  };
  std::size_t at = skip(0);
  if (ReadPlainWord(line, at) != "cd") return std::nullopt;
  at = skip(at);
  std::optional<std::string> folder = ReadPlainWord(line, at);
  at = skip(at);
  const bool plain = folder && !folder->empty() && !folder->starts_with('-');
  if (!plain || !line.substr(at).starts_with("&&")) return std::nullopt;
  return FolderSwitch{*std::move(folder), skip(at + 2)};
}

}  // namespace

bool IsPackage(std::string_view word, std::string_view package) {
  if (!word.starts_with(package)) return false;
  word.remove_prefix(package.size());
  return word.empty() || word.starts_with('@');
}

std::optional<std::size_t> FindProgramWord(
    std::span<const std::string> words, const std::function<bool(std::string_view)>& is_program) {
  for (std::size_t at = 0; at < words.size();) {
    if (is_program(words[at])) return at;
    const Starter* starter = FindStarter(words[at]);
    if (starter == nullptr) return std::nullopt;
    const std::optional<std::size_t> next = CommandOf(*starter, words, at + 1);
    if (!next) return std::nullopt;
    at = *next;
  }
  return std::nullopt;
}

std::optional<ShellInvocation> ReadShellInvocation(std::span<const std::string> words) {
  if (words.size() < 3 || !IsShell(words[0])) return std::nullopt;
  std::size_t at = 1;
  if (words.size() == 4 && words[at] == "-l") ++at;
  if (at + 2 != words.size() || !IsCommandOption(words[at])) return std::nullopt;
  const std::string_view line = words.back();
  const std::optional<FolderSwitch> change = ReadFolderSwitch(line);
  const std::size_t begin = change ? change->end : 0;
  std::optional<std::vector<std::string>> command = ReadPlainLine(line.substr(begin));
  if (!command) return std::nullopt;
  return ShellInvocation{.shell = {words.begin(), words.end() - 1},
                         .words = *std::move(command),
                         .before = std::string(line.substr(0, begin)),
                         .folder = change ? change->folder : std::string()};
}

std::string WorkFolderOf(std::span<const std::string> words, const std::string& folder) {
  const std::optional<ShellInvocation> shell = ReadShellInvocation(words);
  return shell && !shell->folder.empty() ? JoinPath(folder, shell->folder) : folder;
}

std::string ShellLineOf(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += !word.empty() && std::ranges::all_of(word, IsPlain) ? word : ShellQuoted(word);
  }
  return line;
}

bool RunsInsideAnother(std::span<const AncestorId> above, const AncestorId& program) {
  const std::string belay = ProgramFileOf(static_cast<pid_t>(ThisProcess()));
  const std::string its = ProgramFileOf(program.pid);
  auto outer = std::ranges::find(above, program);
  if (its.empty() || outer == above.end()) return false;
  while (++outer != above.end()) {
    const std::string file = ProgramFileOf(outer->pid);
    if (file == belay) return false;
    if (file == its) return true;
  }
  return false;
}

}  // namespace belay
