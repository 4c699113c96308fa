#include "adapters/claude/hook_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "codec/shell_quote.h"

namespace belay {
namespace {

constexpr std::string_view kBlank = " \t";
// Unquoted, they end the word or make it something else; in a word of ours they stand in quotes.
constexpr std::string_view kSpecial = "`;|&<>()*?[#~=%!{}\n\r";

// The first word, taken apart as a shell does it.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  // The bytes of the word; nothing when it is none that names one file.
  std::optional<std::size_t> Read() {
    while (at_ < text_.size() && kBlank.find(text_[at_]) == std::string_view::npos) {
      if (!Piece()) return std::nullopt;
    }
    return at_;
  }

  std::string value;
  bool expands = false;  // holds a variable

 private:
  bool Piece() {
    const char c = text_[at_++];
    if (c == '\'') return SingleQuoted();
    if (c == '"') return DoubleQuoted();
    if (c == '\\') {
      if (at_ == text_.size() || text_[at_] == '\n') return false;
      value += text_[at_++];
      return true;
    }
    if (kSpecial.find(c) != std::string_view::npos) return false;
    return Plain(c);
  }

  bool Plain(char c) {
    if (c == '$' && text_.substr(at_).starts_with('(')) return false;
    expands = expands || c == '$';
    value += c;
    return true;
  }

  bool SingleQuoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return false;
    value += text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

  bool DoubleQuoted() {
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '`') return false;
      const bool escapes = c == '\\' && at_ < text_.size() &&
                           std::string_view("$`\"\\").find(text_[at_]) != std::string_view::npos;
      if (escapes) {
        value += text_[at_++];
      } else if (!Plain(c)) {
        return false;
      }
    }
    return at_++ < text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Takes a word off the front, and the blanks in front of it.
std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<HookCommand> ReadHookCommand(std::string_view command) {
  const std::size_t start = std::min(command.find_first_not_of(kBlank), command.size());
  WordReader reader(command.substr(start));
  const std::optional<std::size_t> length = reader.Read();
  if (!length || FileName(reader.value) != "belay") return std::nullopt;
  std::string_view rest = command.substr(start + *length);
  HookCommand found{.word = std::string(command.substr(0, start + *length)),
                    .rest = std::string(rest),
                    .program = reader.value,
                    .event = {},
                    .by_hand = reader.expands || reader.value.find('/') == std::string::npos};
  if (TakeWord(rest) != "event") return std::nullopt;
  found.event = TakeWord(rest);
  if (found.event.empty() || !std::ranges::all_of(found.event, IsLetter)) return std::nullopt;
  if (!TakeWord(rest).empty()) return std::nullopt;
  return found;
}

std::string WriteHookCommand(std::string_view program, std::string_view event) {
  return fmt::format("{} event {}", ShellQuoted(program), event);
}

}  // namespace belay
