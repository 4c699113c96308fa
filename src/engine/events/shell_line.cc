#include "engine/events/shell_line.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace belay {
namespace {

using After = ShellCommand::After;

constexpr std::size_t kMostCommands = 100;

constexpr std::string_view kKeywords[] = {"if",   "then",     "else",  "elif", "fi",
                                          "for",  "while",    "case",  "esac", "do",
                                          "done", "function", "until", "{",    "}"};
// These only prepare what follows.
constexpr std::string_view kPreparations[] = {"cd",    "export", "source", ".",     "set",
                                              "pushd", "popd",   "echo",   "mkdir", "true"};

bool IsShellBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// 2>&1 and >&-
bool IsDescriptor(std::string_view target) {
  return target == "-" || target.find_first_not_of("0123456789") == std::string_view::npos;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ShellLine Parse() {
    while (at_ < text_.size() && line_.commands.size() < kMostCommands) Step();
    EndCommand(After::kNothing);
    if (at_ < text_.size()) line_.plain = false;
    return std::move(line_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Step() {
    const char c = Peek();
    if (IsShellBlank(c)) {
      EndWord();
      ++at_;
    } else if (c == '\\') {
      Escape();
    } else if (c == '\'' || c == '"') {
      Quoted(c);
    } else if (c == '`' || (c == '$' && Peek(1) == '(')) {
      Substitution();
    } else if (c == '#' && !word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '>' || c == '<' || (c == '&' && Peek(1) == '>')) {
      Redirection();
    } else if (c == ';' || c == '\n' || c == '&' || c == '|') {
      Connector(c);
    } else if (c == '(' || c == ')') {
      line_.plain = false;
      EndWord();
      ++at_;
    } else {
      Add(c);
      ++at_;
    }
  }

  void Add(char c) {
    if (!word_) word_.emplace();
    *word_ += c;
  }

  void Escape() {
    if (Peek(1) == '\n') {
      at_ += 2;
      return;
    }
    if (at_ + 1 < text_.size()) Add(Peek(1));
    at_ += 2;
  }

  void Quoted(char quote) {
    if (!word_) word_.emplace();
    ++at_;
    while (at_ < text_.size() && Peek() != quote) {
      if (quote == '"' && Peek() == '\\') ++at_;
      if (at_ < text_.size()) Add(text_[at_++]);
    }
    ++at_;
  }

  // Its result is unknown; the commands in it don't decide the exit code.
  void Substitution() {
    if (!word_) word_.emplace();
    if (Peek() == '`') {
      const std::size_t end = text_.find('`', at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
      return;
    }
    int depth = 0;
    for (++at_; at_ < text_.size(); ++at_) {
      if (Peek() == '(') ++depth;
      if (Peek() == ')' && --depth == 0) break;
    }
    ++at_;
  }

  // Including its target; a number before it is no word.
  void Redirection() {
    const bool number = word_ && word_->find_first_not_of("0123456789") == std::string::npos;
    if (number) word_.reset();
    EndWord();
    const std::size_t start = at_;
    const bool document = Peek() == '<' && Peek(1) == '<' && Peek(2) != '<';
    while (Peek() == '<' || Peek() == '>' || Peek() == '&' || (document && Peek() == '-')) ++at_;
    const std::string_view sign = text_.substr(start, at_ - start);
    if (sign == ">" && Peek() == '|') ++at_;
    while (IsShellBlank(Peek())) ++at_;
    const std::optional<std::string> target = Target();
    if (!target) return;
    if (document) documents_.push_back(*target);
    const bool copies = sign == ">&" && IsDescriptor(*target);
    const bool out = sign.find('>') != std::string_view::npos && !sign.starts_with('<');
    if (out && !copies && !target->starts_with("/dev/")) line_.writes = true;
  }

  std::optional<std::string> Target() {
    while (at_ < text_.size()) {
      const char c = Peek();
      const bool ends = IsShellBlank(c) || c == '\n' || c == ';' || c == '&' || c == '|' ||
                        c == '(' || c == ')' || c == '<' || c == '>';
      if (ends) break;
      Step();
    }
    return std::exchange(word_, std::nullopt);
  }

  void Connector(char c) {
    const bool twice = Peek(1) == c && (c == '&' || c == '|');
    at_ += twice ? 2 : 1;
    if (c == '|' && !twice && Peek() == '&') ++at_;
    switch (c) {
      case '&':
        return EndCommand(twice ? After::kAnd : After::kBackground);
      case '|':
        return EndCommand(twice ? After::kOr : After::kPipe);
      case '\n':
        EndCommand(After::kSemicolon);
        return SkipDocuments();
      default:
        return EndCommand(After::kSemicolon);
    }
  }

  void SkipDocuments() {
    for (const std::string& end : std::exchange(documents_, {})) {
      while (at_ < text_.size()) {
        const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, stop - at_);
        at_ = std::min(stop + 1, text_.size());
        while (line.starts_with('\t')) line.remove_prefix(1);
        if (line == end) break;
      }
    }
  }

  void EndWord() {
    if (!word_) return;
    std::string word = *std::exchange(word_, std::nullopt);
    const bool keyword = IsIn(kKeywords, word);
    if (command_.words.empty() && (keyword || word == "!")) {
      line_.plain = false;
      return;
    }
    command_.words.push_back(std::move(word));
  }

  // `next` is the operator between this command and the following one.
  void EndCommand(After next) {
    EndWord();
    const auto before = static_cast<std::ptrdiff_t>(WordsBeforeCommand(command_.words));
    command_.words.erase(command_.words.begin(), command_.words.begin() + before);
    const bool empty = command_.words.empty();
    if (!empty) line_.commands.push_back(std::move(command_));
    const After kept = empty && next == After::kSemicolon ? command_.after : next;
    command_ = {.words = {}, .after = kept};
    if (next == After::kBackground) line_.plain = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  ShellCommand command_;
  std::vector<std::string> documents_;
  ShellLine line_;
};

}  // namespace

bool ShellLine::SuccessIsOf(std::size_t command) const {
  if (!plain || command >= commands.size()) return false;
  // An earlier || may have skipped it; after it only commands that run on success.
  for (std::size_t i = 1; i <= command; ++i) {
    if (commands[i].after == After::kOr) return false;
  }
  for (std::size_t i = command + 1; i < commands.size(); ++i) {
    if (commands[i].after != After::kAnd) return false;
  }
  return true;
}

bool ShellLine::FailureIsOf(std::size_t command) const {
  if (!SuccessIsOf(command) || command + 1 != commands.size()) return false;
  for (std::size_t i = 0; i < command; ++i) {
    const bool decides = commands[i + 1].after == After::kAnd;
    if (decides && !IsIn(kPreparations, commands[i].words.front())) return false;
  }
  return true;
}

ShellLine ParseShellLine(std::string_view text) { return Parser(text).Parse(); }

namespace {

struct Prefix {
  std::string_view program;
  std::string_view with_value;  // options whose value is the next word, separated by |
  std::size_t words = 0;        // its own, after its options
};
constexpr Prefix kPrefixes[] = {
    {"builtin", ""},
    {"chronic", ""},
    {"command", ""},
    {"env", "-u|--unset|-C|--chdir"},
    {"exec", "-a"},
    {"ionice", "-c|-n|--class|--classdata"},
    {"nice", "-n|--adjustment"},
    {"nohup", ""},
    {"setsid", ""},
    {"stdbuf", "-i|-o|-e|--input|--output|--error"},
    {"sudo", "-u|-g|-h|-p|-C|-D|-R|-T|-r|-t|--user|--group|--chdir"},
    {"time", "-f|-o|--format|--output"},
    {"timeout", "-k|-s|--kill-after|--signal", 1},
    {"unbuffer", ""},
    {"xargs", "-a|-d|-E|-I|-L|-n|-P|-s|--max-args|--max-procs|--delimiter|--arg-file"},
    {"xvfb-run", "-e|-f|-n|-p|-s|-w|--error-file|--auth-file|--server-num|--server-args|--wait"},
};

// NAME=value, as it may precede a command.
bool IsAssignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

// `command -v x` and `sudo -l` run nothing.
bool OnlyAsks(std::string_view program, std::string_view option) {
  return (program == "command" && (option == "-v" || option == "-V")) ||
         (program == "sudo" && (option == "-l" || option == "-v"));
}

// The number of words in the prefix at the front of `words`; 0 if there is none.
std::size_t WordsOfPrefix(std::span<const std::string> words) {
  const std::string_view name = std::string_view(words[0]).substr(words[0].rfind('/') + 1);
  const auto prefix = std::ranges::find(kPrefixes, name, &Prefix::program);
  if (prefix == std::end(kPrefixes)) return 0;
  const std::vector<std::string_view> with_value = Split(prefix->with_value, '|');
  std::size_t at = 1;
  while (at < words.size() && words[at].size() > 1 && words[at].starts_with('-')) {
    if (OnlyAsks(name, words[at])) return 0;
    const bool last = words[at] == "--";
    at += IsIn(with_value, words[at]) ? 2 : 1;
    if (last) break;
  }
  return std::min(at + prefix->words, words.size());
}

}  // namespace

std::size_t WordsBeforeCommand(std::span<const std::string> words) {
  std::size_t before = 0;
  while (before < words.size()) {
    const std::size_t more = IsAssignment(words[before]) ? 1 : WordsOfPrefix(words.subspan(before));
    if (more == 0) break;
    before += more;
  }
  return before;
}

}  // namespace belay
