#include "engine/events/shell_line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/is_in.h"
#include "engine/events/command_prefix.h"

namespace belay {
namespace {

using After = ShellCommand::After;

constexpr std::size_t kMostCommands = 100;

constexpr std::string_view kKeywords[] = {"if",   "then",     "else",  "elif", "fi",
                                          "for",  "while",    "case",  "esac", "do",
                                          "done", "function", "until", "{",    "}"};
// They only prepare what follows.
constexpr std::string_view kPreparations[] = {"cd",    "export", "source", ".",     "set",
                                              "pushd", "popd",   "echo",   "mkdir", "true"};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

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
    if (IsBlank(c)) {
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

  // What it gives isn't known; what it runs doesn't decide the exit code.
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

  // With its target; the number in front of it is no word.
  void Redirection() {
    const bool number = word_ && word_->find_first_not_of("0123456789") == std::string::npos;
    if (number) word_.reset();
    EndWord();
    const std::size_t start = at_;
    const bool document = Peek() == '<' && Peek(1) == '<' && Peek(2) != '<';
    while (Peek() == '<' || Peek() == '>' || Peek() == '&' || (document && Peek() == '-')) ++at_;
    const std::string_view sign = text_.substr(start, at_ - start);
    if (sign == ">" && Peek() == '|') ++at_;
    while (IsBlank(Peek())) ++at_;
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
      const bool ends = IsBlank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' ||
                        c == ')' || c == '<' || c == '>';
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

  // `next` stands between this command and the one that follows.
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
  // An earlier || may have passed it over; behind it only what runs after a success.
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

}  // namespace belay
